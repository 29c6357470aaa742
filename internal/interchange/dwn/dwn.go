// Package dwn reads networks of torch_dwn (DWN, differentiable weightless networks) from files of torch.save, which
// hold state dicts or whole modules.
//
// A layer has tables of 2^n numbers. An entry of a table is 1 if its number is above 0. A layer also has a mapping. A
// fixed mapping lists the bits that each table reads. In a learnable mapping, each pin has a weight for each bit of
// the layer before. The pin reads the bit with the largest weight. The reader keeps all weights of a learnable
// mapping, and each bit becomes a candidate of the pin. The first bit that a table reads is the lowest digit of the
// entry's index, so the pins are in reverse order in the graph.
//
// The modules of the layers and of the group sum do not hold the thermometer's thresholds. The thresholds come from
// the same file, if the script saved them there, or from the user. A state dict has no data about the group sum.
//
// If both the file and the user give a value, the two values must agree. The names of classes and attributes come
// from commit dfbf71e of alanbacellar/DWN.
package dwn

import (
	"fmt"
	"math/bits"
	"strings"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// These are the names of the classes in a whole model.
const (
	layerClass   = "torch_dwn.lut_layer.LUTLayer"
	sumClass     = "torch_dwn.utils.GroupSum"
	mappingClass = "torch_dwn.mapping.LearnableMapping"
)

// Recognise reports whether a value from torch.save is a network of torch_dwn. Such a value is a model with a
// LUTLayer, or a dictionary in which the key of a tensor ends in luts.
func Recognise(value any) bool {
	switch v := checkpoint.Content(value).(type) {
	case *torchfile.Object:
		return checkpoint.Has(v, layerClass)
	case *torchfile.Dict:
		for i, key := range v.Keys {
			_, isTensor := v.Values[i].(*torchfile.Tensor)
			if _, what := split(key); isTensor && what == luts {
				return true
			}
		}
	}
	return false
}

// A state dict has the tensors of a layer under keys with these endings.
const (
	luts      = "luts"
	fixed     = "mapping"
	learnable = "mapping.weights"
	decoy     = "_LUTLayer__dummy_mapping" // not used: tables of a learnable layer read the mapping's outputs in order
)

// split splits a key into the layer's name and the kind of the tensor.
func split(key any) (layer, what string) {
	name, _ := key.(string)
	for _, what := range []string{luts, learnable, fixed, decoy} {
		if name == what {
			return "", what
		}
		if layer, ok := strings.CutSuffix(name, "."+what); ok {
			return layer, what
		}
	}
	return "", ""
}

// layer is a layer of the file.
type layer struct {
	name    string
	tensors map[string]*torchfile.Tensor // by kind
	module  *checkpoint.Module           // nil in a state dict
}

// key returns the name of a tensor in a state dict.
func (l *layer) key(what string) string { return strings.TrimPrefix(l.name+"."+what, ".") }

// network holds the state of reading a network.
type network struct {
	src    *given.Source
	layers []*layer
	held   *held  // thresholds in the file; nil if there are none
	other  string // describes a thermometer in the file whose thresholds do not fit; empty if there is none
	sum    *checkpoint.Sum
	graph  *graph.Network
}

// Read returns the network in a value from torch.save. It returns a *[given.Missing] if neither the file nor the user
// gives the thresholds, in_dim, group_sum.k or group_sum.tau.
//
// In addition to its result, Read needs twice the memory of a layer's tensors. If each table of a learnable mapping
// has n pins, the result holds 1 + 1/n numbers for each number in the file.
func Read(src *given.Source, value any) (*graph.Network, error) {
	n := &network{src: src, graph: &graph.Network{Format: "dwn"}, sum: &checkpoint.Sum{}}
	for _, step := range []func() error{
		func() error { return n.content(checkpoint.Content(value)) },
		n.facts, func() error { return n.thresholds(value) }, n.input, n.dense,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	last := n.graph.Dense[len(n.graph.Dense)-1]
	if err := n.sum.Resolve(src, n.graph, last.Width, true); err != nil {
		return nil, err
	}
	return n.graph, nil
}

// content finds the layers and, in a whole model, the group sum.
func (n *network) content(value any) error {
	switch v := value.(type) {
	case *torchfile.Object:
		if err := n.model(v); err != nil {
			return err
		}
	case *torchfile.Dict:
		if err := n.dict(v); err != nil {
			return err
		}
	}
	if len(n.layers) == 0 {
		return message.WithHint(fmt.Errorf("no layers of torch_dwn"),
			"save model.state_dict() of a torch.nn.Sequential of LUTLayer and GroupSum, or the model itself")
	}
	return nil
}

// dict finds the layers of a state dict. Layers are in the order of their keys.
func (n *network) dict(d *torchfile.Dict) error {
	byName := map[string]*layer{}
	for i, key := range d.Keys {
		name, what := split(key)
		t, ok := d.Values[i].(*torchfile.Tensor)
		if what == "" && (isThresholds(key) || checkpoint.IsBeside(key, d.Values[i])) {
			continue
		}
		if !ok || what == "" {
			return checkpoint.Stranger(key, d.Values[i], "torch_dwn has luts and mappings of its layers alone")
		}
		l := byName[name]
		if l == nil {
			l = &layer{name: name, tensors: map[string]*torchfile.Tensor{}}
			byName[name] = l
			n.layers = append(n.layers, l)
		}
		l.tensors[what] = t
	}
	return nil
}

// model finds the modules of a whole model.
func (n *network) model(o *torchfile.Object) error {
	sum, err := checkpoint.Layers(o, layerClass, sumClass, func(m checkpoint.Module) error {
		l := &layer{name: m.Name, module: &m, tensors: map[string]*torchfile.Tensor{luts: m.Tensor(luts)}}
		switch mapping, _ := m.Attr("mapping"); mapping := mapping.(type) {
		case *torchfile.Tensor:
			l.tensors[fixed] = mapping
		case *torchfile.Object:
			if mapping.Class == mappingClass {
				l.tensors[learnable] = checkpoint.Module{Object: mapping}.Tensor("weights")
			}
		}
		if ste, _ := m.Attr("ste"); ste != true {
			return steError(m.String())
		}
		n.layers = append(n.layers, l)
		return nil
	})
	n.sum = sum
	return err
}

// steError returns the error for a layer whose tables return numbers instead of bits.
func steError(where string) error {
	return message.WithHint(fmt.Errorf("%s is made with ste=False: its tables give numbers, not bits", where),
		"train the network with ste=True")
}

// facts compares the user's facts about the layers with the tensors.
func (n *network) facts() error {
	said := n.src.Facts.Layers
	if said != nil && len(said) != len(n.layers) {
		return checkpoint.Contradiction(n.src, "layers", message.Plural(len(said), "layer", "layers"), "the file",
			len(n.layers))
	}
	for i, l := range n.layers {
		inputs, outputs, pins, err := l.shape()
		if err != nil {
			return err
		}
		if err := l.compareModule(inputs, outputs, pins); err != nil {
			return err
		}
		if said == nil {
			continue
		}
		s, prefix := said[i], fmt.Sprintf("layers[%d].", i)
		if s.STE != nil && !*s.STE {
			return steError(prefix[:len(prefix)-1] + " of the facts")
		}
		for _, fact := range []struct {
			key   string
			said  *int
			found int
		}{{"inputs", s.Inputs, inputs}, {"luts", s.LUTs, outputs}, {"n", s.N, pins}} {
			if fact.said != nil && fact.found != 0 && *fact.said != fact.found {
				return checkpoint.Contradiction(n.src, prefix+fact.key, *fact.said, "layer "+l.name, fact.found)
			}
		}
		if kind := l.kind(); s.Mapping != "" && s.Mapping != kind {
			return checkpoint.Contradiction(n.src, prefix+"mapping", s.Mapping, "layer "+l.name, kind)
		}
	}
	return nil
}

// kind returns the kind of the layer's mapping, "fixed" or "learnable".
func (l *layer) kind() string {
	if l.tensors[learnable] != nil {
		return "learnable"
	}
	return "fixed"
}

// shape returns the number of bits that a layer reads, its number of tables, and the number of pins of each table.
// The number of bits is 0 if the mapping is fixed.
func (l *layer) shape() (inputs, outputs, pins int, err error) {
	table, wires, weights := l.tensors[luts], l.tensors[fixed], l.tensors[learnable]
	switch {
	case table == nil || len(table.Shape) != 2 || table.Elements() == 0:
		return 0, 0, 0, fmt.Errorf("%s is no tensor of two dimensions", l.key(luts))
	case (wires == nil) == (weights == nil):
		return 0, 0, 0, fmt.Errorf("want either %s or %s", l.key(fixed), l.key(learnable))
	}
	outputs, pins = table.Shape[0], bits.TrailingZeros(uint(table.Shape[1]))
	switch {
	case pins == 0 || table.Shape[1] != 1<<pins:
		return 0, 0, 0, fmt.Errorf("%s has shape %v: want a row of 2^n numbers for each table", l.key(luts), table.Shape)
	case pins > graph.MaxPins:
		return 0, 0, 0, fmt.Errorf("%s has tables of %d pins: at most %d are read", l.key(luts), pins, graph.MaxPins)
	case weights == nil && (len(wires.Shape) != 2 || wires.Shape[0] != outputs || wires.Shape[1] != pins):
		return 0, 0, 0, fmt.Errorf("%s has shape %v: want %v", l.key(fixed), wires.Shape, []int{outputs, pins})
	case weights == nil:
		return 0, outputs, pins, nil
	case len(weights.Shape) != 2 || weights.Shape[0] == 0 || weights.Shape[1] != outputs*pins:
		return 0, 0, 0, fmt.Errorf("%s has shape %v: want a column for each of %d pins of %d tables", l.key(learnable),
			weights.Shape, pins, outputs)
	}
	return weights.Shape[0], outputs, pins, nil
}

// compareModule compares a module's attributes with its tensors.
func (l *layer) compareModule(inputs, outputs, pins int) error {
	if l.module == nil {
		return nil
	}
	for _, attribute := range []struct {
		name  string
		found int
	}{{"input_size", inputs}, {"output_size", outputs}, {"n", pins}} {
		n, err := l.module.Number(attribute.name)
		if err != nil {
			return err
		}
		if found := attribute.found; n == 0 || found != 0 && n != found {
			return fmt.Errorf("%s of %s is %d, but its tensors have %d", attribute.name, l.module, n, found)
		}
	}
	return nil
}
