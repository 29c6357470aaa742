package model

import "fmt"

// Step is a recurrent network that is divided into two networks. Each input bit of these networks is a feature of one
// bit.
type Step struct {
	Steps int     // number of steps of a sequence
	Core  *Frozen // reads the input bits of a step, then the state; its last layer is the next state
	Head  *Frozen // reads the state after the last step; its bits are counted by class
}

// Step divides the network into two networks. It returns an error if the network is not recurrent.
func (c *Compact) Step() (*Step, error) {
	if c.Steps == 0 {
		return nil, fmt.Errorf("model %q is not recurrent", c.Name)
	}
	inputs := c.Encoder.Inputs() / c.Steps
	core := &Frozen{Name: c.Name + ", a step", Classes: []string{"of the whole state"}, Width: c.Width}
	var names []string
	for i := range inputs {
		names = append(names, fmt.Sprintf("input bit %d", i))
	}
	for i := range c.Width {
		names = append(names, fmt.Sprintf("state bit %d", i))
	}
	core.Encoder = bitEncoder(names)
	for l := range c.Layers {
		layer := c.Layers[l].clone()
		for k := range layer.Pins {
			if p := &layer.Pins[k]; l == 0 && p.Source == Previous {
				p.Source = Input
				for i := range p.Index {
					p.Index[i] += uint32(inputs)
				}
			}
		}
		core.Layers = append(core.Layers, layer)
	}
	head := &Frozen{
		Name: c.Name + ", head", Classes: c.Classes, Width: c.Width, Encoder: bitEncoder(names[inputs:]),
		Offsets: c.Offsets, Ties: c.Ties,
	}
	counted := passing(c.Width).FrozenLayer
	counted.Pins[0].Source = Input
	head.Layers = []FrozenLayer{counted}
	if err := core.Validate(); err != nil {
		return nil, err
	}
	return &Step{c.Steps, core, head}, head.Validate()
}
