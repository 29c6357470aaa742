//go:build !unix

package tool

import "os/exec"

// killFamily does nothing. When the context is cancelled, only the program itself is killed.
func killFamily(*exec.Cmd) {}
