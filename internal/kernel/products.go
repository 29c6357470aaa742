package kernel

import "math/bits"

// Gradients holds the gradients of some pins in a batch, quantised to 8 bits. [Gradients.AddProducts] sums each pin's
// gradients for every source that the pin could read, over the samples in which the source is 1.
type Gradients struct {
	Samples int       // number of samples in a row, a multiple of 64
	Q       []int8    // [pins][Samples], each in the order of [fourth]
	Step    []float32 // the value of one integer step of each pin
}

// NewGradients returns gradients of zero.
func NewGradients(pins, samples int) Gradients {
	return Gradients{samples, make([]int8, pins*samples), make([]float32, pins)}
}

// Take sets the gradients of pin i. The dither depends on step, layer, node and pin, where node is the node's number
// in the whole network.
func (g *Gradients) Take(i int, beta []float32, step, layer, node, pin int) {
	q := g.Q[i*g.Samples:][:g.Samples]
	largest := largestSize(beta)
	for from := 0; from < len(beta); from += maxSamples {
		part := beta[from:min(from+maxSamples, len(beta))]
		dither := ditherRow(step+from/maxSamples, layer, node, pin, len(part))
		g.Step[i] = quantiseBy(nodeVectors(), q[from:], part, dither, largest)
	}
	clear(q[len(beta):])
}

// ProductColumns is the alignment of columns in [Gradients.AddProducts]. The first column of a call must be a
// multiple of it.
const ProductColumns = Lanes

// Sources holds the sources that pins could read in a batch, as rows of bits.
type Sources struct {
	x        []uint64
	words, n int

	// columns holds the bits for vector functions in words of 32 samples, [2*words][stride]. The words of all rows for
	// the same samples are contiguous.
	columns []uint32
	stride  int
}

// Set makes the first n rows of x the current sources. Each row has the given number of words.
func (s *Sources) Set(x []uint64, words, n int) {
	s.x, s.words, s.n = x, words, n
	s.stride = (n + ProductColumns - 1) / ProductColumns * ProductColumns
	if nodeVectors() == nil {
		return
	}
	if need := 2 * words * s.stride; cap(s.columns) < need {
		s.columns = make([]uint32, need)
	} else {
		s.columns = s.columns[:need]
	}
	for w := range words {
		low, high := s.columns[2*w*s.stride:][:s.stride], s.columns[(2*w+1)*s.stride:][:s.stride]
		clear(low[n:])
		clear(high[n:])
		for j := range n {
			v := x[j*words+w]
			low[j], high[j] = uint32(v), uint32(v>>32)
		}
	}
}

// AddProducts adds to sums[pin][source], for each source in the range [from, to), the sum of the pin's gradients over
// the samples whose bit is set in the source's row. The index from must be a multiple of ProductColumns, and the
// length of the rows of sums must be padded to a multiple of it. Sums of integers are exact, so all SIMD paths give
// the same result.
func (g *Gradients) AddProducts(sums []float32, s *Sources, from, to int) {
	f := nodeVectors()
	if f == nil {
		g.addProducts(sums, s, from, to)
		return
	}
	columns := (to - from + ProductColumns - 1) / ProductColumns * ProductColumns
	x := s.columns[from : (g.Samples/32-1)*s.stride+from+columns]
	for i := 0; i < len(g.Step); {
		pins := min(f.productPins, 1<<(bits.Len(uint(len(g.Step)-i))-1))
		row := sums[i*s.stride+from : (i+pins-1)*s.stride+from+columns]
		q := g.Q[i*g.Samples : (i+pins)*g.Samples]
		f.addProducts(&row[0], s.stride, &q[0], g.Samples, pins, &g.Step[i], &x[0], s.stride, columns)
		i += pins
	}
}

// addProducts is the plain path of AddProducts.
func (g *Gradients) addProducts(sums []float32, s *Sources, from, to int) {
	table := make(quarters, g.Samples/quarter)
	for i, step := range g.Step {
		table.fill(g.Q[i*g.Samples:][:g.Samples])
		row := sums[i*s.stride:][:s.n]
		for j := from; j < to; j++ {
			row[j] += float32(step * float32(table.sum(s.x[j*s.words:][:s.words])))
		}
	}
}
