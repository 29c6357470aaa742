package native

import (
	"ialgn/internal/native/arm64"
	"ialgn/internal/native/rows"
	"ialgn/internal/native/x86"
	"ialgn/internal/wordcode"
)

// Edges holds the offsets of the input and output functions of a classifier in the text. These functions follow the C
// calling convention, and each works on one block of up to [ISA.Samples] samples:
//
//	void input(const void *x, uint64_t samples, void *input_rows, void *temp);
//	void output(const void *state_rows, uint64_t samples, uint16_t *class_index, uint32_t *counts);
//
// The argument x is [sample][feature]. The memory at temp has Temp bytes. Each input function in Inputs computes some
// of the rows. All input functions take the same arguments. A call takes less than 100 us for any number of features
// and thresholds.
//
// The argument counts is [sample][class] or null. The output function may start inside a block, at a multiple of 64
// samples. In this case, the caller adds one byte to state_rows for every 8 samples before the start. The time of a
// call grows with the numbers of samples and classes.
//
// If the classifier says whether a class is uncertain, there is another output function. It stores 1 for each sample
// with an uncertain class, and 0 for the other samples, where the first output function stores the classes. Its
// argument counts must be null.
type Edges struct {
	Inputs    []int
	Output    int
	Uncertain int // 0: the classifier does not say whether a class is uncertain
	Temp      int
}

// edgeWriter appends the input and output functions for an instruction set to other code, and returns the functions'
// offsets.
type edgeWriter func(text []byte, in *rows.Input, out ...*rows.Output) (all []byte, inputs, outputs []int, err error)

// x86Edges returns an edgeWriter for x86-64 instructions.
func x86Edges(rowsOf func(*rows.Input, *x86.Asm) []x86.Label, numbers func(*rows.Output, *x86.Asm) x86.Label,
) edgeWriter {
	return func(text []byte, in *rows.Input, out ...*rows.Output) (all []byte, inputs, outputs []int, err error) {
		var a x86.Asm
		a.Data(text...)
		a.Align(entryAlignment)
		for _, entry := range rowsOf(in, &a) {
			inputs = append(inputs, a.Offset(entry))
		}
		for _, o := range out {
			a.Align(entryAlignment)
			outputs = append(outputs, a.Offset(numbers(o, &a)))
		}
		return a.Bytes(), inputs, outputs, nil
	}
}

// neonEdges is the edgeWriter for NEON instructions.
func neonEdges(text []byte, in *rows.Input, out ...*rows.Output) (all []byte, inputs, outputs []int, err error) {
	var a arm64.Asm
	for _, entry := range in.NEON(&a) {
		inputs = append(inputs, len(text)+a.Offset(entry))
	}
	for _, o := range out {
		outputs = append(outputs, len(text)+a.Offset(o.NEON(&a)))
	}
	return append(text, a.Bytes()...), inputs, outputs, a.Err()
}

// inputOf plans the computation of the rows of some input bits.
func (f *Features) inputOf(bits []int) *rows.Input {
	pairs := make([]rows.Pair, len(bits))
	for i, bit := range bits {
		pairs[i] = f.Bits[bit]
	}
	return rows.NewInput(f.Count, f.Wide, pairs)
}

// addEdges appends the input and output functions to the text. It returns an error if distances are too large for
// instructions.
func (c *Code) addEdges(in *rows.Input, classifier *wordcode.Classifier) (err error) {
	out := &rows.Output{Class: digits(classifier.Class)}
	for _, count := range classifier.Counts {
		out.Counts = append(out.Counts, digits(count))
	}
	if err := in.Check(); err != nil {
		return err
	}
	all := []*rows.Output{out}
	if classifier.Uncertain.Count > 0 {
		all = append(all, &rows.Output{Class: digits(classifier.Uncertain)})
	}
	var outputs []int
	c.Edges = &Edges{Temp: in.Temp()}
	c.Text, c.Edges.Inputs, outputs, err = c.ISA.edges(c.Text, in, all...)
	if err != nil {
		return err
	}
	if c.Edges.Output = outputs[0]; len(outputs) > 1 {
		c.Edges.Uncertain = outputs[1]
	}
	return nil
}

// digits returns the state rows with the digits of a number that is an output. The rows of outputs are the first
// state rows.
func digits(r wordcode.Rows) (all []rows.Row) {
	for i := range r.Count {
		all = append(all, rows.Row(r.First+i))
	}
	return all
}
