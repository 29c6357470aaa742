package verify

import (
	"bufio"
	"fmt"
	"os"

	"ialgn/backend/verilog"
	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer/model"
)

// writeVectors writes stimulus and expectation of the chosen samples: class counts and class
// as the trainer gives them, unless want is nil, and the rest as our simulator does.
func (d Design) writeVectors(s Samples, index []int32, want *model.Scores, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	block := simulator.Block() * 64
	for from := 0; from < len(index); from += block {
		part := index[from:min(from+block, len(index))]
		words := (len(part) + 63) / 64
		x, err := s.gather(&d.Model.Encoder, d.input(), words, part)
		if err != nil {
			return err
		}
		if err := simulator.Settle(words, x); err != nil {
			return err
		}
		v := verilog.Vectors{
			Samples: len(part), Words: words, Inputs: x,
			Outputs: busRows(simulator, d.Product.OutputPorts(), want, part),
			Probes:  busRows(simulator, d.Product.Probes(), want, part),
		}
		if err := verilog.WriteVectors(w, d.Product, v); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// busRows returns the rows of some buses of a simulator after a run on the given samples.
func busRows(s *sim.Simulator, ports []netlist.Port, want *model.Scores, index []int32) []uint64 {
	var rows []uint64
	for _, p := range ports {
		value := trainers(want, p)
		for bit, v := range p.Nets {
			if value == nil {
				rows = append(rows, s.Net(v)...)
				continue
			}
			row := make([]uint64, len(s.Net(v)))
			for k, i := range index {
				row[k/64] |= value(int(i), bit) << (k % 64)
			}
			rows = append(rows, row...)
		}
	}
	return rows
}

// trainers returns what the trainer says the bits of a bus are in each sample, nil where it says
// nothing.
func trainers(want *model.Scores, bus netlist.Port) func(sample, bit int) uint64 {
	if want == nil {
		return nil
	}
	count := func(i, class, bit int) uint64 { return uint64(want.Counts[i*want.Classes+class]) >> bit & 1 }
	switch {
	case bus.Name == "class_index":
		return func(i, bit int) uint64 { return uint64(want.Predicted[i]) >> bit & 1 }
	case bus.Name == netlist.CountsPort && len(bus.Nets) == want.Classes*bus.Word:
		return func(i, bit int) uint64 { return count(i, bit/bus.Word, bit%bus.Word) }
	}
	for c := range want.Classes {
		if bus.Name == fmt.Sprintf("count_%d", c) {
			return func(i, bit int) uint64 { return count(i, c, bit) }
		}
	}
	return nil
}
