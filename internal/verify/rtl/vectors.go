package rtl

import (
	"bufio"
	"os"
	"slices"

	"ialgn/internal/model"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/sim"
)

// writeVectors writes the inputs and expected outputs of the chosen samples. Class counts and class come from
// the trainer (want), unless want is nil. All other values come from our simulator.
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
		in, err := inputRows(d, s, words, part, from)
		if err != nil {
			return err
		}
		if err := simulator.Settle(words, in...); err != nil {
			return err
		}
		v := verilog.Vectors{
			Samples: len(part), Words: words, Inputs: slices.Concat(in...),
			Outputs: verify.BusRows(simulator, d.Product.OutputPorts(), want, d.Margin, part),
			Probes:  verify.BusRows(simulator, d.Product.Probes(), want, d.Margin, part),
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

// inputRows returns the bit rows of each input port of the Verilog, including a tag port, for the samples with the
// given indices. The tag of a sample depends on the sample's place among all samples that are sent. The argument
// place is the place of the first index.
func inputRows(d verify.Design, s verify.Samples, words int, index []int32, place int) ([][]uint64, error) {
	x, err := s.Gather(&d.Model.Encoder, d.Input(), words, index)
	if err != nil || d.Tag == 0 {
		return [][]uint64{x}, err
	}
	return [][]uint64{x, verilog.TagRows(d.Tag, words, place, len(index))}, nil
}
