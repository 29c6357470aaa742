//go:build !amd64

package augment

// vectorTake returns nil: there is the plain path alone.
func vectorTake(bool) (f taker, lanes int) { return nil, 0 }
