//go:build !amd64

package kernel

// sparseVectors returns nil: there is the plain path alone.
func sparseVectors() func(dst, src *float64, rows int, start, from *uint32, factor *float64) {
	return nil
}
