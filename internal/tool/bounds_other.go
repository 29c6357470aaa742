//go:build !linux

package tool

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
func boundMemory(int)                    {}
