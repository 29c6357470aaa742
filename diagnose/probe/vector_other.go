//go:build !amd64

package probe

// choose returns plain Go, the only path.
func choose() kernels { return plain }
