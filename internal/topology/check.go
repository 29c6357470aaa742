package topology

import (
	"fmt"
	"reflect"
	"slices"

	"ialgn/internal/message"
)

// MaxWidth is the largest number of nodes in a layer. MaxDepth is the largest number of layers that a netlist can
// name ([ialgn/netlist.MaxLayers]). maxNodes limits the number of nodes in all layers together, without head and
// encoder. A larger network could be trained, but perhaps not compiled.
const (
	MaxWidth = 1 << 24
	MaxDepth = 1<<16 - 1
	maxNodes = 3 << 29
)

// maxSections limits the depth of networks whose layers are listed one by one in the header of the model file. This
// applies to all networks except private chains.
const maxSections = 8192

// maxHidden limits the number of hidden candidates of all nodes in a layer, because training numbers these candidates
// with 32 bits.
const maxHidden = 1<<32 - 1

// Fault says why a network is impossible.
type Fault struct {
	Key     string // the faulty key, without its section
	Problem string
	Remedy  string
}

// specialKey is a key that some topologies have. All other topologies refuse the key.
type specialKey struct {
	key     string
	at      func(k *Keys) any // pointer to the key's value, an int or a string; other topologies require the default
	problem string            // format of a message with the value and the topology
	remedy  string            // advice; the names of the topologies that have the key are appended
}

// These are formats of messages about values that most topologies do not have.
const (
	noNumber = "%d, but topology %s does not have this key"
	noText   = "%.40q, but topology %s does not have this key"
	leaveOut = "omit it, or use"
)

// special lists all special keys.
var special = append(specialLists(), []specialKey{
	{"channels", func(k *Keys) any { return &k.Channels }, noNumber, leaveOut},
	{"chains", func(k *Keys) any { return &k.Chains }, noNumber, leaveOut},
	{"anchored", func(k *Keys) any { return &k.Anchored }, noNumber, leaveOut},
	{"patch_hidden", func(k *Keys) any { return &k.PatchHidden }, noNumber, leaveOut},
	{
		"hidden", func(k *Keys) any { return &k.Hidden },
		"%d hidden candidates, but a gate of topology %s does not choose its wires", "use 1, or",
	},
	{
		"wiring", func(k *Keys) any { return &k.Wiring }, "%s is for random wires, but topology %s does not draw wires",
		"use random, or",
	},
	{"inputs", func(k *Keys) any { return &k.Inputs }, "%d pins per node, but nodes of topology %s have two", "use 2, or"},
	{"leaves", func(k *Keys) any { return &k.Leaves }, "%d leaves, but nodes of topology %s have no leaves", leaveOut},
	{"widths", func(k *Keys) any { return &k.Widths }, "%.40q, but all layers of topology %s have one width", leaveOut},
	{"steps", func(k *Keys) any { return &k.Steps }, noNumber, leaveOut},
}...)

// of returns the value of the key.
func (s *specialKey) of(k *Keys) reflect.Value { return reflect.ValueOf(s.at(k)).Elem() }

// fault returns a fault which says that the network's topology does not have the key.
func (s *specialKey) fault(k *Keys) *Fault {
	var with []string
	for i := range rows {
		if slices.Contains(rows[i].Keys, s.key) {
			with = append(with, rows[i].Name)
		}
	}
	return &Fault{
		s.key, fmt.Sprintf(s.problem, s.of(k), k.Topology),
		fmt.Sprintf("%s topology: %s", s.remedy, message.Or(with)),
	}
}

// Check returns the reason why the network is impossible, or nil if it is possible. All keys must be within their
// ranges.
func (k *Keys) Check() *Fault {
	row, standard := k.Row(), Default()
	for i := range special {
		if s := &special[i]; !slices.Contains(row.Keys, s.key) && !s.of(k).Equal(s.of(&standard)) {
			return s.fault(k)
		}
	}
	if k.Inputs != 2 && k.Parametrization != Light {
		return &Fault{
			"parametrization", fmt.Sprintf("%s is for nodes with two pins, but these nodes have %d", k.Parametrization,
				k.Inputs),
			"use light, or model.inputs: 2",
		}
	}
	if row.check != nil {
		if fault := row.check(k); fault != nil {
			return fault
		}
	}
	return k.checkSize()
}

// checkSize refuses networks that are too large for model files or netlists.
func (k *Keys) checkSize() *Fault {
	sections, nodes := 0, 0
	layers := k.Layers()
	for i := range layers {
		layer := &layers[i]
		if nodes += layer.Nodes() * k.Copies(); nodes > maxNodes {
			return k.tooLarge()
		}
		sections++
		for j := range layer.Pins {
			if fault := k.checkHidden(layers, i, &layer.Pins[j]); fault != nil {
				return fault
			}
		}
	}
	if sections > maxSections {
		return &Fault{
			"depth", fmt.Sprintf("%d layers, but a network without private chains can have at most %d", k.Depth, maxSections),
			"use fewer layers, or private chains: topology ialgn with hidden: 1",
		}
	}
	return nil
}

func (k *Keys) tooLarge() *Fault {
	return &Fault{
		"width", fmt.Sprintf("%d x %d gates, but at most %d can be compiled", k.Width, k.Depth, maxNodes),
		"use a smaller model.width or model.depth",
	}
}

