package topology

import "fmt"

// Recurrent is the topology of layers that are evaluated at each step of a sequence.
const Recurrent = "recurrent"

// MaxSteps is the largest number of steps of a sequence.
const MaxSteps = 1024

// recurs reports whether the network has a state.
func (k *Keys) recurs() bool { return k.Topology == Recurrent }

// Copies returns how often each layer occurs in the frozen network. In a recurrent network, it occurs once for each
// step of a sequence.
func (k *Keys) Copies() int {
	if k.recurs() {
		return max(k.Steps, 1)
	}
	return 1
}

// completeRecurrent sets the default of anchors to 1, because a step has few input bits. With 1, a pin has no choice.
func (k *Keys) completeRecurrent(given func(key string) bool) {
	if standard := Default(); k.Anchors == standard.Anchors && !given("anchors") {
		k.Anchors = 1
	}
}

// recurrent returns the layers of a step. In the first layer, pins with even numbers read the state, which is the
// last layer of the step before. Pins with odd numbers read input bits of the step. Pin A of a node reads the node in
// the same column, so that a bit can pass through the layers and from step to step. In a delay line, pin A reads
// another column ([LineWire]). Other pins have drawn wires, or choose their sources. At the start, some nodes of the
// first layer pass on the input bit that they read ([takes]), so that the state depends on the input.
func recurrent(k *Keys) []Layer {
	widths, _ := k.LayerWidths() // no error, because the keys were checked
	all := hiddenLayers(k, widths, 0)
	for l := range all {
		layer := &all[l]
		layer.Pins[0].K, layer.Pins[0].Wires, layer.Passed = 1, Column, []int{0}
		if l > 0 {
			continue
		}
		inputs := inputPins(k)
		for i := 1; i < len(inputs); i += 2 {
			layer.Pins[i] = inputs[i]
		}
		layer.Taken = []int{1}
		layer.Pins[0].Wires = Line
	}
	return all
}

// checkRecurrent checks the keys that only the topology recurrent has.
func checkRecurrent(k *Keys) *Fault {
	switch {
	case k.Steps < 1:
		return &Fault{
			"steps", "missing, and this data set does not give the number of steps",
			"give the number of steps; each step reads an equal share of the features",
		}
	case k.Inputs < 2:
		return &Fault{"inputs", "1 pin per node, but a node reads state and input", "use 2 or more"}
	case k.Wiring == Spread:
		return &Fault{
			"wiring", k.Wiring + " is not possible for pin A, which reads its own column", "use random or balanced",
		}
	}
	if fault := k.checkWidths("100,100"); fault != nil {
		return fault
	}
	if layers := k.Depth; layers > MaxDepth/k.Steps {
		return &Fault{
			"steps", fmt.Sprintf("%d steps of %d layers give more than %d layers", k.Steps, layers, MaxDepth),
			"use fewer steps or layers",
		}
	}
	if k.Hidden == 1 || k.Inputs > 2 || k.Depth > 1 {
		return nil
	}
	return &Fault{
		"hidden", fmt.Sprintf("%d, but in a single layer no pin reads other nodes", k.Hidden),
		"use 1, or more layers",
	}
}

// checkSteps checks that a sample's features can be split into the steps.
func (k *Keys) checkSteps(features int) *Fault {
	if features%k.Steps == 0 {
		return nil
	}
	return &Fault{
		"steps", fmt.Sprintf("the %d features of a sample cannot be split into %d steps", features, k.Steps),
		"give a number of steps that divides the features",
	}
}

// PassedBy returns the pins that a node passes on at the start.
func (l *Layer) PassedBy(node int) []int {
	if l.Taken != nil && takes(node) {
		return l.Taken
	}
	return l.Passed
}

// delayLine is the number of nodes in a delay line of the first layer. A delay line takes every second column of
// 2*delayLine columns. Even before training, delay lines hold input bits of the last steps, so that gradients reach
// these steps undamped. Without delay lines, a state of zeros stays zero. With seed 1, delay lines raise the test
// accuracy for copying over 16 steps from 24 to 57 % (estimator ste). For digits that are read row by row, they raise
// it from 29 to 75 % (estimator soft).
const delayLine = 16

// takes reports whether a node of the first layer passes on an input bit at the start. These nodes are every second
// node with an odd number, and the first node of each delay line.
func takes(node int) bool { return node%4 == 1 || node%(2*delayLine) == 0 }

// LineWire returns the number of the node in the state that a node reads with a pin whose wires are [Line]. Node 0
// and nodes with an odd number read their own column. Other nodes with an even number are in a delay line and read
// the column with a number that is lower by two. state is the number of nodes in the state.
func LineWire(node, state int) int {
	if node %= state; node%2 == 0 && node > 0 {
		return node - 2
	}
	return node
}
