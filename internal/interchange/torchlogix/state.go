package torchlogix

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
)

// These are the names of the classes of layers in facts.
const (
	typeDense     = "LogicDense"
	typeConv      = "LogicConv2d"
	typePool      = "OrPooling2d"
	typeSum       = "GroupSum"
	typeFlatten   = "Flatten"
	typeFixed     = "FixedBinarization"
	typeSoft      = "SoftBinarization"
	typeLearnable = "LearnableBinarization"
	typeDummy     = "DummyBinarization"
)

// isThermometer reports whether a class is a binarization with thresholds.
func isThermometer(class string) bool {
	return class == typeFixed || class == typeSoft || class == typeLearnable
}

// state is the content of a network's file.
type state struct {
	module bool     // the file is a whole module, which has all data
	found  []*found // layers in the order of the file
}

// found is a layer in the file.
type found struct {
	name    string // such as "model.1"
	told    given.TorchLayer
	tensors map[string]*torchfile.Tensor // by the name without the layer's name, such as "connections.indices"
	gumbel  bool                         // torchlogix adds noise to the choice of wires
}

// tensorName splits the name of a tensor into the layer's name and the rest.
var tensorName = regexp.MustCompile(`^(?:(.*)\.)?(weight|connections\.(?:indices|weights|_indices_L\d+)|` +
	`tree_weights\.\d+|thresholds|raw_diffs|tau|beta|_export_lut_ids(?:_L\d+)?)$`)

// layerName returns a layer's name without the prefixes of PyTorch's wrappers.
func layerName(name string) string {
	parts := strings.Split(name, ".")
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == "_orig_mod" })
	if len(parts) > 1 && parts[0] == "module" {
		parts = parts[1:]
	}
	return strings.Join(parts, ".")
}

// recognise reports whether a value is a state dict or a module of torchlogix.
func recognise(value any) bool {
	switch v := value.(type) {
	case *torchfile.Object:
		return mentions(v, 0)
	case *torchfile.Dict:
		weights := 0
		for _, key := range v.Strings() {
			m := tensorName.FindStringSubmatch(key)
			switch {
			case m == nil && checkpoint.IsBeside(key, at(v, key)):
				continue
			case m == nil:
				return false
			case m[2] == "tau" || m[2] == "beta": // belongs to a group sum, which other frameworks also have
				continue
			case m[2] != "weight":
				return true
			}
			weights++
			t, ok := at(v, key).(*torchfile.Tensor)
			if !ok || len(t.Shape) != 2 || t.Shape[1] > 64 || bits.OnesCount(uint(t.Shape[1])) != 1 {
				return false
			}
		}
		return weights > 0
	}
	return false
}

// mentions reports whether a module or a submodule is of a class of torchlogix.
func mentions(o *torchfile.Object, depth int) bool {
	if strings.HasPrefix(o.Class, "torchlogix.") {
		return true
	}
	for _, m := range members(o, "_modules") {
		if inner, ok := m.value.(*torchfile.Object); ok && depth < maxModules && mentions(inner, depth+1) {
			return true
		}
	}
	return false
}

// at returns an entry of a dictionary, or nil if there is none.
func at(d *torchfile.Dict, key string) any {
	v, _ := d.Get(key)
	return v
}

// readState groups the tensors of a state dict or a module by layer.
func readState(value any) (*state, error) {
	switch v := checkpoint.Content(value).(type) {
	case *torchfile.Object:
		s := &state{module: true}
		if err := s.walk("", v, 0); err != nil {
			return nil, err
		}
		return s, s.derive()
	case *torchfile.Dict:
		s := &state{}
		if err := s.sort(v); err != nil {
			return nil, err
		}
		return s, s.derive()
	}
	return nil, fmt.Errorf("neither a state dict nor a module of torchlogix")
}

// sort groups the tensors of a state dict by layer.
func (s *state) sort(d *torchfile.Dict) error {
	byName := map[string]*found{}
	for _, key := range d.Strings() {
		m := tensorName.FindStringSubmatch(key)
		if m == nil && checkpoint.IsBeside(key, at(d, key)) {
			continue
		}
		if m == nil {
			return fmt.Errorf("key %.80q belongs to no layer of torchlogix that is known", key)
		}
		t, ok := at(d, key).(*torchfile.Tensor)
		if !ok {
			return fmt.Errorf("key %.80q is no tensor", key)
		}
		name := layerName(m[1])
		f := byName[name]
		if f == nil {
			f = &found{name: name, tensors: map[string]*torchfile.Tensor{}}
			byName[name] = f
			s.found = append(s.found, f)
		}
		if f.tensors[m[2]] != nil {
			return fmt.Errorf("key %.80q: the layer %q has one already", key, name)
		}
		f.tensors[m[2]] = t
	}
	return nil
}

// derive adds the data that follows from a layer's tensors. It checks that a module's attributes agree with this
// data.
func (s *state) derive() error {
	if len(s.found) == 0 {
		return fmt.Errorf("there are no layers of torchlogix in it")
	}
	for _, f := range s.found {
		said, err := f.derive()
		if err != nil {
			return fmt.Errorf("layer %q: %w", f.name, err)
		}
		if err := merge(&f.told, &said, "the module's", "the tensors'"); err != nil {
			return fmt.Errorf("layer %q: %w", f.name, err)
		}
	}
	return nil
}

