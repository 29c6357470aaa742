package topology

import "ialgn/internal/draw"

// anchored returns the layers of input-anchored chains. Pin A of a node reads the node before it in its chain, or
// chooses among nodes of the layer before. The other pins choose among inputs.
func anchored(k *Keys) []Layer {
	first := Layer{Layers: 1, Width: k.Width, Pins: inputPins(k), Passed: passedFirst(k)}
	if k.FirstPin != Relaxed {
		first.Pins[0].K = 1
	}
	rest := Layer{First: 1, Layers: 1, Width: k.Width, Pins: inputPins(k), Passed: []int{0}}
	rest.Pins[0] = Pin{Source: Spine, K: 1}
	if k.Hidden > 1 {
		rest.Pins[0] = Pin{
			Source: Previous, K: k.Hidden, Wires: Chosen, WireDraws: draw.HiddenWires, LogitDraws: draw.HiddenLogits,
		}
		return repeat(first, rest, k.Depth)
	}
	if rest.Layers = k.Depth - 1; rest.Layers == 0 {
		return []Layer{first}
	}
	return []Layer{first, rest}
}

// repeat returns a list with depth elements. It consists of the layer first, followed by copies of the layer rest.
func repeat(first, rest Layer, depth int) []Layer {
	all := []Layer{first}
	for l := 1; l < depth; l++ {
		rest.First = l
		all = append(all, rest)
	}
	return all
}

// passedFirst returns the pins that nodes of the first layer pass on at the start. For a gate, this is pin A. A table
// passes no pin on, because none of its pins can represent all others.
func passedFirst(k *Keys) []int {
	if k.Inputs == 2 {
		return []int{0}
	}
	return nil
}

// inputPins returns pins for nodes that choose the sources of all pins.
func inputPins(k *Keys) []Pin {
	pins := make([]Pin, k.Inputs)
	for i := range pins {
		pins[i] = Pin{Source: Input, K: k.Anchors, Wires: Chosen}
		switch i {
		case 0:
			pins[i].WireDraws, pins[i].LogitDraws = draw.FirstWires, draw.FirstLogits
		case 1:
			pins[i].WireDraws, pins[i].LogitDraws = draw.AnchorWires, draw.AnchorLogits
		default:
			pins[i].WireDraws, pins[i].LogitDraws = draw.PinWires(i), draw.PinLogits(i)
		}
	}
	return pins
}

// randomWired returns a function for the layers of a network of gates with drawn wires. If spine is set, pin A reads
// a spine. If classWise is set, wires after layer 1 stay within a class.
func randomWired(spine, classWise bool) func(k *Keys) []Layer {
	return func(k *Keys) []Layer {
		first := Layer{Layers: 1, Width: k.Width, Pins: drawnPins(Input, drawn(k, false)), Passed: []int{0}}
		rest := Layer{Layers: 1, Width: k.Width, Pins: drawnPins(Previous, drawn(k, classWise)), Passed: []int{0}}
		if spine {
			rest.Pins[0] = Pin{Source: Spine, K: 1}
		}
		return repeat(first, rest, k.Depth)
	}
}

// drawn returns the way in which wires are drawn.
func drawn(k *Keys, classWise bool) Wires {
	switch even := k.Wiring == Balanced; {
	case k.Wiring == Spread && classWise:
		return StructuredClass
	case k.Wiring == Spread:
		return Structured
	case even && classWise:
		return EvenClass
	case even:
		return Even
	case classWise:
		return ClassWise
	}
	return Drawn
}

// drawnPins returns the two pins of gates with drawn wires.
func drawnPins(source Source, wires Wires) []Pin {
	return []Pin{
		{Source: source, K: 1, Wires: wires, WireDraws: draw.RandomWireA},
		{Source: source, K: 1, Wires: wires, WireDraws: draw.RandomWireB},
	}
}

// trees returns the levels of trees. The lowest nodes choose inputs with all pins. Nodes of higher levels read their
// leaves with the first pins, and choose inputs with the other pins.
func trees(k *Keys) []Layer {
	all := make([]Layer, k.Depth)
	width := k.Width
	for l := k.Depth - 1; l >= 0; l-- {
		layer := Layer{First: l, Layers: 1, Width: width, Pins: inputPins(k)}
		for i := range k.Leaves {
			if l > 0 {
				layer.Pins[i] = Pin{Source: Previous, K: 1, Wires: Leaves, Leaf: Leaf{k.Leaves, i}}
				layer.Passed = append(layer.Passed, i)
			}
		}
		all[l], width = layer, width*k.Leaves
	}
	return all
}

// layered returns layers of given widths. Nodes of the first layer choose among inputs. Nodes of the other layers
// choose among nodes of the layer before, or have drawn wires.
func layered(k *Keys) []Layer {
	widths, _ := k.LayerWidths() // no error, because the keys were checked
	first := Layer{Layers: 1, Width: widths[0], Pins: inputPins(k), Passed: passedFirst(k)}
	return append([]Layer{first}, hiddenLayers(k, widths[1:], 1)...)
}

// hiddenLayers returns layers of given widths. Their nodes choose among nodes of the layer before, or have drawn
// wires. The argument first is the number of the first of these layers in the network.
func hiddenLayers(k *Keys, widths []int, first int) (all []Layer) {
	for l, width := range widths {
		layer := Layer{First: first + l, Layers: 1, Width: width, Pins: inputPins(k), Passed: passedFirst(k)}
		for i := range layer.Pins {
			p := &layer.Pins[i]
			if p.Source, p.K = Previous, k.Hidden; k.Hidden == 1 {
				p.Wires = drawn(k, false)
			}
			if k.Inputs != 2 {
				layer.Passed = append(layer.Passed, i)
			}
		}
		all = append(all, layer)
	}
	return all
}
