// Package difflogic reads networks of difflogic from files of torch.save. A file has either a whole module, which
// includes the wiring, or a state dict, which has only weights.
//
// For a state dict, the user gives the wiring in a second file ([ReadWiring]), and the number of classes, tau and the
// number of inputs as facts. All layers become layers of two-input nodes. Their 16 logits are unchanged, so that
// training can continue. The wiring file may be C or Verilog that difflogic generated. Generated code does not name
// an operand on which a gate does not depend. The reader connects such an operand to the same bit as the gate's other
// operand. This changes no output.
//
// If both the file and the user give a value, the two values must agree. The names of classes and attributes come
// from commit ae27185 of Felix-Petersen/difflogic and from its fork vicharak-in/difflogic at 5e21212.
package difflogic

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// These are the names of the classes in a whole model.
const (
	layerClass = "difflogic.difflogic.LogicLayer"
	sumClass   = "difflogic.difflogic.GroupSum"
)

// operations is the number of weights of a gate, one for each operation.
const operations = 16

// Recognise reports whether a value from torch.save is a network of difflogic. Such a value is a model with a
// LogicLayer, or a dictionary whose tensors are weights of shape (gates, 16).
func Recognise(value any) bool {
	switch v := checkpoint.Content(value).(type) {
	case *torchfile.Object:
		return checkpoint.Has(v, layerClass)
	case *torchfile.Dict:
		found := false
		for i, key := range v.Keys {
			t, ok := v.Values[i].(*torchfile.Tensor)
			switch {
			case !isWeights(key) && checkpoint.IsBeside(key, v.Values[i]):
			case !ok || !isWeights(key) || len(t.Shape) != 2 || t.Shape[1] != operations:
				return false
			default:
				found = true
			}
		}
		return found
	}
	return false
}

// isWeights reports whether a key of a state dict names the weights of a LogicLayer.
func isWeights(key any) bool {
	name, ok := key.(string)
	return ok && (name == "weights" || strings.HasSuffix(name, ".weights"))
}

// layer is a layer of the file.
type layer struct {
	name   string // name of the layer's weights
	tensor *torchfile.Tensor
	module *checkpoint.Module // nil in a state dict
	logits []float32
	ops    []uint8 // for each gate, the operation with the largest logit
}

// network holds the state of reading a network.
type network struct {
	src        *given.Source
	layers     []layer
	sum        *checkpoint.Sum
	inputs     int // number of inputs; 0 if not known
	inputsFrom string
	wiring     *Wiring
	graph      *graph.Network
}

