//go:build !linux

package tool

import "syscall"

// Bounded reports whether this system ends external programs when this process ends, and limits their memory.
const Bounded = false

func endWithParent(*syscall.SysProcAttr) {}
func boundMemory(int)                    {}
