package native

import (
	"ialgn/backend/native/arm64"
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

// edgeWriter appends the two functions of an instruction set to the code of others, and returns where they begin.
type edgeWriter func(text []byte, in *rows.Input, out *rows.Output) (all []byte, input, output int)

// x86Edges appends the functions in instructions of x86-64.
func x86Edges(rowsOf func(*rows.Input, *x86.Asm) x86.Label, numbers func(*rows.Output, *x86.Asm) x86.Label) edgeWriter {
	return func(text []byte, in *rows.Input, out *rows.Output) (all []byte, input, output int) {
		var a x86.Asm
		a.Data(text...)
		a.Align(entryAlignment)
		first := rowsOf(in, &a)
		a.Align(entryAlignment)
		second := numbers(out, &a)
		return a.Bytes(), a.Offset(first), a.Offset(second)
	}
}

// neonEdges appends the functions in NEON instructions.
func neonEdges(text []byte, in *rows.Input, out *rows.Output) (all []byte, input, output int) {
	var a arm64.Asm
	first := in.NEON(&a)
	second := out.NEON(&a)
	code := a.Bytes()
	if err := a.Err(); err != nil {
		panic("native: " + err.Error())
	}
	return append(text, code...), len(text) + a.Offset(first), len(text) + a.Offset(second)
}

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
	in := f.inputOf(c.Rows)
	out := &rows.Output{Class: digits(classifier.Class)}
	for _, count := range classifier.Counts {
		out.Counts = append(out.Counts, digits(count))
	}
	c.Edges = &Edges{Temp: in.Temp()}
	c.Text, c.Edges.Input, c.Edges.Output = c.ISA.edges(c.Text, in, out)
}

// digits returns the state rows of a number: those of the outputs stand first.
func digits(r wordcode.Rows) (all []rows.Row) {
	for i := range r.Count {
		all = append(all, rows.Row(r.First+i))
	}
	return all
}
