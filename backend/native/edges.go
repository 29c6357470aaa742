package native

import (
	"ialgn/backend/native/rows"
	"ialgn/backend/native/x86"
	"ialgn/backend/wordcode"
)

// Edges are the functions at both ends of a classifier's code, by their offsets in the text. They follow the C
// convention, and work on one block, of up to [ISA.Samples] samples:
//
//	void input(const void *x, uint64_t samples, void *input_rows, void *temp);
//	void output(const void *state_rows, uint64_t samples, uint16_t *class_index, uint32_t *counts);
//
// x has [sample][feature]; temp has Temp bytes. counts has [sample][class], and may be null.
type Edges struct {
	Input, Output int
	Temp          int
}

// edgeWriter appends the two functions for an instruction set.
type edgeWriter struct {
	input  func(*rows.Input, *x86.Asm) x86.Label
	output func(*rows.Output, *x86.Asm) x86.Label
}

// Edges reports whether there are functions for feature words and numbers in this instruction set.
func (i *ISA) Edges() bool { return i.edges != nil }

// inputOf plans the making of rows of some input bits.
func (f *Features) inputOf(bits []int) *rows.Input {
	pairs := make([]rows.Pair, len(bits))
	for i, bit := range bits {
		pairs[i] = f.Bits[bit]
	}
	return rows.NewInput(f.Count, f.Wide, pairs)
}

// addEdges appends the functions to the text.
func (c *Code) addEdges(f *Features, classifier *wordcode.Classifier) {
	var a x86.Asm
	a.Data(c.Text...)
	in := f.inputOf(c.Rows)
	out := &rows.Output{Class: digits(classifier.Class)}
	for _, count := range classifier.Counts {
		out.Counts = append(out.Counts, digits(count))
	}
	a.Align(entryAlignment)
	input := c.ISA.edges.input(in, &a)
	a.Align(entryAlignment)
	output := c.ISA.edges.output(out, &a)
	c.Text = a.Bytes()
	c.Edges = &Edges{a.Offset(input), a.Offset(output), in.Temp()}
}

// digits returns the state rows of a number: those of the outputs stand first.
func digits(r wordcode.Rows) (all []rows.Row) {
	for i := range r.Count {
		all = append(all, rows.Row(r.First+i))
	}
	return all
}
