package kernel

// Apply writes operation op (the paper's numbering) of the bits a and b to dst. All three slices have the same
// length. dst may be a or b.
func Apply(dst, a, b []uint64, op uint8) {
	a, b = a[:len(dst)], b[:len(dst)]
	f11, f10 := -uint64(op&1), -uint64(op>>1&1)
	f01, f00 := -uint64(op>>2&1), -uint64(op>>3&1)
	for i := range dst {
		x, y := a[i], b[i]
		dst[i] = x&(y&f11|^y&f10) | ^x&(y&f01|^y&f00)
	}
}
