package kernel

// Bins returns the four-bin sums S of the upstream gradient delta. It replaces delta by the gradient of pin A and,
// unless beta is nil, writes the gradient of pin B to beta. Bit s of a is the value of pin A in sample s, and bit s
// of b is the value of pin B. The slices delta and beta are padded with zeros to a multiple of [Lanes].
//
// The loop over the lanes of a block is unrolled by hand. Unrolling makes the index of each lane constant, which
// halves the number of instructions.
func Bins(delta, beta []float32, a, b []uint64, t *Quad) Quad {
	var sums [Lanes][4]float32
	c := coefficients{ // indexed by the pins' values, 2a + b
		a: [4]float32{t[2] - t[0], t[3] - t[1], t[2] - t[0], t[3] - t[1]},
		b: [4]float32{t[1] - t[0], t[1] - t[0], t[3] - t[2], t[3] - t[2]},
	}
	for from := 0; from < len(delta); from += Lanes {
		d := (*[Lanes]float32)(delta[from:])
		z := interleave(uint32(a[from/64]>>(from%64)), uint32(b[from/64]>>(from%64)))
		if beta == nil {
			binLanes(&sums, d, &c.a, z)
		} else {
			binLanesBoth(&sums, d, (*[Lanes]float32)(beta[from:]), &c, z)
		}
	}
	return Quad{fold(&sums, 0), fold(&sums, 1), fold(&sums, 2), fold(&sums, 3)}
}

// coefficients holds the factors that turn the upstream gradient into the gradient of each pin. The struct has one
// array for each pin, because a single array for both pins would take one more instruction at each use.
type coefficients struct{ a, b [4]float32 }

// fold is like reduce, for lane sums of four values that are interleaved in l. It reduces the lane sum with the index
// xy.
func fold(l *[Lanes][4]float32, xy int) float32 {
	xy &= 3
	a0, a1, a2, a3 := l[0][xy]+l[8][xy], l[1][xy]+l[9][xy], l[2][xy]+l[10][xy], l[3][xy]+l[11][xy]
	a4, a5, a6, a7 := l[4][xy]+l[12][xy], l[5][xy]+l[13][xy], l[6][xy]+l[14][xy], l[7][xy]+l[15][xy]
	return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
}

// interleave puts bit i of the low half of x into bit 2i+1, and bit i of the low half of y into bit 2i.
func interleave(x, y uint32) uint32 {
	z := uint64(x&0xffff)<<32 | uint64(y&0xffff)
	z = (z | z<<8) & 0x00ff00ff00ff00ff
	z = (z | z<<4) & 0x0f0f0f0f0f0f0f0f
	z = (z | z<<2) & 0x3333333333333333
	z = (z | z<<1) & 0x5555555555555555
	return uint32(z>>31 | z)
}

// binLanes does the work of Bins for one value of each lane, without beta. The word z holds two bits for each lane,
// the values of pin A and pin B.
func binLanes(sums *[Lanes][4]float32, d *[Lanes]float32, coef *[4]float32, z uint32) {
	var v float32
	var k uint32
	v, k = d[0], z&3
	sums[0][k] += v
	d[0] = float32(v * coef[k])
	v, k = d[1], z>>2&3
	sums[1][k] += v
	d[1] = float32(v * coef[k])
	v, k = d[2], z>>4&3
	sums[2][k] += v
	d[2] = float32(v * coef[k])
	v, k = d[3], z>>6&3
	sums[3][k] += v
	d[3] = float32(v * coef[k])
	v, k = d[4], z>>8&3
	sums[4][k] += v
	d[4] = float32(v * coef[k])
	v, k = d[5], z>>10&3
	sums[5][k] += v
	d[5] = float32(v * coef[k])
	v, k = d[6], z>>12&3
	sums[6][k] += v
	d[6] = float32(v * coef[k])
	v, k = d[7], z>>14&3
	sums[7][k] += v
	d[7] = float32(v * coef[k])
	v, k = d[8], z>>16&3
	sums[8][k] += v
	d[8] = float32(v * coef[k])
	v, k = d[9], z>>18&3
	sums[9][k] += v
	d[9] = float32(v * coef[k])
	v, k = d[10], z>>20&3
	sums[10][k] += v
	d[10] = float32(v * coef[k])
	v, k = d[11], z>>22&3
	sums[11][k] += v
	d[11] = float32(v * coef[k])
	v, k = d[12], z>>24&3
	sums[12][k] += v
	d[12] = float32(v * coef[k])
	v, k = d[13], z>>26&3
	sums[13][k] += v
	d[13] = float32(v * coef[k])
	v, k = d[14], z>>28&3
	sums[14][k] += v
	d[14] = float32(v * coef[k])
	v, k = d[15], z>>30&3
	sums[15][k] += v
	d[15] = float32(v * coef[k])
}

// binLanesBoth is like binLanes, but also computes beta.
//
//nolint:funlen // four lines a lane, unrolled
func binLanesBoth(sums *[Lanes][4]float32, d, beta *[Lanes]float32, c *coefficients, z uint32) {
	var v float32
	var k uint32
	v, k = d[0], z&3
	sums[0][k] += v
	d[0] = float32(v * c.a[k])
	beta[0] = float32(v * c.b[k])
	v, k = d[1], z>>2&3
	sums[1][k] += v
	d[1] = float32(v * c.a[k])
	beta[1] = float32(v * c.b[k])
	v, k = d[2], z>>4&3
	sums[2][k] += v
	d[2] = float32(v * c.a[k])
	beta[2] = float32(v * c.b[k])
	v, k = d[3], z>>6&3
	sums[3][k] += v
	d[3] = float32(v * c.a[k])
	beta[3] = float32(v * c.b[k])
	v, k = d[4], z>>8&3
	sums[4][k] += v
	d[4] = float32(v * c.a[k])
	beta[4] = float32(v * c.b[k])
	v, k = d[5], z>>10&3
	sums[5][k] += v
	d[5] = float32(v * c.a[k])
	beta[5] = float32(v * c.b[k])
	v, k = d[6], z>>12&3
	sums[6][k] += v
	d[6] = float32(v * c.a[k])
	beta[6] = float32(v * c.b[k])
	v, k = d[7], z>>14&3
	sums[7][k] += v
	d[7] = float32(v * c.a[k])
	beta[7] = float32(v * c.b[k])
	v, k = d[8], z>>16&3
	sums[8][k] += v
	d[8] = float32(v * c.a[k])
	beta[8] = float32(v * c.b[k])
	v, k = d[9], z>>18&3
	sums[9][k] += v
	d[9] = float32(v * c.a[k])
	beta[9] = float32(v * c.b[k])
	v, k = d[10], z>>20&3
	sums[10][k] += v
	d[10] = float32(v * c.a[k])
	beta[10] = float32(v * c.b[k])
	v, k = d[11], z>>22&3
	sums[11][k] += v
	d[11] = float32(v * c.a[k])
	beta[11] = float32(v * c.b[k])
	v, k = d[12], z>>24&3
	sums[12][k] += v
	d[12] = float32(v * c.a[k])
	beta[12] = float32(v * c.b[k])
	v, k = d[13], z>>26&3
	sums[13][k] += v
	d[13] = float32(v * c.a[k])
	beta[13] = float32(v * c.b[k])
	v, k = d[14], z>>28&3
	sums[14][k] += v
	d[14] = float32(v * c.a[k])
	beta[14] = float32(v * c.b[k])
	v, k = d[15], z>>30&3
	sums[15][k] += v
	d[15] = float32(v * c.a[k])
	beta[15] = float32(v * c.b[k])
}
