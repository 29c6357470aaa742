// Package checkpoint holds what readers of PyTorch's checkpoints have in common: modules in their order, tensors whose
// numbers are numbers; and what they share with readers of circuits: the group sum and thermometer, of which the file
// and the user each say a part.
package checkpoint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// Contradiction is the error that the user's facts and the file say different things.
func Contradiction(src *given.Source, key string, said any, where string, found any) error {
	return fmt.Errorf("%s: %s is %v, but %s has %v", src.Said(), key, said, where, found)
}

// Agree is the error that facts say another number than the file. A fact of 0 says nothing.
func Agree(src *given.Source, key string, said int, where string, found int) error {
	if said != 0 && said != found {
		return Contradiction(src, key, said, where, found)
	}
	return nil
}

// contents are the keys of a state dict or model in a dictionary that holds other things of the training too.
var contents = []string{
	"state_dict", "model_state_dict", "model_state", "model", "net", "network", "params", "weights",
}

// Content returns the state dict or model within what was saved: that itself, or the entry of a dictionary that holds
// other things of the training too. An entry that was not read is passed over ([NotRead]).
func Content(value any) any {
	d, ok := value.(*torchfile.Dict)
	if !ok {
		return value
	}
	for _, key := range contents {
		switch v, _ := d.Get(key); v := v.(type) {
		case *torchfile.Dict:
			return v
		case *torchfile.Object:
			if v.Unread() == nil {
				return v
			}
		}
	}
	return value
}

// NotRead returns the error that the state dict or model within what was saved is of a class without a meaning, with a
// hint how to save it. It returns nil if there is no such entry.
func NotRead(value any) error {
	d, ok := value.(*torchfile.Dict)
	if !ok {
		return nil
	}
	for _, key := range contents {
		v, _ := d.Get(key)
		o, ok := v.(*torchfile.Object)
		if !ok || o.Unread() == nil {
			continue
		}
		form := "torch.save(torch.load(FILE)[%q].state_dict(), OTHER)"
		if strings.Contains(key, "state") || key == "params" || key == "weights" {
			form = "torch.save(dict(torch.load(FILE)[%q]), OTHER)"
		}
		return message.WithHint(fmt.Errorf("the network is in %q, which was not read: %w", key, o.Unread()),
			"save it as a plain dictionary, if you trust the file: "+form, key)
	}
	return nil
}

// IsBeside reports whether an entry of a dictionary with a network's tensors is something else of the training, which
// the network does not need: it is no tensor, nothing that tensors are made by, and no state of a module.
func IsBeside(key, value any) bool {
	switch v := value.(type) {
	case *torchfile.Tensor:
		return false
	case *torchfile.Object:
		if v.Unread() != nil && strings.HasPrefix(v.Class, "torch._") { // a sparse or quantised tensor
			return false
		}
	}
	name, _ := key.(string)
	return !strings.HasSuffix(name, "_extra_state")
}

// Stranger returns the error that an entry of a state dict is none of those that a framework has.
func Stranger(key, value any, has string) error {
	if o, ok := value.(*torchfile.Object); ok && o.Unread() != nil {
		return message.WithHint(fmt.Errorf("%.80v was not read: %w", key, o.Unread()),
			"save it as a plain tensor, by to_dense(), dequantize() or as_subclass(torch.Tensor), or leave it out if the "+
				"network does not need it")
	}
	return fmt.Errorf("the state dict has %.80v, where %s", key, has)
}

// Module is a module of a whole model.
type Module struct {
	Name string // as its keys in a state dict begin, without the point
	*torchfile.Object
}

// transparent are modules that change nothing when a network classifies, or the shape alone.
var transparent = []string{
	"torch.nn.modules.flatten.Flatten", "torch.nn.modules.linear.Identity", "torch.nn.modules.dropout.Dropout",
}