// Read returns the network in a value from torch.save. It returns a *[given.Missing] if neither the file nor the user
// gives the wiring, in_dim, group_sum.k or group_sum.tau.
func Read(src *given.Source, value any) (*graph.Network, error) {
	n := &network{src: src, graph: &graph.Network{Format: "difflogic"}, sum: &checkpoint.Sum{}}
	for _, step := range []func() error{
		func() error { return n.content(checkpoint.Content(value)) },
		n.weights, n.widths, n.wire, n.input, n.dense,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	last := n.layers[len(n.layers)-1]
	if err := n.sum.Resolve(src, n.graph, len(last.ops), false); err != nil {
		return nil, err
	}
	return n.graph, nil
}

// content finds the layers and, in a whole model, the group sum.
func (n *network) content(value any) error {
	switch v := value.(type) {
	case *torchfile.Object:
		return n.model(v)
	case *torchfile.Dict:
		for i, key := range v.Keys {
			t, ok := v.Values[i].(*torchfile.Tensor)
			if !isWeights(key) && checkpoint.IsBeside(key, v.Values[i]) {
				continue
			}
			if !ok || !isWeights(key) {
				return checkpoint.Stranger(key, v.Values[i], "difflogic has weights of its layers alone")
			}
			n.layers = append(n.layers, layer{name: key.(string), tensor: t})
		}
	}
	if len(n.layers) == 0 {
		return message.WithHint(fmt.Errorf("no layers of difflogic"),
			"save model.state_dict() of a torch.nn.Sequential of LogicLayer and GroupSum, or the model itself")
	}
	return nil
}

// model finds the modules of a whole model.
func (n *network) model(o *torchfile.Object) error {
	sum, err := checkpoint.Layers(o, layerClass, sumClass, func(m checkpoint.Module) error {
		name := strings.TrimPrefix(m.Name+".weights", ".")
		n.layers = append(n.layers, layer{name: name, tensor: m.Tensor("weights"), module: &m})
		return nil
	})
	n.sum = sum
	return err
}

// weights reads the weights of all layers and selects the operation of each gate.
func (n *network) weights() error {
	tensors := make([]*torchfile.Tensor, len(n.layers))
	for i, l := range n.layers {
		tensors[i] = l.tensor
	}
	if err := checkpoint.Fits(n.src, tensors...); err != nil {
		return err
	}
	for i := range n.layers {
		l := &n.layers[i]
		var err error
		if l.logits, err = checkpoint.Floats(l.name, l.tensor, operations); err != nil {
			return err
		}
		l.ops = make([]uint8, len(l.logits)/operations)
		for g := range l.ops {
			row := l.logits[g*operations : (g+1)*operations]
			for op := range row {
				if row[op] > row[l.ops[g]] {
					l.ops[g] = uint8(op)
				}
			}
		}
	}
	return nil
}

// widths compares the number of gates of each layer with the modules and the facts.
func (n *network) widths() error {
	widths, before := n.gates(), 0
	for i, l := range n.layers {
		if l.module == nil {
			continue
		}
		in, err := l.module.Number("in_dim")
		if err != nil {
			return err
		}
		if out, err := l.module.Number("out_dim"); err != nil || out != widths[i] {
			return fmt.Errorf("out_dim of %s is not the %d of its weights", l.module, widths[i])
		}
		if in == 0 || before != 0 && in != before {
			return fmt.Errorf("in_dim of %s is %d, behind a layer of %d gates", l.module, in, before)
		}
		if before = widths[i]; i == 0 {
			n.inputs, n.inputsFrom = in, "the file itself"
		}
	}
	if said := n.src.Facts.Widths; said != nil && !slices.Equal(said, widths) {
		return checkpoint.Contradiction(n.src, "widths", said, "the file", widths)
	}
	n.graph.Found("layers", fmt.Sprintf("%d of %s", len(widths), list(widths)), "the file itself")
	return nil
}

// gates returns the number of gates of each layer.
func (n *network) gates() []int {
	widths := make([]int, len(n.layers))
	for i, l := range n.layers {
		widths[i] = len(l.ops)
	}
	return widths
}

// list describes the widths of layers.
func list(widths []int) string {
	same := !slices.ContainsFunc(widths, func(w int) bool { return w != widths[0] })
	if same {
		return message.Plural(widths[0], "gate", "gates")
	}
	text := make([]string, len(widths))
	for i, w := range widths {
		text[i] = fmt.Sprint(w)
	}
	return strings.Join(text, ", ") + " gates"
}

// input sets the input of the network.
func (n *network) input() error {
	if n.src.Thresholds == nil {
		n.graph.Input = checkpoint.Bits(n.inputs)
		n.graph.Found("inputs", message.Plural(n.inputs, "bit", "bits"), n.inputsFrom)
		return nil
	}
	var err error
	n.graph.Input, err = checkpoint.Thermometer(n.src, n.inputs)
	n.graph.Found("inputs", fmt.Sprintf("%d bits, by thresholds", n.inputs), n.inputsFrom)
	return err
}

// dense adds the layers to the network.
func (n *network) dense() error {
	for i, l := range n.layers {
		wires := make([][]uint32, 2)
		for pin, operands := range [][]int32{n.wiring.Layers[i].A, n.wiring.Layers[i].B} {
			wires[pin] = make([]uint32, len(operands))
			for g, v := range operands {
				wires[pin][g] = uint32(v)
			}
		}
		n.graph.Dense = append(n.graph.Dense, graph.Dense{
			Width: len(l.ops), Pins: 2, Softmax16: true, Logits: l.logits, Candidates: 1, Wires: wires,
		})
	}
	return nil
}
