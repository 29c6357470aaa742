package rtl

import (
	"bufio"
	"os"

	"ialgn/backend/verilog"
	"ialgn/sim"
	"ialgn/sim/verify"
	"ialgn/sim/verify/expected"
	"ialgn/trainer/model"
)

// writeVectors writes stimulus and expectation of the chosen samples: class counts and class
// as the trainer gives them, unless want is nil, and the rest as our simulator does.
func writeVectors(d verify.Design, s verify.Samples, index []int32, want *model.Scores, path string) error {
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
		x, err := s.Gather(&d.Model.Encoder, d.Input(), words, part)
		if err != nil {
			return err
		}
		if err := simulator.Settle(words, x); err != nil {
			return err
		}
		v := verilog.Vectors{
			Samples: len(part), Words: words, Inputs: x,
			Outputs: expected.BusRows(simulator, d.Product.OutputPorts(), want, part),
			Probes:  expected.BusRows(simulator, d.Product.Probes(), want, part),
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
