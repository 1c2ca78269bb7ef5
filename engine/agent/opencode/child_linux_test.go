package opencode

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// diesWithParent says whether a server dies with a killed mrv by itself.
const diesWithParent = true

// watchExit returns a function that waits until a process, of whomever, ends.
func watchExit(t *testing.T, pid int) func() {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer unix.Close(fd)
		const patience = 10 * time.Second
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
		if err != nil || n != 1 {
			t.Fatalf("process %d still runs after %v (%v)", pid, patience, err)
		}
	}
}
