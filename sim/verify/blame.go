package verify

import (
	"context"

	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer/model"
)

// blame finds the first cell of the optimised netlist that does not compute the gate
// it came from, and adds its layer and gate to the mismatches of that netlist.
//
// A pass may complement a cell but keeps its origin, so a cell computes its gate's
// bit in all samples or its complement in all. Where every cell does, the fault lies
// in the wiring of the head or in an output, and no gate is named.
func (d Design) blame(ctx context.Context, s Samples, r *SoftwareResult) error {
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	relation := make([]uint8, d.Product.Cells()) // bit 0: equal somewhere; bit 1: unequal somewhere
	first := -1
	for from := 0; from < r.Checked; from += 64 {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := min(from+64, r.Checked)
		if err := d.relate(simulator, s, from, to, relation); err != nil {
			return err
		}
	}
	for c, rel := range relation {
		if rel == 3 {
			first = c
			break
		}
	}
	if first < 0 {
		return nil
	}
	o := d.Product.Origin(netlist.Cell(first))
	for i := range r.First {
		if m := &r.First[i]; m.Layer == 0 {
			m.Layer, m.Gate = int(o.Layer), int(o.Chain)
		}
	}
	return nil
}

// relate notes for each cell with an origin whether it equals its gate's bit.
func (d Design) relate(simulator *sim.Simulator, s Samples, from, to int, relation []uint8) error {
	if err := d.runBlock(simulator, s, 1, from, to); err != nil {
		return err
	}
	x, err := s.rows(&d.Model.Encoder, d.Model.Inputs(), 1, from, to)
	if err != nil {
		return err
	}
	bits := make([][]uint64, d.Model.Depth())
	model.NewEvaluator(d.Model).Run(x, 1, func(layer int, h []uint64) { bits[layer] = append([]uint64(nil), h...) })
	all := valid(to - from)
	for c := range netlist.Cell(d.Product.Cells()) {
		o := d.Product.Origin(c)
		if o.Layer == 0 || d.Product.Kind(c) != netlist.Function || int(o.Layer) > len(bits) || int(o.Chain) >= d.Model.Width {
			continue
		}
		diff := (simulator.Net(d.Product.Output(c))[0] ^ bits[o.Layer-1][o.Chain]) & all
		if diff != 0 {
			relation[c] |= 2
		}
		if diff != all {
			relation[c] |= 1
		}
	}
	return nil
}
