//go:build !unix

package tool

import "os/exec"

// killFamily leaves the command unchanged: when its context ends, only the program itself is killed.
func killFamily(*exec.Cmd) {}
