//go:build !amd64

package diagnose

// choose returns plain Go, the only path.
func choose() kernels { return plain }
