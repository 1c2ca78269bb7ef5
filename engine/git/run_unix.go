//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// alone puts the process into a session of its own: the whole group can be
// ended, and nothing below it can ask for a password on the person's terminal.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