// Modules returns the modules of a model in the order in which they were added to it: those of known classes, whatever
// is in them. It returns an error for any other module that has none in it and is not one that changes nothing.
func Modules(model *torchfile.Object, known ...string) ([]Module, error) {
	var found []Module
	var walk func(m Module) error
	walk = func(m Module) error {
		if slices.Contains(known, m.Class) {
			found = append(found, m)
			return nil
		}
		children := members(m.Object, "_modules")
		if len(children) == 0 && !slices.Contains(transparent, m.Class) {
			return fmt.Errorf("module %q is a %s, which is not known here", m.Name, m.Class)
		}
		for _, c := range children {
			if m.Name != "" {
				c.Name = m.Name + "." + c.Name
			}
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	return found, walk(Module{"", model})
}

// Has reports whether a model has a module of a known class anywhere.
func Has(model *torchfile.Object, known ...string) bool {
	if slices.Contains(known, model.Class) {
		return true
	}
	return slices.ContainsFunc(members(model, "_modules"), func(m Module) bool { return Has(m.Object, known...) })
}

// members returns the modules in a module.
func members(o *torchfile.Object, group string) []Module {
	state, _ := o.State.(*torchfile.Dict)
	if state == nil {
		return nil
	}
	entry, _ := state.Get(group)
	d, _ := entry.(*torchfile.Dict)
	if d == nil {
		return nil
	}
	var found []Module
	for _, name := range d.Strings() {
		if v, _ := d.Get(name); v != nil {
			if child, ok := v.(*torchfile.Object); ok {
				found = append(found, Module{name, child})
			}
		}
	}
	return found
}

// Tensor returns a parameter, buffer or attribute that is a tensor, and nil if there is none.
func (m Module) Tensor(name string) *torchfile.Tensor {
	v, _ := m.Attr(name)
	t, _ := v.(*torchfile.Tensor)
	return t
}

// Number returns an attribute that is a whole number.
func (m Module) Number(name string) (int, error) {
	v, _ := m.Attr(name)
	n, ok := v.(int64)
	if !ok || n < 0 || n > math.MaxInt32 {
		return 0, fmt.Errorf("%s of %s is not a whole number", name, m)
	}
	return int(n), nil
}

// Real returns an attribute that is a number.
func (m Module) Real(name string) (float64, error) {
	switch v, _ := m.Attr(name); v := v.(type) {
	case int64:
		return float64(v), nil
	case float64:
		return v, nil
	case *torchfile.Tensor:
		if x, err := v.Float64(); err == nil && len(x) == 1 {
			return x[0], nil
		}
	}
	return 0, fmt.Errorf("%s of %s is not a number", name, m)
}

// String names the module in a message.
func (m Module) String() string { return fmt.Sprintf("module %q", m.Name) }

// Floats returns the elements of a tensor of two dimensions, the second one of the given size, or any if that is 0. It
// returns an error if one is not finite. Numbers of 64 bits are refused: rounded, the largest of them may be another.
func Floats(name string, t *torchfile.Tensor, columns int) ([]float32, error) {
	switch {
	case t == nil:
		return nil, fmt.Errorf("%s is not there", name)
	case len(t.Shape) != 2 || columns != 0 && t.Shape[1] != columns || t.Elements() == 0:
		return nil, fmt.Errorf("%s has shape %v", name, t.Shape)
	case t.DType == torchfile.Float64:
		return nil, message.WithHint(fmt.Errorf("%s has numbers of 64 bits", name), "save model.float()")
	}
	data, err := t.Float32()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, v := range data {
		if v-v != 0 {
			return nil, fmt.Errorf("%s: element [%d][%d] is %v", name, i/t.Shape[1], i%t.Shape[1], v)
		}
	}
	return data, nil
}

// Fits returns an error if tensors have more elements than a file of that size holds: elements that are one number many
// times, which would take more memory than the file has bytes.
func Fits(src *given.Source, tensors ...*torchfile.Tensor) error {
	var size int64
	for _, t := range tensors {
		if t == nil {
			continue
		}
		each := int64(4)
		switch t.DType {
		case torchfile.Bool, torchfile.Int8, torchfile.Uint8:
			each = 1
		case torchfile.Float16, torchfile.BFloat16, torchfile.Int16, torchfile.Uint16:
			each = 2
		}
		if size += each * int64(t.Elements()); size > src.Size {
			return message.WithHint(fmt.Errorf("tensors of more elements than the file holds"),
				"save them before they are expanded")
		}
	}
	return nil
}
