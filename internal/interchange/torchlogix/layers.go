package torchlogix

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
)

// These are the names of the parametrizations.
const (
	parRaw   = "raw"
	parLight = "light"
	parWarp  = "warp"
)

// layer is a layer of the network.
type layer struct {
	given.TorchLayer        // all that is known about the layer
	key              string // key of the layer's facts, such as "layers_in_order[3]"; empty if another layer has it
	listed           bool   // the facts have an entry for it
	found            *found // nil if the layer is not in the file

	in, out     []int // shapes of a sample before and after the layer
	nodes, pins int   // upper limits for a circuit
	refs        []graph.Ref
}

// name returns the layer's name for errors.
func (l *layer) name() string {
	if l.found != nil {
		return l.found.name
	}
	return l.Name
}

// tensor returns a tensor of the layer, or nil if the layer does not have it.
func (l *layer) tensor(name string) *torchfile.Tensor {
	if l.found == nil {
		return nil
	}
	return l.found.tensors[name]
}

// missing returns the error for a key of the layer's facts whose value is not known.
func (l *layer) missing(key, why string) error {
	if l.key == "" {
		return &given.Missing{What: "layers_in_order", Why: fmt.Sprintf("of layer %q, for %s, %s; add {name: %q, %s: VALUE}",
			l.name(), key, why, l.name(), key)}
	}
	return &given.Missing{What: l.key + "." + key, Why: fmt.Sprintf("of layer %q, %s", l.name(), why)}
}

// merge adds the values that another source (said) gives for a layer to the known values. It returns an error if the
// two sources contradict each other.
func merge(known, said *given.TorchLayer, knownFrom, saidFrom string) error {
	to, from := reflect.ValueOf(known).Elem(), reflect.ValueOf(said).Elem()
	for i := range to.NumField() {
		key := to.Type().Field(i).Tag.Get("json")
		a, b := to.Field(i), from.Field(i)
		switch {
		case key == "name" || b.IsZero():
		case a.IsZero():
			a.Set(b)
		case !equal(a.Interface(), b.Interface()):
			return fmt.Errorf("%s: %s %v, %s %v", key, saidFrom, reflect.Indirect(b), knownFrom, reflect.Indirect(a))
		}
	}
	return nil
}

// equal reports whether two sources give the same value for a key. Real numbers are compared as float32, because a
// file may have them in this type.
func equal(a, b any) bool {
	x, ok := a.(*float64)
	y, _ := b.(*float64)
	if ok && x != nil && y != nil {
		return float32(*x) == float32(*y)
	}
	return reflect.DeepEqual(a, b)
}

// order puts the layers in order. It combines the layers of the file with the facts about them.
func (r *reader) order() error {
	var known []*layer
	taken := map[*found]bool{}
	var placed []int // two numbers for each entry without name and type: its index in the facts and in known
	for i, s := range r.src.Facts.LayersInOrder {
		if reflect.ValueOf(s).IsZero() { // an index that the facts skip
			continue
		}
		l := &layer{TorchLayer: s, key: fmt.Sprintf("layers_in_order[%d]", i), listed: true}
		known = append(known, l)
		if s.Name == "" && s.Type == "" {
			placed = append(placed, i, len(known)-1)
			continue
		}
		if l.found = r.match(s, taken); l.found == nil {
			if err := r.unmatched(l); err != nil {
				return err
			}
			continue
		}
		taken[l.found] = true
	}
	for ; len(placed) > 0; placed = placed[2:] {
		if err := r.place(known[placed[1]], placed[0], taken); err != nil {
			return err
		}
	}
	for _, l := range known {
		if l.found == nil {
			continue
		}
		if err := merge(&l.TorchLayer, &l.found.told, r.factsName()+" says", "the file has"); err != nil {
			return fmt.Errorf("%s.%w (layer %q)", l.key, err, l.found.name)
		}
	}
	if len(taken) < len(r.state.found) {
		var err error
		if known, err = r.fileOrder(known); err != nil {
			return err
		}
	}
	r.layers = slices.DeleteFunc(known, func(l *layer) bool { return l.Type == typeDummy })
	return r.checkOrder()
}

