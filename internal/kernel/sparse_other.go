//go:build !amd64

package kernel

// sparseVectors returns nil, because only the plain path exists.
func sparseVectors() func(dst, src *float64, rows int, start, from *uint32, factor *float64) {
	return nil
}
