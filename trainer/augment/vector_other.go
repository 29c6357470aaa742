//go:build !amd64

package augment

// vectorTake returns nil: there is the plain path alone.
func vectorTake() (take func(dst, src *byte, log, width, height int, vectors *int32), lanes int) {
	return nil, 0
}
