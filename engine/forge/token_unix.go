//go:build unix

package forge

import (
	"os/exec"
	"syscall"
)

// alone puts the process into a session of its own, so that all of it ends
// with it and nothing in it reads the person's terminal.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
