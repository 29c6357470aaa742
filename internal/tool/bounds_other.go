//go:build !linux

package tool

import "syscall"

// Bounded says whether external programs end with this process and have a memory limit.
const Bounded = false

func endWithParent(*syscall.SysProcAttr) {}
func boundMemory(int)                    {}
