//go:build unix

package engine_test

import (
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// limitFiles lets no file of this process grow much beyond the size that the
// one at path has now, as a full disk does not, until the returned function is
// called.
func limitFiles(t *testing.T, path string) (release func()) {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	now := was
	now.Cur = uint64(st.Size()) + 8<<10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &now); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	}
}

func newListener() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
