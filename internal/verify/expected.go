// This file computes the expected outputs of samples, either by the trainer's forward pass or by our simulator. The
// results are vectors for Verilog simulators and testbenches.

package verify

import (
	"fmt"
	"slices"

	"ialgn/internal/model"
	"ialgn/internal/verilog"
	"ialgn/netlist"
	"ialgn/sim"
)

// ExpectedVectors returns the first samples as vectors for a netlist that was frozen from f. All values come from the
// trainer's forward pass, because values from the netlist would repeat the fault of a compiler pass. The netlist only
// determines the ports. The output uncertain has the given margin. ExpectedVectors returns an error if the netlist has
// a port for which the trainer has no values.
func ExpectedVectors(
	f *model.Frozen, n *netlist.Netlist, margin int, s Samples, samples int,
) (*verilog.Vectors, error) {
	index := Consecutive(0, min(samples, s.Levels.Len()))
	v := &verilog.Vectors{Samples: len(index), Words: (len(index) + 63) / 64}
	var err error
	if v.Inputs, err = s.Gather(&f.Encoder, n.DataInputs()[0], v.Words, index); err != nil {
		return nil, err
	}
	want, last := forward(f, s.Thermometer(&f.Encoder, v.Words, index), v.Words, len(index))
	rows := func(ports []netlist.Port) (rows []uint64, err error) {
		for _, p := range ports {
			value := Trainers(want, margin, p)
			switch {
			case value != nil:
				rows = append(rows, rowsOf(value, len(p.Nets), len(index))...)
			case p.Name == "h" && len(p.Nets) == f.Width:
				rows = append(rows, masked(last, v.Words, len(index))...)
			default:
				return nil, fmt.Errorf("verify: vectors: the trainer says nothing of %s", p.Name)
			}
		}
		return rows, nil
	}
	if v.Outputs, err = rows(n.OutputPorts()); err != nil {
		return nil, err
	}
	v.Probes, err = rows(n.Probes())
	return v, err
}

// forward runs the trainer's forward pass on the thermometer bits x. It returns the scores and the bits of the
// last layer.
func forward(f *model.Frozen, x []uint64, words, samples int) (*model.Scores, []uint64) {
	classes := len(f.Classes)
	var last []uint64
	e := model.NewEvaluator(f)
	e.Run(x, words, func(layer int, h []uint64) {
		if layer == f.Depth()-1 {
			last = slices.Clone(h)
		}
	})
	counts := make([]int32, classes*samples)
	e.Counts(counts, samples)
	s := &model.Scores{Classes: classes, Counts: make([]int32, len(counts)), Predicted: make([]uint8, samples)}
	model.Classify(s.Predicted, counts, f.Ties)
	for i := range samples {
		for c := range classes {
			s.Counts[i*classes+c] = counts[c*samples+i]
		}
	}
	return s, last
}

// rowsOf calls the function value for each sample and bit, and returns one row per bit, with (samples+63)/64 words
// per row.
func rowsOf(value func(sample, bit int) uint64, bits, samples int) []uint64 {
	words := (samples + 63) / 64
	rows := make([]uint64, bits*words)
	for bit := range bits {
		for i := range samples {
			rows[bit*words+i/64] |= value(i, bit) << (i % 64)
		}
	}
	return rows
}

// masked returns a copy of bit rows with zeros after the last sample.
func masked(rows []uint64, words, samples int) []uint64 {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i] &= Mask(samples - 64*(i%words))
	}
	return rows
}

// SimulatedVectors returns the samples of v, with the values that our simulator computes for the outputs and probes
// of n.
func SimulatedVectors(n *netlist.Netlist, v verilog.Vectors) (*verilog.Vectors, error) {
	s, err := sim.New(n)
	if err != nil {
		return nil, err
	}
	got := &verilog.Vectors{Samples: v.Samples, Words: v.Words, Inputs: v.Inputs}
	outputs, probes := n.OutputPorts(), n.Probes()
	got.Outputs, got.Probes = emptyRows(outputs, v.Words), emptyRows(probes, v.Words)
	for from := 0; from < v.Words; from += s.Block() {
		words := min(s.Block(), v.Words-from)
		if err := s.Settle(words, columns(v.Inputs, v.Words, from, words)); err != nil {
			return nil, err
		}
		place(got.Outputs, v.Words, from, BusRows(s, outputs, nil, 0, nil))
		place(got.Probes, v.Words, from, BusRows(s, probes, nil, 0, nil))
	}
	got.Outputs, got.Probes = masked(got.Outputs, v.Words, v.Samples), masked(got.Probes, v.Words, v.Samples)
	return got, nil
}

func emptyRows(ports []netlist.Port, words int) []uint64 {
	bits := 0
	for _, p := range ports {
		bits += len(p.Nets)
	}
	return make([]uint64, bits*words)
}

// columns returns the words row[from : from+words] of each row.
func columns(rows []uint64, stride, from, words int) []uint64 {
	var part []uint64
	for row := range slices.Chunk(rows, stride) {
		part = append(part, row[from:from+words]...)
	}
	return part
}

// place copies each row of part into the row of the same number in rows. The copy begins at the word with index from.
func place(rows []uint64, stride, from int, part []uint64) {
	if len(rows) == 0 {
		return
	}
	words := len(part) * stride / len(rows)
	for i := range len(rows) / stride {
		copy(rows[i*stride+from:], part[i*words:(i+1)*words])
	}
}
