package diagnose

import "ialgn/internal/kernel"

// vectorKernels holds the vector functions of one path; see [kernel.Path].
type vectorKernels struct {
	subsets     func(t, rows *float32)
	addSelected func(dst *float32, n int, t *float32, words *uint64, stride, shift int)
	updateRows  func(adam, w, m, v, g *float32, n int)
}

var vectors = map[string]*vectorKernels{
	"avx512": {subsetsAVX512, addSelectedAVX512, updateRowsAVX512},
	"avx2":   {subsetsAVX2, addSelectedAVX2, updateRowsAVX2},
}

// choose returns the kernels of the path in use.
func choose() kernels {
	path, _ := kernel.Path()
	v, ok := vectors[path]
	if !ok {
		return plain
	}
	return kernels{
		func(t *probeTable, rows []row) {
			rows = rows[:tableBits]
			v.subsets(&t[0][0], &rows[0][0])
		},
		func(dst []row, t *probeTable, words []uint64, stride, shift int) {
			if len(dst) > 0 {
				_ = words[(len(dst)-1)*stride]
				v.addSelected(&dst[0][0], len(dst), &t[0][0], &words[0], 8*stride, shift)
			}
		},
		func(a *kernel.Adam, w, m, v2, g []row) {
			if n := len(g); n > 0 {
				w, m, v2 = w[:n], m[:n], v2[:n]
				v.updateRows(&a.Beta1, &w[0][0], &m[0][0], &v2[0][0], &g[0][0], n)
			}
		},
	}
}
