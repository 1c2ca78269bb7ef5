//go:build !linux

package opencode

import "syscall"

// ownGroup puts a child in a group of its own. There is no signal on the
// parent's death here: Sweep ends what a killed mrv left behind.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
