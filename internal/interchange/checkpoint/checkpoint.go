// Package checkpoint holds code that the readers of PyTorch checkpoints share. It lists the modules of a model in
// order, and reads tensors, whose numbers must be finite. It also determines the group sum and the thermometer,
// partly from the file and partly from the user's facts. The readers of circuits also use the code for the group sum
// and the thermometer.
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

// Contradiction returns an error that says that the user's facts differ from the file.
func Contradiction(src *given.Source, key string, said any, where string, found any) error {
	return fmt.Errorf("%s: %s is %v, but %s has %v", src.Said(), key, said, where, found)
}

// Agree returns an error if a fact differs from a number in the file. A fact of 0 means that the user did not give
// it.
func Agree(src *given.Source, key string, said int, where string, found int) error {
	if said != 0 && said != found {
		return Contradiction(src, key, said, where, found)
	}
	return nil
}

// contents lists the keys under which training scripts save the state dict or the model in a dictionary with other
// data.
var contents = []string{
	"state_dict", "model_state_dict", "model_state", "model", "net", "network", "params", "weights",
}

// Content returns the state dict or model in a value from torch.save. The state dict or model is either the value
// itself or an entry of a dictionary, next to other data of the training. Content skips an entry that was not read
// ([NotRead]).
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

// NotRead returns an error if the state dict or model in a value is of an unknown class. The error has a hint that
// says how to save the network. NotRead returns nil if no state dict or model in the value is of an unknown class.
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

// IsBeside reports whether an entry of a dictionary with a network's tensors is unnecessary for the network. The
// necessary entries are tensors, objects from which tensors are made, and the states of modules.
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

// Stranger returns the error for an entry of a state dict that the framework never writes. The parameter named has
// describes the entries that the framework writes.
func Stranger(key, value any, has string) error {
	if o, ok := value.(*torchfile.Object); ok && o.Unread() != nil {
		return message.WithHint(fmt.Errorf("%.80v was not read: %w", key, o.Unread()),
			"save it as a plain tensor, by to_dense(), dequantize() or as_subclass(torch.Tensor), or leave it out if the "+
				"network does not need it")
	}
	return fmt.Errorf("the state dict has %.80v, where %s", key, has)
}

// Module is a module inside a whole model.
type Module struct {
	Name string // prefix of the module's keys in a state dict, without the dot
	*torchfile.Object
}

// transparent lists modules that have no effect on a classification, or only change the shape of values.
var transparent = []string{
	"torch.nn.modules.flatten.Flatten", "torch.nn.modules.linear.Identity", "torch.nn.modules.dropout.Dropout",
}

// Modules returns the modules of the known classes in a model, in the order in which they were added. It does not
// look for further modules inside these modules. It returns an error for a module of another class if the module has
// no submodules and its class is not in transparent.
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

// members returns the submodules of a module.
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

// Tensor returns a parameter, buffer or attribute that is a tensor, or nil if the module has no such tensor.
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

// String returns the module's name for messages.
func (m Module) String() string { return fmt.Sprintf("module %q", m.Name) }

// Floats returns the elements of a tensor of two dimensions. If columns is not 0, it is the required size of the
// second dimension. Floats returns an error for a number that is not finite. It also refuses 64-bit numbers, because
// rounding to float32 could change which number is largest.
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

// Fits returns an error if tensors have more elements than the file can hold. Such a tensor repeats one number, and
// would take more memory than the file's size.
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
