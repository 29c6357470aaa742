//go:build !linux

package tool

import "syscall"

// Bounded says that programs end with this process and have a bound on their memory.
const Bounded = false

func endWithParent(*syscall.SysProcAttr) {}
func boundMemory(int)                    {}
