package journal

import (
	"os"
	"testing"
)

// FillDisk swaps the writer's file for one that takes no byte, until the
// returned function is called.
func FillDisk(t *testing.T, w *Writer) func() {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	good := w.file
	w.file = full
	return func() {
		full.Close()
		w.file = good
	}
}
