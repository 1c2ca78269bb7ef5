//go:build !linux

package opencode

import (
	"syscall"
	"testing"
	"time"
)

const diesWithParent = false

// watchExit returns a function that waits until a process, of whomever, ends.
func watchExit(t *testing.T, pid int) func() {
	return func() {
		t.Helper()
		for range 500 {
			if syscall.Kill(pid, 0) != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Fatalf("process %d still runs", pid)
	}
}
