package netlist

import (
	"fmt"
	"slices"
)

// These are the ports that [WithTag] adds.
const (
	TagInPort  = "in_tag"
	TagOutPort = "out_tag"
)

// MaxTag is the maximum number of bits in a tag.
const MaxTag = 64

// WithTag returns n with a tag that travels with each sample. It adds an input port in_tag and an output port out_tag
// after the other ports. The two ports are connected by one register for each bit and each pipeline stage. The second
// result maps nets of n to nets of the new netlist. If bits is 0, WithTag returns n itself.
//
// Requires: a valid netlist that is a pipeline or has no registers.
// Ensures:  the cells of n keep their numbers and do not read the tag.
// Cost:     one walk over the cells, and a register for each bit and stage.
//
// WithTag returns an error if bits is not a valid width, if n already has a port with one of these names, or if
// [Netlist.Pipeline] returns an error.
func WithTag(n *Netlist, bits int) (*Netlist, func(Net) Net, error) {
	if bits == 0 {
		return n, func(v Net) Net { return v }, nil
	}
	if bits < 0 || bits > MaxTag {
		return nil, nil, fmt.Errorf("a tag of %d bits: give 1 to %d", bits, MaxTag)
	}
	for _, ports := range [][]Port{n.inputs, n.outputs, n.probes} {
		for _, p := range ports {
			if p.Name == TagInPort || p.Name == TagOutPort {
				return nil, nil, fmt.Errorf("netlist %q has a port %s, which is the tag's", shorten(n.Name), p.Name)
			}
		}
	}
	p, err := n.Pipeline()
	if err != nil {
		return nil, nil, err
	}
	c := NewCopier(n)
	tag := slices.Clone(c.Input(TagInPort, bits, bits, []string{"tag of the sample"}))
	for i := range Cell(n.Cells()) {
		c.Copy(i)
	}
	if p != nil {
		enable := c.To(n.inputs[p.Enable].Nets[0])
		for range p.Stages {
			for i, v := range tag {
				tag[i] = c.Cell(Register, 0, Origin{}, v, enable)
			}
		}
	}
	with := c.Finish()
	with.outputs = append(with.outputs, Port{TagOutPort, bits, []string{"tag of the result's sample"}, tag})
	return with, c.To, nil
}
