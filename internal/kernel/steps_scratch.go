package kernel

// fullGroups is the number of samples in four groups. The assembly always sums four groups of samples before it
// checks whether there are more groups.
const fullGroups = 4 * groupSize

// pairFloats is the number of subset sums of a group in AVX2. There are four sums for the first pair of samples, four
// for the second pair, and four for the fifth sample.
const pairFloats = 12

// widest is the largest width of a candidatesStep.
const widest = 64

// vectorScratch is the scratch memory of the vector functions.
type vectorScratch struct {
	offsets []uint32  // byte offsets of the candidates' rows, [k, padded]
	values  []float32 // the gradient, with more zeros after it
	pairs   []float32 // [groups][pairFloats]
	bits    []uint32  // one column for every 32 samples of a row, padded, [columns][widest]
}

// suits reports whether vector functions can read the batch. The rows must have at least two words, and 32 bits must
// suffice to count the bytes of the batch.
func (b *Batch) suits() bool { return b.Words >= LeastWords && uint64(len(b.X)) < 1<<29 }

// candidates writes the sums of k candidates to r, whose length is padded to a multiple of [Lanes].
func (s *vectorScratch) candidates(f *steps, r []float32, k int, wires Wires, batch *Batch, grad []float32) {
	locate(f, s.offsets, k, wires, len(batch.X)/batch.Words, 8*batch.Words)
	s.sums(f, r, s.offsets, k, batch, grad)
}

// sums does the work of candidates, given the offsets of the candidates' rows.
func (s *vectorScratch) sums(f *steps, r []float32, offsets []uint32, k int, batch *Batch, grad []float32) {
	words, samples := batch.Words, batch.Samples
	if samples < 1 || samples > 64*words || samples > len(grad) {
		panic("kernel: samples out of range") // the assembly does not check
	}
	values := s.fill(f, grad, samples)
	last := min((samples+127)/128*16, 8*words) - 16
	for at := 0; at < k; {
		step := f.fitting(k - at)
		n := min(step.width, k-at)
		step.sum(&r[at], values, samples, &batch.X[0], &offsets[at], n, last, &s.bits[0])
		at += n
	}
}

// fitting returns the narrowest function that takes k candidates, or the widest function if no function takes that
// many.
func (f *steps) fitting(k int) *candidatesStep {
	i := 0
	for i+1 < len(f.candidates) && f.candidates[i+1].width >= k {
		i++
	}
	return &f.candidates[i]
}

// grow makes room for k candidates and rows of the given number of words.
func (s *vectorScratch) grow(k, words int) {
	if padded := (k + Lanes - 1) / Lanes * Lanes; len(s.offsets) < padded {
		s.offsets = make([]uint32, padded)
	}
	if needed := 64*words + fullGroups; len(s.values) < needed {
		s.values = make([]float32, needed)
		s.pairs = make([]float32, needed/groupSize*pairFloats)
		// Groups may reach up to one word past the last word, and each column is read together with the next column.
		s.bits = make([]uint32, (2*words+2)*widest)
	}
}

// locate writes the byte offset of each candidate's row to offsets. A row has the given number of bytes.
func locate(f *steps, offsets []uint32, k int, wires Wires, rows, bytes int) {
	var beyond int
	if wires.Wide != nil {
		beyond = f.offsetsWide(&offsets[0], &wires.Wide[:k][0], k, rows, bytes)
	} else {
		beyond = f.offsets(&offsets[0], &wires.Narrow[:k][0], k, rows, bytes)
	}
	if beyond != 0 {
		panic("kernel: a wire leads beyond the rows")
	}
}

// fill returns the values that candidatesStep adds up. These are the gradients or, in AVX2, subset sums of the
// gradients.
func (s *vectorScratch) fill(f *steps, grad []float32, samples int) *float32 {
	full := (samples + fullGroups - 1) / fullGroups * fullGroups
	values := &grad[0]
	if full > len(grad) {
		clear(s.values[copy(s.values, grad[:samples]):full])
		values = &s.values[0]
	}
	if f.pairs != nil {
		f.pairs(&s.pairs[0], values, full/groupSize)
		values = &s.pairs[0]
	}
	return values
}
