//go:build !amd64

package diagnose

// choose returns the plain functions, because this system has no vector kernels.
func choose() kernels { return plain }
