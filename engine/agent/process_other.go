//go:build !linux

package agent

import "syscall"

// ownGroup puts a program in a group of its own. There is no signal on the
// parent's death here: what a killed mrv leaves behind is for the next start.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
