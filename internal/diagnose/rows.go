package diagnose

import "ialgn/internal/kernel"

// columns is the length of a row: of a weight for each class and start, or of errors.
const columns = 64

// row is a row.
type row [columns]float32

// tableBits is how many bits a [table] is for; 32 KB stay in the nearest cache.
const tableBits = 32

// probeTable holds, for each four of 32 rows, the sums of all of their subsets: entry
// 16 g + i is the sum of the rows 4 g + j over the bits j of i.
type probeTable [tableBits / 4 * 16]row

// kernels are the three things that are done with rows, as their plain functions say.
type kernels struct {
	subsets     func(t *probeTable, rows []row)
	addSelected func(dst []row, t *probeTable, words []uint64, stride, shift int)
	updateRows  func(a *kernel.Adam, w, m, v, g []row)
}

var plain = kernels{subsetsPlain, addSelectedPlain, updateRowsPlain}

// subsetsPlain makes the table of 32 rows: the sums of the first three, to which the fourth
// is added.
func subsetsPlain(t *probeTable, rows []row) {
	for g := range tableBits / 4 {
		t, r := t[16*g:][:16], rows[4*g:][:4]
		for c := range columns {
			x0, x1, x2, x3 := r[0][c], r[1][c], r[2][c], r[3][c]
			x01 := x0 + x1
			t[0][c], t[1][c], t[2][c], t[3][c] = 0, x0, x1, x01
			t[4][c], t[5][c], t[6][c], t[7][c] = x2, x0+x2, x1+x2, x01+x2
			for i := range 8 {
				t[8+i][c] = t[i][c] + x3
			}
		}
	}
}

// addSelectedPlain adds to each row of dst what its 32 bits select of the table, in the
// order of the table. The bits of row i are those of words[i*stride] from shift on.
func addSelectedPlain(dst []row, t *probeTable, words []uint64, stride, shift int) {
	for i := range dst {
		bits, d := words[i*stride]>>shift, &dst[i]
		for g := 0; g < len(t); g += 16 {
			for c, x := range &t[g+int(bits&15)] {
				d[c] += x
			}
			bits >>= 4
		}
	}
}

// updateRowsPlain makes a step of Adam with the gradients g, as [kernel.Adam] describes it.
func updateRowsPlain(a *kernel.Adam, w, m, v, g []row) {
	for i := range g {
		a.Step(w[i][:], m[i][:], v[i][:], g[i][:])
	}
}
