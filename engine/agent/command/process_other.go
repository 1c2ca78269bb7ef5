//go:build !linux

package command

import "syscall"

// ownGroup puts a program in a group of its own.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
