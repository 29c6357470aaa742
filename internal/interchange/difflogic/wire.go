package difflogic

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// whyNoWiring says why a state dict has no wiring.
const whyNoWiring = "a state dict of difflogic holds the weights alone; the generated C or Verilog and the whole " +
	"model have the wiring"

// wire finds the wiring and the number of inputs in the modules and in the user's file. If both sources give a value,
// the two values must agree. An operand that one source does not name is taken from the other source.
func (n *network) wire() error {
	ops := make([][]uint8, len(n.layers))
	for i, l := range n.layers {
		ops[i] = l.ops
	}
	for _, from := range []func([][]uint8) (*Wiring, string, error){n.ofModules, n.ofText} {
		w, name, err := from(ops)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		if err := n.take(w, name); err != nil {
			return err
		}
	}
	if n.wiring == nil {
		return &given.Missing{What: "wiring", Why: whyNoWiring}
	}
	if err := n.inDim(); err != nil {
		return err
	}
	filled, err := n.wiring.Complete(n.inputs, ops)
	if err != nil {
		return err
	}
	if filled > 0 {
		n.graph.Found("operands without a name", message.Plural(filled, "operand", "operands"),
			"the gate's other operand, as nothing depends on them")
	}
	return nil
}

// inDim takes the number of inputs from the facts. If the number is already known, inDim compares it with the facts.
func (n *network) inDim() error {
	said := n.src.Facts.InDim
	switch {
	case said < 0 || said > math.MaxInt32/2:
		return fmt.Errorf("in_dim is %d", said)
	case n.inputs != 0:
		return checkpoint.Agree(n.src, "in_dim", said, "the network", n.inputs)
	case said == 0:
		return &given.Missing{What: "in_dim", Why: fmt.Sprintf("neither the weights nor the wiring (%s) say how many bits "+
			"the first layer reads, at least %d", n.wiring.Form, n.wiring.LeastInputs())}
	}
	n.inputs, n.inputsFrom = said, n.src.Said()
	return nil
}

// take merges a wiring with the wiring that is already known.
func (n *network) take(w *Wiring, name string) error {
	if n.inputs != 0 && w.Inputs != 0 && n.inputs != w.Inputs {
		return fmt.Errorf("%s has %d inputs, but the network has %d", name, w.Inputs, n.inputs)
	}
	if n.wiring == nil {
		n.wiring = w
	} else if err := n.wiring.Fill(w); err != nil {
		return fmt.Errorf("the wiring of %s is another: %w", name, err)
	}
	if n.inputs == 0 {
		n.inputs, n.inputsFrom = w.Inputs, name
	}
	n.graph.Found("wiring", w.Form, name)
	if w.Classes == 0 {
		return nil
	}
	if n.sum.K == nil {
		n.sum.K, n.sum.Where = &w.Classes, name
	} else if *n.sum.K != w.Classes {
		return fmt.Errorf("%s has %d classes, but %s has %d", name, w.Classes, n.sum.Where, *n.sum.K)
	}
	return nil
}

// ofModules returns the wiring of whole modules.
func (n *network) ofModules([][]uint8) (*Wiring, string, error) {
	if n.layers[0].module == nil {
		return nil, "", nil
	}
	w := &Wiring{Inputs: n.inputs, Form: "indices of the modules"}
	for _, l := range n.layers {
		v, _ := l.module.Attr("indices")
		pair, _ := v.(torchfile.Tuple)
		if len(pair) != 2 {
			return nil, "", fmt.Errorf("indices of %s is not a pair", l.module)
		}
		var sides [2][]int32
		for i := range pair {
			var err error
			if sides[i], err = indices(pair[i], len(l.ops)); err != nil {
				return nil, "", fmt.Errorf("indices of %s: %w", l.module, err)
			}
		}
		w.Layers = append(w.Layers, WiredLayer{A: sides[0], B: sides[1]})
		said, _ := l.module.Attr("connections")
		if fact := n.src.Facts.Connections; fact != "" && said != fact {
			return nil, "", checkpoint.Contradiction(n.src, "connections", fact, l.module.String(), said)
		}
	}
	return w, "the file itself", nil
}

// indices returns the elements of a tensor that holds numbers of bits. It returns an error if the tensor does not
// have the wanted number of elements.
func indices(value any, want int) ([]int32, error) {
	t, ok := value.(*torchfile.Tensor)
	if !ok || len(t.Shape) != 1 || t.Shape[0] != want {
		return nil, fmt.Errorf("want a tensor of %d numbers", want)
	}
	numbers, err := t.Int64()
	if err != nil {
		return nil, err
	}
	out := make([]int32, len(numbers))
	for i, v := range numbers {
		if v < 0 || int64(int32(v)) != v {
			return nil, fmt.Errorf("gate %d reads bit %d", i, v)
		}
		out[i] = int32(v)
	}
	return out, nil
}

// ofText returns the wiring in the user's file.
func (n *network) ofText(ops [][]uint8) (*Wiring, string, error) {
	file := n.src.Wiring
	if file == nil {
		return nil, "", nil
	}
	w, err := ReadWiring(file.Data, ops)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", file.Name, err)
	}
	return w, file.Name, nil
}
