package diagnose

import "ialgn/internal/kernel"

// columns is the length of a row. A row holds a weight or an error for each class and start.
const columns = 64

// row holds one value for each column.
type row [columns]float32

// tableBits is the number of bits that a [probeTable] covers. The table's 32 KB stay in the first-level cache.
const tableBits = 32

// probeTable holds subset sums of 32 rows, which are taken in groups of four. Entry 16 g + i belongs to group g. It
// is the sum of the rows 4 g + j for all bits j that are set in i.
type probeTable [tableBits / 4 * 16]row

// kernels holds the three operations on rows. Each operation has the same result as the plain function of the same
// name, such as subsetsPlain.
type kernels struct {
	subsets     func(t *probeTable, rows []row)
	addSelected func(dst []row, t *probeTable, words []uint64, stride, shift int)
	updateRows  func(a *kernel.Adam, w, m, v, g []row)
}

var plain = kernels{subsetsPlain, addSelectedPlain, updateRowsPlain}

// subsetsPlain makes the table of 32 rows. A sum that includes the fourth row of a group is the same sum without the
// fourth row, plus the fourth row.
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

// addSelectedPlain adds entries of t to each row of dst. The 32 bits of row i select the entries, which are added in
// the order of the table. These bits are in words[i*stride], from bit shift on.
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

// updateRowsPlain makes an Adam step with the gradients g. [kernel.Adam] describes the step.
func updateRowsPlain(a *kernel.Adam, w, m, v, g []row) {
	for i := range g {
		a.Step(w[i][:], m[i][:], v[i][:], g[i][:])
	}
}