// place finds the layer for facts that have neither name nor type. It is the layer with the same index in the file.
func (r *reader) place(l *layer, at int, taken map[*found]bool) error {
	nameless := l.key + " has neither name nor type, and "
	switch {
	case !r.state.module && r.hasConv():
		return fmt.Errorf("%sin a state dict with convolutions, places do not identify all layers: give name or type",
			nameless)
	case at >= len(r.state.found):
		return fmt.Errorf("%sthe file has no layer at this place, but %d layers: give name or type", nameless,
			len(r.state.found))
	case taken[r.state.found[at]]:
		return fmt.Errorf("%sthe file's layer at this place, %q, is described by another entry: give name or type", nameless,
			r.state.found[at].name)
	}
	l.found = r.state.found[at]
	taken[l.found] = true
	return nil
}

// factsName returns a name of the facts for error messages.
func (r *reader) factsName() string {
	if r.src.Facts.Name == "" {
		return "the user"
	}
	return r.src.Facts.Name
}

// match returns the file's layer for an entry of the facts. It finds the layer by its name. For an entry without a
// name, it returns the next layer of the same type.
func (r *reader) match(said given.TorchLayer, taken map[*found]bool) *found {
	name := layerName(said.Name)
	var ends *found
	for _, f := range r.state.found {
		if taken[f] {
			continue
		}
		switch {
		case said.Name == "":
			if f.told.Type == said.Type || f.told.Type == "" && isThermometer(said.Type) {
				return f
			}
		case f.name == name:
			return f
		case ends == nil && strings.HasSuffix(f.name, "."+name):
			ends = f
		}
	}
	return ends
}

// unmatched checks that a layer of the facts may be missing in the file. Only layers without tensors may be missing.
func (r *reader) unmatched(l *layer) error {
	switch {
	case r.state.module && l.Name != "":
	case l.Type == typePool || l.Type == typeFlatten || l.Type == typeSum || l.Type == typeDummy:
		return nil
	case isThermometer(l.Type):
		return nil
	case l.Type != typeDense && l.Type != typeConv:
		return fmt.Errorf("%s.type: %s says %.60q, which is no layer of torchlogix", l.key, r.factsName(), l.Type)
	}
	return fmt.Errorf("%s: %s says that there is a %s %q, but the file has none", l.key, r.factsName(), l.Type, l.Name)
}

// fileOrder returns the layers in the order of the file. It is used if the facts name only some of the layers.
func (r *reader) fileOrder(known []*layer) ([]*layer, error) {
	byFound := map[*found]*layer{}
	var rest []*layer // layers that are only in the facts
	for _, l := range known {
		if l.found != nil {
			byFound[l.found] = l
		} else {
			rest = append(rest, l)
		}
	}
	var out []*layer
	keys := map[string]bool{}
	for _, l := range known {
		keys[l.key] = true
	}
	for i, f := range r.state.found {
		l := byFound[f]
		if l == nil {
			if err := r.unnamed(f, len(known) > 0); err != nil {
				return nil, err
			}
			l = &layer{TorchLayer: f.told, key: fmt.Sprintf("layers_in_order[%d]", i), found: f}
			if keys[l.key] {
				l.key = ""
			}
		}
		out = append(out, l)
	}
	for _, l := range rest {
		switch {
		case l.Type == typePool || r.state.module && l.Type != typeSum:
			return nil, fmt.Errorf("%s: its place is unknown, because %s does not name all layers of the file",
				l.key, r.factsName())
		case isThermometer(l.Type):
			out = append([]*layer{l}, out...)
		case l.Type == typeSum:
			out = append(out, l)
		}
	}
	return out, nil
}

// unnamed checks that a layer may be missing in the facts. The file must determine the position of such a layer.
func (r *reader) unnamed(f *found, listed bool) error {
	switch {
	case r.state.module || f.told.Type != typeConv && !r.hasConv():
		return nil
	case listed:
		return fmt.Errorf("layers_in_order: %s does not name layer %q, which the file has", r.factsName(), f.name)
	}
	return &given.Missing{
		What: "layers_in_order",
		Why: "the state dict has convolutions, but does not hold the poolings between them, nor their padding " +
			"and stride",
	}
}

// hasConv reports whether the file has convolutions.
func (r *reader) hasConv() bool {
	return slices.ContainsFunc(r.state.found, func(f *found) bool { return f.told.Type == typeConv })
}