// checkHidden refuses a pin if it has more candidates than the layer before has nodes, or too many candidates to
// number them.
func (k *Keys) checkHidden(layers []Layer, i int, p *Pin) *Fault {
	l := &layers[i]
	if p.Source != Previous || p.K == 1 || l.Grid != nil {
		return nil
	}
	key, which := "hidden", "hidden "
	if k.Chains > 0 {
		key, which = "anchors", "" // chains choose among the outputs of the last convolution
	}
	before := k.before(layers, i)
	of, more, less := "the %d gates of a layer", "a larger model.width", "a smaller model.width"
	if k.Widths != "" {
		more, less = "more nodes in model.widths", "fewer in model.widths"
	}
	if k.Chains > 0 {
		of, more = "the %d bits of the last convolution", "more kernels, or less pooling"
	}
	switch {
	case p.K > before:
		return &Fault{
			key, fmt.Sprintf("%d different candidates cannot be drawn from "+of, p.K, before),
			fmt.Sprintf("use at most %d, or %s", before, more),
		}
	case l.Width*p.K > maxHidden:
		return &Fault{
			key, fmt.Sprintf("a layer of %d gates with %d %scandidates each has more than %d candidates", l.Width, p.K,
				which, maxHidden),
			fmt.Sprintf("use at most %d, or %s", maxHidden/l.Width, less),
		}
	}
	return nil
}

// CheckData returns the reason why the network does not fit a data set, or nil. The arguments classes and features
// are the numbers of the data set's classes and features. The argument inputs is the number of input bits of all
// features together.
func (k *Keys) CheckData(classes, features, inputs int) *Fault {
	if k.convolves() {
		if fault := k.checkImage(features, inputs); fault != nil {
			return fault
		}
		return k.checkSpread(classes, features)
	}
	if k.recurs() {
		if fault := k.checkSteps(features); fault != nil {
			return fault
		}
		features, inputs = features/k.Steps, inputs/k.Steps
	}
	for _, layer := range k.Layers() {
		for _, p := range layer.Pins {
			if p.Source == Input && p.K > inputs {
				return &Fault{
					"anchors", fmt.Sprintf("%d different candidates cannot be drawn from %d input bits", p.K, inputs),
					fmt.Sprintf("use at most %d, or a larger encoder.bits", inputs),
				}
			}
		}
	}
	return k.checkSpread(classes, features)
}

// checkSpread checks that structured wires can combine two different features, or two different nodes, at each
// node.
func (k *Keys) checkSpread(classes, features int) *Fault {
	if k.Wiring != Spread {
		return nil
	}
	layers := k.Layers()
	for i, layer := range layers {
		for _, p := range layer.Pins {
			sources := features
			switch p.Wires {
			case StructuredClass:
				sources = layer.Width / classes
			case Structured:
			default:
				continue
			}
			if p.Source == Previous && p.Wires == Structured {
				sources = k.before(layers, i)
			}
			if sources < 2 {
				return &Fault{
					"wiring",
					fmt.Sprintf("structured wires of layer %d combine two different sources, but there is only %d", i+1, sources),
					"use random or balanced, or a larger model.width",
				}
			}
		}
	}
	return nil
}

// before returns the number of bits that leave the layer before layer i. For the first layer of a recurrent network,
// these are the bits of the state.
func (k *Keys) before(layers []Layer, i int) int {
	return layers[(i+len(layers)-1)%len(layers)].Outputs()
}

// checkTree checks the keys that only trees have.
func checkTree(k *Keys) *Fault {
	switch {
	case k.Leaves < 1 || k.Leaves > k.Inputs:
		return &Fault{
			"leaves", fmt.Sprintf("%d leaves of a node with %d pins", k.Leaves, k.Inputs),
			fmt.Sprintf("give 1 to %d, the number of pins that read a node of the level below", k.Inputs),
		}
	case k.Depth < 2:
		return &Fault{"depth", "a tree of one level", "use 2 levels or more, or topology: ialgn with depth: 1"}
	}
	width := k.Width
	for range k.Depth - 1 {
		if width *= k.Leaves; width > MaxWidth {
			return &Fault{
				"depth", fmt.Sprintf("the lowest of %d levels would have more than %d nodes", k.Depth, MaxWidth),
				"use a smaller model.depth, model.leaves or model.width",
			}
		}
	}
	return nil
}

// checkLayered checks the keys that only the topology layered has.
func checkLayered(k *Keys) *Fault { return k.checkWidths("2000,1000") }

// checkWidths checks the keys of layers with given widths. example is a value for the key widths that the advice
// shows.
func (k *Keys) checkWidths(example string) *Fault {
	widths, err := k.LayerWidths()
	switch {
	case err != nil:
		return &Fault{"widths", err.Error(), "give the nodes of each layer, for example " + example}
	case len(widths) == 0:
		return &Fault{
			"widths", fmt.Sprintf("missing, but topology %s needs it", k.Topology),
			"give the nodes of each layer, for example " + example,
		}
	case len(widths) != k.Depth:
		return &Fault{
			"depth", fmt.Sprintf("%d, but model.widths names %d layers", k.Depth, len(widths)), "omit it",
		}
	case widths[len(widths)-1] != k.Width:
		return &Fault{
			"width", fmt.Sprintf("%d, but model.widths ends with %d", k.Width, widths[len(widths)-1]), "omit it",
		}
	}
	return k.checkWires()
}

// checkWires checks how the nodes get their wires.
func (k *Keys) checkWires() *Fault {
	switch {
	case k.Hidden > 1 && k.Wiring != Random:
		return &Fault{
			"wiring", k.Wiring + " is for random wires, but with model.hidden the nodes choose their wires",
			"use random, or model.hidden: 1",
		}
	case k.Inputs != 2 && k.Wiring == Spread:
		return &Fault{
			"wiring", fmt.Sprintf("structured is for nodes with two pins, but these nodes have %d", k.Inputs),
			"use balanced, or model.inputs: 2",
		}
	}
	return nil
}
