package kernel

// groupSize is the number of samples of a group, windowGroups the number of groups
// whose bits a word holds after one shift.
const (
	groupSize    = 5
	windowGroups = 12
	windowBits   = groupSize * windowGroups
)

// Tables holds, for each group of five samples, the sums of beta over all subsets of
// the group. The zero value is ready for use and grows as needed.
type Tables struct {
	sums [][1 << groupSize]float32
}

// subsets writes the sums of all subsets of d0 .. d3 to t: bit i of the index says
// whether d_i is in it. The order of additions is that of a group sum.
func subsets(t *[16]float32, d0, d1, d2, d3 float32) {
	d01, d23 := d0+d1, d2+d3
	t[0], t[1], t[2], t[3] = 0, d0, d1, d01
	t[4], t[5], t[6], t[7] = d2, d0+d2, d1+d2, d01+d2
	t[8], t[9], t[10], t[11] = d3, d0+d3, d1+d3, d01+d3
	t[12], t[13], t[14], t[15] = d23, d0+d23, d1+d23, d01+d23
}

// Fill computes the subset sums of the first samples of beta, which is padded with
// zeros to a multiple of [Lanes]. The groups are completed by groups of zeros to a
// multiple of four.
func (t *Tables) Fill(beta []float32, samples int) {
	groups := (samples + 4*groupSize - 1) / (4 * groupSize) * 4
	if cap(t.sums) < groups {
		t.sums = make([][1 << groupSize]float32, groups)
	}
	t.sums = t.sums[:groups]
	for g := range t.sums {
		var last [groupSize]float32
		d := &last
		if from := groupSize * g; from+groupSize <= len(beta) {
			d = (*[groupSize]float32)(beta[from:])
		} else if from < len(beta) {
			copy(last[:], beta[from:])
		}
		s := &t.sums[g]
		subsets((*[16]float32)(s[:]), d[0], d[1], d[2], d[3])
		for i, x := range s[:16] {
			s[16+i] = x + d[4]
		}
	}
}

// Candidates writes to r[j] the sum of beta over the samples whose bit is set in row
// wires[j] of x, a group sum; [Tables.Fill] has been called with beta. Rows have the
// given number of words.
//
// The loop over a window is unrolled by hand: it is a third of the training time of
// the plain path.
func Candidates[I uint16 | uint32](t *Tables, r []float32, x []uint64, words int, wires []I) {
	wires = wires[:len(r)]
	for j := range r {
		row := x[int(wires[j])*words:][:words]
		var even, odd float32
		at, sums := 0, t.sums
		for ; len(sums) >= windowGroups; sums = sums[windowGroups:] {
			s := (*[windowGroups][32]float32)(sums)
			v := window(row, at)
			even += s[0][v&31]
			odd += s[1][v>>5&31]
			even += s[2][v>>10&31]
			odd += s[3][v>>15&31]
			even += s[4][v>>20&31]
			odd += s[5][v>>25&31]
			even += s[6][v>>30&31]
			odd += s[7][v>>35&31]
			even += s[8][v>>40&31]
			odd += s[9][v>>45&31]
			even += s[10][v>>50&31]
			odd += s[11][v>>55&31]
			at += windowBits
		}
		if len(sums) > 0 {
			v := window(row, at)
			for ; len(sums) >= 4; sums = sums[4:] {
				s := (*[4][32]float32)(sums)
				even += s[0][v&31]
				odd += s[1][v>>5&31]
				even += s[2][v>>10&31]
				odd += s[3][v>>15&31]
				v >>= 20
			}
		}
		r[j] = even + odd
	}
}

// window returns the bits of the row from the given one on, as many as a word holds of
// [windowBits].
func window(row []uint64, at int) uint64 {
	w, shift := at/64, at%64
	if w >= len(row) {
		return 0
	}
	v := row[w] >> shift
	if w+1 < len(row) {
		v |= row[w+1] << (64 - shift)
	}
	return v
}
