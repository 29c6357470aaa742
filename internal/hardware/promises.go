package hardware

import (
	"fmt"
	"slices"

	"ialgn/internal/counts"
	"ialgn/internal/hardware/pipeline"
	"ialgn/netlist"
)

// fits returns an error for the first function that has more inputs than a LUT.
func (o Options) fits(n *netlist.Netlist) error {
	for c := range netlist.Cell(n.Cells()) {
		if in := len(n.Inputs(c)); n.Kind(c) == netlist.Function && in > o.K {
			return fmt.Errorf("function cell %d has %d inputs, a LUT has %d", c, in, o.K)
		}
	}
	return nil
}

// noComparisons returns an error for the first comparison.
func noComparisons(n *netlist.Netlist) error {
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == netlist.Compare {
			return fmt.Errorf("cell %d is a comparison", c)
		}
	}
	return nil
}

// lowered returns an error for the first cell that must not occur in a design, or for the first class count that the
// hint does not prove. Only LUTs, registers and, on a target with carries, carries may occur in a design.
func (o Options) lowered(n *netlist.Netlist, h *counts.Hint) error {
	kinds := []netlist.Kind{netlist.Function, netlist.Register}
	if o.Target.OrGeneric().Carry {
		kinds = append(kinds, netlist.Carry)
	}
	for c := range netlist.Cell(n.Cells()) {
		if k := n.Kind(c); !slices.Contains(kinds, k) {
			return fmt.Errorf("cell %d is a %v", c, k)
		}
	}
	wires, to, err := netlist.Transparent(n)
	if err != nil {
		return err
	}
	for i, c := range h.Map(to).Counts {
		if err := counts.Prove(wires, &c); err != nil {
			return fmt.Errorf("count %d: %w", i, err)
		}
	}
	return nil
}

// inStages returns an error unless each path of the netlist has the number of registers that the report states.
func inStages(n *netlist.Netlist, r *pipeline.Report) error {
	p, err := n.Pipeline()
	if err != nil {
		return err
	}
	stages := 0
	if p != nil {
		stages = p.Stages
	}
	if stages != r.Stages {
		return fmt.Errorf("%d registers on each path, the report says %d", stages, r.Stages)
	}
	return nil
}