// derive returns the data that follows from the shapes of the layer's tensors.
func (f *found) derive() (said given.TorchLayer, err error) {
	switch {
	case f.tensors["weight"] != nil:
		said.Type = typeDense
		err = f.deriveDense(&said)
	case f.tensors["tree_weights.0"] != nil:
		said.Type = typeConv
		err = f.deriveConv(&said)
	case f.tensors["raw_diffs"] != nil:
		said.Type, said.ThresholdsShape = typeLearnable, f.tensors["raw_diffs"].Shape
		if t := f.tensors["thresholds"]; t != nil && !slices.Equal(t.Shape, said.ThresholdsShape) {
			err = fmt.Errorf("thresholds are of shape %v, and raw_diffs of %v", t.Shape, said.ThresholdsShape)
		}
	case f.tensors["tau"] != nil || f.tensors["beta"] != nil:
		said.Type = typeSum
		for name, to := range map[string]**float64{"tau": &said.Tau, "beta": &said.Beta} {
			if t := f.tensors[name]; t != nil && err == nil {
				var v float64
				v, err = oneValue(t)
				*to = &v
			}
		}
	case f.tensors["thresholds"] != nil:
		said.ThresholdsShape = f.tensors["thresholds"].Shape
	case len(f.tensors) > 0:
		err = fmt.Errorf("it has neither weight nor tree_weights nor thresholds")
	}
	return said, err
}

// deriveDense is [found.derive] for a dense layer.
func (f *found) deriveDense(said *given.TorchLayer) error {
	w, idx, choice := f.tensors["weight"], f.tensors["connections.indices"], f.tensors["connections.weights"]
	if len(w.Shape) != 2 || w.Shape[0] < 1 {
		return fmt.Errorf("weight is of shape %v, want (out, columns)", w.Shape)
	}
	said.Out = w.Shape[0]
	if idx == nil {
		return nil
	}
	dims, want := idx.Shape, "(rank, out)"
	said.Connections = "fixed"
	if choice != nil {
		said.Connections, want = "learnable", "(candidates, rank, out)"
		if !slices.Equal(choice.Shape, idx.Shape) {
			return fmt.Errorf("connections.weights are of shape %v, and connections.indices of %v", choice.Shape, idx.Shape)
		}
	}
	if choice != nil && len(dims) == 3 && dims[0] > 0 {
		dims = dims[1:]
	} else if choice != nil {
		dims = nil
	}
	if len(dims) != 2 || dims[1] != said.Out {
		return fmt.Errorf("connections.indices are of shape %v, want %s with %d outputs of weight",
			idx.Shape, want, said.Out)
	}
	said.Rank = dims[0]
	return deriveTables(said, w.Shape[1])
}

// deriveConv is [found.derive] for a convolution.
func (f *found) deriveConv(said *given.TorchLayer) error {
	leaves := f.tensors["tree_weights.0"]
	if len(leaves.Shape) != 3 || leaves.Shape[1] < 1 {
		return fmt.Errorf("tree_weights.0 is of shape %v, want (nodes, kernels, columns)", leaves.Shape)
	}
	said.Kernels = leaves.Shape[1]
	for f.tensors[fmt.Sprintf("tree_weights.%d", said.TreeDepth)] != nil {
		said.TreeDepth++
	}
	idx := f.tensors["connections._indices_L0"]
	if idx == nil {
		return nil
	}
	if len(idx.Shape) != 5 || idx.Shape[1] != said.Kernels || idx.Shape[3] != leaves.Shape[0] || idx.Shape[4] != 3 {
		return fmt.Errorf("connections._indices_L0 are of shape %v, want (rank, %d kernels, positions, %d nodes, 3)",
			idx.Shape, said.Kernels, leaves.Shape[0])
	}
	said.Rank = idx.Shape[0]
	if f.tensors["connections.weights"] != nil || f.tensors["connections.indices"] != nil {
		return fmt.Errorf("learnt connections of a convolution are not read")
	}
	nodes := 1
	for level := said.TreeDepth - 1; level >= 0; level-- {
		name := fmt.Sprintf("tree_weights.%d", level)
		want := []int{nodes, said.Kernels, leaves.Shape[2]}
		if t := f.tensors[name]; !slices.Equal(t.Shape, want) {
			return fmt.Errorf("%s is of shape %v, want %v in a tree of rank %d and %d levels",
				name, t.Shape, want, said.Rank, said.TreeDepth)
		}
		if nodes *= said.Rank; nodes > maxInputs {
			nodes = maxInputs + 1 // more than any number of nodes
		}
	}
	return deriveTables(said, leaves.Shape[2])
}

// deriveTables compares the rank with the number of columns of the weights. It sets the parametrization if only one
// parametrization is possible.
func deriveTables(said *given.TorchLayer, columns int) error {
	if said.Rank < 1 || said.Rank > 6 {
		return fmt.Errorf("of rank %d, want 1 to 6", said.Rank)
	}
	if said.Rank == 2 && columns == 16 {
		said.Parametrization = parRaw
		return nil
	}
	if columns != 1<<said.Rank {
		return fmt.Errorf("weights of %d columns at rank %d, want %d (light or warp) or, at rank 2, 16 (raw)",
			columns, said.Rank, 1<<said.Rank)
	}
	return nil
}