// checkOrder checks that there is at most one thermometer, before all layers of gates. It also checks that only the
// last layer is a group sum.
func (r *reader) checkOrder() error {
	logic := false
	for i, l := range r.layers {
		l.Type = l.class()
		switch {
		case l.Type == typeSum && i < len(r.layers)-1:
			return fmt.Errorf("%s: the group sum %q is not the last layer", l.key, l.name())
		case isThermometer(l.Type) && (logic || r.thermometer() != l):
			return fmt.Errorf("%s: the thermometer %q is not the first layer", l.key, l.name())
		}
		logic = logic || l.Type == typeDense || l.Type == typeConv || l.Type == typePool
	}
	if !logic {
		return fmt.Errorf("there is no layer of gates in it")
	}
	return nil
}

// class returns the layer's class. For a thermometer of unknown class, it returns a class that computes the same
// bits.
func (l *layer) class() string {
	if l.Type == "" && l.ThresholdsShape != nil {
		return typeFixed
	}
	return l.Type
}

// thermometer returns the layer that turns features into bits, or nil if there is none.
func (r *reader) thermometer() *layer {
	for _, l := range r.layers {
		if isThermometer(l.class()) {
			return l
		}
	}
	return nil
}

// groupSum returns the data of the group sum from the file and the facts.
func (r *reader) groupSum() (given.GroupSum, error) {
	said := saidSum(r.src.Facts)
	for _, l := range r.layers {
		if l.Type != typeSum {
			continue
		}
		top := given.TorchLayer{K: said.K, Tau: said.Tau, Beta: said.Beta}
		if err := merge(&l.TorchLayer, &top, "layer "+l.name()+" has", "group_sum of "+r.factsName()+" says"); err != nil {
			return said, fmt.Errorf("group_sum.%w", err)
		}
		said.K, said.Tau, said.Beta = l.K, l.Tau, l.Beta
	}
	return said, nil
}

// know checks that everything except the shapes is known about the layers of gates.
func (r *reader) know() error {
	for _, l := range r.layers {
		if l.Type != typeDense && l.Type != typeConv {
			continue
		}
		if l.Rank == 0 || l.tensor("connections.indices") == nil && l.tensor("connections._indices_L0") == nil {
			return &given.Missing{What: "wiring", Why: fmt.Sprintf("layer %q has no connections.indices: versions of "+
				"torchlogix that kept none in the state dict saved the wiring nowhere else, and have no file of it", l.name())}
		}
	}
	for _, l := range r.layers {
		if l.Type != typeDense && l.Type != typeConv {
			continue
		}
		if err := r.parametrization(l); err != nil {
			return err
		}
	}
	return nil
}

// parametrization determines how to read the weights of a layer.
func (r *reader) parametrization(l *layer) error {
	if l.Parametrization == "" {
		l.Parametrization = r.src.Facts.Parametrization
	}
	switch l.Parametrization {
	case "":
		const why = "light and warp have weights of the same shape"
		if !l.listed {
			return missing("parametrization", fmt.Sprintf("%s, as in layer %q", why, l.name()))
		}
		return l.missing("parametrization", why)
	case parRaw, parLight, parWarp:
	default:
		return fmt.Errorf("%s is %.60q, want raw, light or warp", l.parametrizationKey(), l.Parametrization)
	}
	columns := 1 << l.Rank
	if l.Parametrization == parRaw {
		columns = 16
	}
	if have := l.columns(); have != columns || l.Parametrization == parRaw && l.Rank != 2 {
		return fmt.Errorf("%s is %s, but the file has weights of %d columns at rank %d in layer %q",
			l.parametrizationKey(), l.Parametrization, have, l.Rank, l.name())
	}
	return nil
}

// parametrizationKey returns the key of the facts that gives the parametrization.
func (l *layer) parametrizationKey() string {
	if !l.listed {
		return "parametrization"
	}
	return l.key + ".parametrization"
}

// columns returns the number of weights of a node.
func (l *layer) columns() int {
	if w := l.tensor("weight"); w != nil {
		return w.Shape[1]
	}
	return l.tensor("tree_weights.0").Shape[2]
}
