package kernel

// groupsWord is the number of groups of four samples in a word of bits.
const groupsWord = 16

// Tables holds, for each group of four samples, the sums of beta over all subsets of
// the group. The zero value is ready for use and grows as needed.
type Tables struct {
	sums [][16]float32
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
// zeros to a multiple of [Lanes]. An odd number of groups is completed by one of
// zeros.
func (t *Tables) Fill(beta []float32, samples int) {
	groups := (samples + 7) / 8 * 2
	if cap(t.sums) < groups {
		t.sums = make([][16]float32, groups)
	}
	t.sums = t.sums[:groups]
	for g := range t.sums {
		d := (*[4]float32)(beta[4*g:])
		subsets(&t.sums[g], d[0], d[1], d[2], d[3])
	}
}

// Candidates writes to r[j] the sum of beta over the samples whose bit is set in row
// wires[j] of x, a group sum; [Tables.Fill] has been called with beta. Rows have the
// given number of words.
//
// It is a third of the training time of the plain path, so a batch of 97 to 104
// samples, the paper's 100 among them, has straight code of its own.
func Candidates[I uint16 | uint32](t *Tables, r []float32, x []uint64, words int, wires []I) {
	wires = wires[:len(r)]
	if words == 2 && len(t.sums) == paperGroups {
		candidates100((*[paperGroups][16]float32)(t.sums), r, x, wires)
		return
	}
	for j := range r {
		row := x[int(wires[j])*words:][:words]
		var even, odd float32
		s := t.sums
		for _, v := range row {
			for range min(groupsWord, len(s)) / 2 {
				even += s[0][v&15]
				odd += s[1][v>>4&15]
				s, v = s[2:], v>>8
			}
		}
		r[j] = even + odd
	}
}

// paperGroups is the number of groups of a batch of 97 to 104 samples.
const paperGroups = 26

// candidates100 is Candidates for two words a row and 26 groups: without a branch in
// the loop it takes little more than half the time.
func candidates100[I uint16 | uint32](s *[paperGroups][16]float32, r []float32, x []uint64, wires []I) {
	wires = wires[:len(r)]
	for j := range r {
		row := (*[2]uint64)(x[int(wires[j])*2:])
		var even, odd float32
		v := row[0]
		even += s[0][v&15]
		odd += s[1][v>>4&15]
		even += s[2][v>>8&15]
		odd += s[3][v>>12&15]
		even += s[4][v>>16&15]
		odd += s[5][v>>20&15]
		even += s[6][v>>24&15]
		odd += s[7][v>>28&15]
		even += s[8][v>>32&15]
		odd += s[9][v>>36&15]
		even += s[10][v>>40&15]
		odd += s[11][v>>44&15]
		even += s[12][v>>48&15]
		odd += s[13][v>>52&15]
		even += s[14][v>>56&15]
		odd += s[15][v>>60]
		v = row[1]
		even += s[16][v&15]
		odd += s[17][v>>4&15]
		even += s[18][v>>8&15]
		odd += s[19][v>>12&15]
		even += s[20][v>>16&15]
		odd += s[21][v>>20&15]
		even += s[22][v>>24&15]
		odd += s[23][v>>28&15]
		even += s[24][v>>32&15]
		odd += s[25][v>>36&15]
		r[j] = even + odd
	}
}
