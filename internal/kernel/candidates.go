package kernel

// groupSize is the number of samples in a group. windowGroups is the number of groups whose bits fit in a word after
// one shift.
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

// subsets writes the sums of all subsets of d0 .. d3 to t. Bit i of the index says whether d_i is included. The order
// of the additions is the order of a group sum (see the package comment).
func subsets(t *[16]float32, d0, d1, d2, d3 float32) {
	d01, d23 := d0+d1, d2+d3
	t[0], t[1], t[2], t[3] = 0, d0, d1, d01
	t[4], t[5], t[6], t[7] = d2, d0+d2, d1+d2, d01+d2
	t[8], t[9], t[10], t[11] = d3, d0+d3, d1+d3, d01+d3
	t[12], t[13], t[14], t[15] = d23, d0+d23, d1+d23, d01+d23
}

// Fill computes the subset sums of beta for the given number of samples. The slice beta is padded with zeros to a
// multiple of [Lanes]. Groups of zeros are added to make the number of groups a multiple of four.
func (t *Tables) Fill(beta []float32, samples int) {
	groups := (samples + 4*groupSize - 1) / (4 * groupSize) * 4
	if cap(t.sums) < groups {
		t.sums = make([][1 << groupSize]float32, groups)
	}
	t.sums = t.sums[:groups]
	for g := range t.sums {
		if from := groupSize * g; from+groupSize < len(beta) {
			fillGroup(&t.sums[g], (*[groupSize + 1]float32)(beta[from:]))
		} else {
			var last [groupSize + 1]float32
			copy(last[:groupSize], beta[min(from, len(beta)):])
			fillGroup(&t.sums[g], &last)
		}
	}
}

// fillGroup writes the sums of all subsets of the first five values of d to t.
//
// The time of fillGroup is the time of its stores. Many processors can store only one float but two integers per
// cycle. Therefore fillGroup stores the sum of a single sample by copying this sample and its neighbour, which the
// compiler turns into one integer store. A later store overwrites the neighbour's place. The sum of the empty subset
// is never stored, because it is zero in a new table.
func fillGroup(t *[1 << groupSize]float32, d *[groupSize + 1]float32) {
	*(*[2]float32)(t[1:]) = [2]float32(d[0:])
	*(*[2]float32)(t[4:]) = [2]float32(d[2:])
	*(*[2]float32)(t[8:]) = [2]float32(d[3:])
	*(*[2]float32)(t[16:]) = [2]float32(d[4:])
	d0, d1, d2, d3, x := d[0], d[1], d[2], d[3], d[4]
	t[17], t[18], t[20], t[24] = d0+x, d1+x, d2+x, d3+x
	d01, d23 := d0+d1, d2+d3
	t[3], t[19], t[12], t[28] = d01, d01+x, d23, d23+x
	d02, d12, d03, d13 := d0+d2, d1+d2, d0+d3, d1+d3
	t[5], t[6], t[9], t[10] = d02, d12, d03, d13
	t[21], t[22], t[25], t[26] = d02+x, d12+x, d03+x, d13+x
	d012, d013, d023, d123, all := d01+d2, d01+d3, d0+d23, d1+d23, d01+d23
	t[7], t[11], t[13], t[14], t[15] = d012, d013, d023, d123, all
	t[23], t[27], t[29], t[30], t[31] = d012+x, d013+x, d023+x, d123+x, all+x
}

// Candidates writes to r[j] the group sum of beta over the samples whose bit is set in row wires[j] of x.
// [Tables.Fill] must have been called with beta. Rows have the given number of words.
//
// Candidates and [Tables.Fill] take more than a third of the training time of the plain path. Therefore batches of 81
// to 100 samples, which include the paper's batches of 100, have their own unrolled code.
func Candidates[I uint16 | uint32](t *Tables, r []float32, x []uint64, words int, wires []I) {
	wires = wires[:len(r)]
	if words == 2 && len(t.sums) == paperGroups {
		candidates100((*[paperGroups][1 << groupSize]float32)(t.sums), r, x, wires)
		return
	}
	for j := range r {
		row := x[int(wires[j])*words:][:words]
		var even, odd float32
		at, sums := 0, t.sums
		for len(sums) > 0 {
			v := window(row, at)
			for range min(windowGroups, len(sums)) / 2 {
				even += sums[0][v&31]
				odd += sums[1][v>>5&31]
				sums, v = sums[2:], v>>10
			}
			at += windowBits
		}
		r[j] = even + odd
	}
}

// Sum calls Fill, then Candidates for all elements of r.
func (t *Tables) Sum(r []float32, wires Wires, batch *Batch, grad []float32) {
	t.Fill(grad, batch.Samples)
	if wires.Wide != nil {
		Candidates(t, r, batch.X, batch.Words, wires.Wide)
	} else {
		Candidates(t, r, batch.X, batch.Words, wires.Narrow)
	}
}

// paperGroups is the number of groups of a batch of 81 to 100 samples.
const paperGroups = 20

// rowsAhead is the number of rows that are loaded together, so that the waits for rows outside the first cache
// overlap. This saves 6 % of the time of a step of 12k x 4 on CIFAR-10.
const rowsAhead = 16

// candidates100 is Candidates for rows of two words and 20 groups. It has no branch in the loop and takes little more
// than half the time that Candidates would take.
func candidates100[I uint16 | uint32](s *[paperGroups][1 << groupSize]float32, r []float32, x []uint64, wires []I) {
	wires = wires[:len(r)]
	var rows [rowsAhead][2]uint64
	for j := range r {
		if j%rowsAhead == 0 {
			for i, w := range wires[j:min(j+rowsAhead, len(r))] {
				rows[i%rowsAhead] = *(*[2]uint64)(x[int(w)*2:])
			}
		}
		row := &rows[j%rowsAhead]
		var even, odd float32
		v := row[0]
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
		v = row[0]>>60 | row[1]<<4
		even += s[12][v&31]
		odd += s[13][v>>5&31]
		even += s[14][v>>10&31]
		odd += s[15][v>>15&31]
		even += s[16][v>>20&31]
		odd += s[17][v>>25&31]
		even += s[18][v>>30&31]
		odd += s[19][v>>35&31]
		r[j] = even + odd
	}
}

// window returns at least [windowBits] bits of the row, from the bit at index at on. Bits past the end are 0.
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
