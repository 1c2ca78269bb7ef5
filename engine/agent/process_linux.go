package agent

import "syscall"

// ownGroup puts a program in a group of its own and has the kernel kill it
// when the thread that started it dies.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
