package dwn

import (
	"fmt"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// input sets how features become the bits that the first layer reads.
func (n *network) input() error {
	width, from, err := n.inputs()
	if err != nil {
		return err
	}
	switch {
	case n.src.Thresholds != nil:
		if n.graph.Input, err = checkpoint.Thermometer(n.src, width); err != nil {
			return err
		}
		from = "the thresholds"
		if n.held != nil {
			from = fmt.Sprintf("%q of the file", n.held.name)
		}
		n.graph.Found("inputs", fmt.Sprintf("%d features of %d thresholds", n.graph.Input.Features(),
			n.graph.Input.PerFeature()), from)
		return nil
	case !n.src.Facts.Thermometer.None:
		why := "the file holds none of a thermometer"
		if n.other != "" {
			why = "the file holds none that fit: " + n.other
		}
		return &given.Missing{
			What: "thresholds", Why: why + "; a network that is given bits has none, which facts say by thermometer: none",
		}
	case width == 0:
		return &given.Missing{What: "in_dim", Why: "a fixed mapping does not say how many bits there are"}
	}
	n.graph.Input = checkpoint.Bits(width)
	n.graph.Found("inputs", message.Plural(width, "bit", "bits"), from)
	return nil
}

// maxInputs is greater than the number of bits that any network reads.
const maxInputs = 1 << 30

// inputs returns the number of bits that the first layer reads, or 0 if neither the file nor the facts give it.
func (n *network) inputs() (width int, from string, err error) {
	first := n.layers[0]
	width, _, _, err = first.shape()
	if err != nil {
		return 0, "", err
	}
	from = "the file itself"
	if width == 0 && first.module != nil {
		if width, err = first.module.Number("input_size"); err != nil {
			return 0, "", err
		}
	}
	said := []*int{&n.src.Facts.InDim, nil}
	if layers := n.src.Facts.Layers; layers != nil {
		said[1] = layers[0].Inputs
	}
	for i, key := range []string{"in_dim", "layers[0].inputs"} {
		switch v := said[i]; {
		case v == nil || *v == 0:
		case *v < 0 || *v > maxInputs:
			return 0, "", fmt.Errorf("%s is %d", key, *v)
		case width != 0 && width != *v:
			return 0, "", checkpoint.Contradiction(n.src, key, *v, "the first layer", width)
		case width == 0:
			width, from = *v, n.src.Said()
		}
	}
	return width, from, nil
}

// dense adds the layers to the network.
func (n *network) dense() error {
	var tensors []*torchfile.Tensor
	for _, l := range n.layers {
		tensors = append(tensors, l.tensors[luts], l.tensors[fixed], l.tensors[learnable])
	}
	if err := checkpoint.Fits(n.src, tensors...); err != nil {
		return err
	}
	before := n.graph.Input.Bits()
	for i, l := range n.layers {
		outputs, pins, err := n.follows(i, before)
		if err != nil {
			return err
		}
		d := graph.Dense{Width: outputs, Pins: pins, Candidates: 1}
		if d.Logits, err = checkpoint.Floats(l.key(luts), l.tensors[luts], 0); err != nil {
			return err
		}
		if l.tensors[learnable] != nil {
			err = l.candidates(&d, before)
		} else {
			err = l.wires(&d, before)
		}
		if err != nil {
			return err
		}
		n.graph.Dense = append(n.graph.Dense, d)
		n.graph.Found("layer "+l.name, fmt.Sprintf("%s of %s, %s mapping", message.Plural(outputs, "table", "tables"),
			message.Plural(pins, "pin", "pins"), l.kind()), "the file itself")
		before = outputs
	}
	return nil
}

// follows returns the number of tables of layer i, and the number of pins of each table. It returns an error if the
// layer reads a different number of bits than the layer before has.
func (n *network) follows(i, before int) (outputs, pins int, err error) {
	l := n.layers[i]
	inputs, outputs, pins, err := l.shape()
	if err != nil {
		return 0, 0, err
	}
	if l.module != nil {
		if inputs, err = l.module.Number("input_size"); err != nil {
			return 0, 0, err
		}
	}
	if facts := n.src.Facts.Layers; inputs == 0 && facts != nil && facts[i].Inputs != nil {
		inputs = *facts[i].Inputs
	}
	if inputs != 0 && inputs != before {
		return 0, 0, fmt.Errorf("layer %s reads %d bits, where there are %d before it", l.name, inputs, before)
	}
	return outputs, pins, nil
}

// wires sets the wires of a layer with a fixed mapping. The first column of the mapping is the last pin.
func (l *layer) wires(d *graph.Dense, before int) error {
	mapping, err := l.tensors[fixed].Int64()
	if err != nil {
		return fmt.Errorf("%s: %w", l.key(fixed), err)
	}
	d.Wires = make([][]uint32, d.Pins)
	for pin := range d.Wires {
		d.Wires[pin] = make([]uint32, d.Width)
	}
	for i, v := range mapping {
		node, column := i/d.Pins, i%d.Pins
		if v < 0 || v >= int64(before) {
			return fmt.Errorf("%s: element [%d][%d] is bit %d, where there are %d before the layer", l.key(fixed), node,
				column, v, before)
		}
		d.Wires[d.Pins-1-column][node] = uint32(v)
	}
	return nil
}

// candidates sets the candidates of a layer with a learnable mapping. The tensor of weights has a row for each bit of
// the layer before. Its columns are ordered by table and, within a table, by pin. The first column of a table is the
// last pin in the graph. All pins share one slice of candidates.
func (l *layer) candidates(d *graph.Dense, before int) error {
	weights, err := checkpoint.Floats(l.key(learnable), l.tensors[learnable], d.Width*d.Pins)
	if err != nil {
		return err
	}
	d.Candidates = before
	d.Wires, d.Choice = make([][]uint32, d.Pins), make([][]float32, d.Pins)
	wires := make([]uint32, d.Width*before)
	for i := range wires {
		wires[i] = uint32(i % before)
	}
	for pin := range d.Pins {
		d.Wires[pin], d.Choice[pin] = wires, make([]float32, d.Width*before)
		for node := range d.Width {
			column := node*d.Pins + d.Pins - 1 - pin
			for c := range before {
				d.Choice[pin][node*before+c] = weights[c*d.Width*d.Pins+column]
			}
		}
	}
	if before == 1 {
		d.Choice = nil
	}
	return nil
}
