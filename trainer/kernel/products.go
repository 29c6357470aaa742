package kernel

// Gradients are the gradients of some pins in a batch, rounded to 8 bits, to be summed over the samples of every
// source that the pins could read.
type Gradients struct {
	Samples int       // of a row, a multiple of [Lanes]
	Q       []int8    // [pins][Samples]
	Step    []float32 // what a step of a pin's numbers is worth
}

// Take sets the gradients of pin i in a step: of pin `pin` of a node.
func (g *Gradients) Take(i int, beta []float32, step, layer, node, pin int) {
	q := g.Q[i*g.Samples:][:g.Samples]
	g.Step[i] = quantise(q, beta, ditherRow(step, layer, node, pin, len(beta)))
	clear(q[len(beta):])
}

// AddProducts adds to sums, [pins][sources], for pins from the given one up to another and the sources likewise, the
// sum of a pin's gradients over the samples whose bit is set in the source's row of x. Rows have the given number of
// words. Sums of integers are exact, so that all paths and orders give the same.
func (g *Gradients) AddProducts(sums []float32, sources int, x []uint64, words int, pins, columns [2]int) {
	table := make(quarters, g.Samples/quarter)
	for i := pins[0]; i < pins[1]; i++ {
		table.fill(g.Q[i*g.Samples:][:g.Samples])
		row := sums[i*sources:][:sources]
		for j := columns[0]; j < columns[1]; j++ {
			row[j] += float32(g.Step[i] * float32(table.sum(x[j*words:][:words])))
		}
	}
}
