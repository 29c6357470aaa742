package torchlogix

import (
	"fmt"
	"strings"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
)

// maxModules is the largest depth of nested modules.
const maxModules = 64

// member is a parameter, buffer or submodule.
type member struct {
	name  string
	value any
}

// members returns the entries of a module's dictionary _parameters, _buffers or _modules.
func members(o *torchfile.Object, group string) []member {
	state, ok := o.State.(*torchfile.Dict)
	if !ok {
		return nil
	}
	d, ok := at(state, group).(*torchfile.Dict)
	if !ok {
		return nil
	}
	var out []member
	for _, key := range d.Strings() {
		if v := at(d, key); v != nil {
			out = append(out, member{key, v})
		}
	}
	return out
}

// attr returns an attribute of a module, or nil if the module does not have it.
func attr(o *torchfile.Object, name string) any {
	v, _ := o.Attr(name)
	return v
}

// described maps each class of layers to the function that reads its attributes.
var described = map[string]func(o *torchfile.Object, said *given.TorchLayer) error{
	typeDense: describeDense, typeConv: describeConv, typePool: describePool, typeSum: describeSumLayer,
	typeFlatten: describeFlatten, typeFixed: describeThermometer, typeSoft: describeThermometer,
	typeLearnable: describeThermometer,
	typeDummy:     func(*torchfile.Object, *given.TorchLayer) error { return nil },
}

// idle lists the classes of modules that do nothing in evaluation mode.
var idle = map[string]bool{"Identity": true, "Dropout": true}

// walk adds the layers of a module.
func (s *state) walk(name string, o *torchfile.Object, depth int) error {
	class := o.Class[strings.LastIndexByte(o.Class, '.')+1:]
	if describe := described[class]; describe != nil {
		f := &found{name: layerName(name), tensors: map[string]*torchfile.Tensor{}}
		f.told.Type = class
		if err := describe(o, &f.told); err != nil {
			return fmt.Errorf("layer %q: %w", name, err)
		}
		if c, _ := o.Attr("connections"); c != nil {
			inner, _ := c.(*torchfile.Object)
			f.gumbel = inner != nil && attr(inner, "gumbel") == true
		}
		s.found = append(s.found, f)
		return f.gather("", o, depth)
	}
	inner := members(o, "_modules")
	switch {
	case idle[class]:
		return nil
	case len(inner) == 0 || len(members(o, "_parameters"))+len(members(o, "_buffers")) > 0:
		return fmt.Errorf("layer %q is of class %s, which is not read", name, o.Class)
	case depth > maxModules:
		return fmt.Errorf("layer %q: modules are nested deeper than %d", name, maxModules)
	}
	for _, m := range inner {
		child, ok := m.value.(*torchfile.Object)
		if !ok {
			return fmt.Errorf("layer %q: %q is no module", name, m.name)
		}
		if err := s.walk(strings.TrimPrefix(name+"."+m.name, "."), child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// gather adds the tensors of a module and of its submodules. It also adds their names.
func (f *found) gather(prefix string, o *torchfile.Object, depth int) error {
	for _, group := range []string{"_parameters", "_buffers"} {
		for _, m := range members(o, group) {
			t, ok := m.value.(*torchfile.Tensor)
			if !ok || tensorName.FindString(prefix+m.name) == "" {
				return fmt.Errorf("layer %q: %q is no tensor of torchlogix that is known", f.name, prefix+m.name)
			}
			f.tensors[prefix+m.name] = t
		}
	}
	for _, m := range members(o, "_modules") {
		child, ok := m.value.(*torchfile.Object)
		if !ok || depth > maxModules {
			return fmt.Errorf("layer %q: %q is no module, or too deep a one", f.name, prefix+m.name)
		}
		if err := f.gather(prefix+m.name+".", child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// attributes reads attributes of a module. The field err keeps the first error.
type attributes struct {
	o   *torchfile.Object
	err error
}

// fail records an error.
func (a *attributes) fail(name string, v any, want string) {
	if a.err == nil {
		a.err = fmt.Errorf("attribute %s is %v, want %s", name, shown(v), want)
	}
}

// shown returns a value in a form that is suitable for errors.
func shown(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, torchfile.Tuple:
		return fmt.Sprintf("%.60s", fmt.Sprint(v))
	case string:
		return fmt.Sprintf("%.60q", v)
	}
	return fmt.Sprintf("a %T", v)
}

// number returns an attribute that is a whole number, or 0 if it is missing.
func (a *attributes) number(name string) int {
	v, _ := a.o.Attr(name)
	if v == nil {
		return 0
	}
	n, ok := wholeNumber(v)
	if !ok {
		a.fail(name, v, "a whole number")
	}
	return n
}

// wholeNumber returns a value that is a whole number, or a tuple of equal whole numbers.
func wholeNumber(v any) (int, bool) {
	if t, ok := v.(torchfile.Tuple); ok && len(t) > 0 {
		for _, e := range t {
			if e != t[0] {
				return 0, false
			}
		}
		v = t[0]
	}
	n, ok := v.(int64)
	return int(n), ok && n > -1<<31 && n < 1<<31
}

// optional returns an attribute that is a whole number, or nil if the attribute is missing or None.
func (a *attributes) optional(name string) *int {
	if v, _ := a.o.Attr(name); v == nil {
		return nil
	}
	n := a.number(name)
	return &n
}

// real returns an attribute that is a number, or nil if it is missing.
func (a *attributes) real(name string) *float64 {
	v, _ := a.o.Attr(name)
	var x float64
	switch v := v.(type) {
	case nil:
		return nil
	case int64:
		x = float64(v)
	case float64:
		x = v
	case *torchfile.Tensor:
		values, err := oneValue(v)
		if err != nil {
			a.fail(name, v, "a number")
			return nil
		}
		x = values
	default:
		a.fail(name, v, "a number")
	}
	return &x
}

// oneValue returns the value of a tensor that has one element.
func oneValue(t *torchfile.Tensor) (float64, error) {
	if t.Elements() != 1 {
		return 0, fmt.Errorf("a tensor of shape %v", t.Shape)
	}
	values, err := t.Float64()
	if err != nil {
		return 0, err
	}
	return values[0], nil
}

// pair returns an attribute that is a tuple of two whole numbers, or nil if it is missing.
func (a *attributes) pair(name string) []int {
	v, _ := a.o.Attr(name)
	if v == nil {
		return nil
	}
	t, _ := v.(torchfile.Tuple)
	var out []int
	for _, e := range t {
		if n, ok := wholeNumber(e); ok {
			out = append(out, n)
		}
	}
	if len(out) != 2 || len(t) != 2 {
		a.fail(name, v, "two whole numbers")
		return nil
	}
	return out
}

// parametrization returns the name of a layer's parametrization.
func (a *attributes) parametrization() string {
	v, _ := a.o.Attr("parametrization")
	p, ok := v.(*torchfile.Object)
	if !ok {
		return ""
	}
	class := p.Class[strings.LastIndexByte(p.Class, '.')+1:]
	return strings.ToLower(strings.TrimSuffix(class, "LUTParametrization"))
}

func describeDense(o *torchfile.Object, said *given.TorchLayer) error {
	a := &attributes{o: o}
	said.In, said.Out, said.Rank = a.number("in_dim"), a.number("out_dim"), a.number("lut_rank")
	said.Parametrization = a.parametrization()
	return a.err
}

func describeConv(o *torchfile.Object, said *given.TorchLayer) error {
	a := &attributes{o: o}
	if n := a.number("conv_dimension"); n != 0 && n != 2 {
		return fmt.Errorf("a convolution of %d dimensions, which is not read", n)
	}
	said.InDim, said.ReceptiveField = a.pair("in_dim"), a.pair("receptive_field_size")
	said.Channels, said.Kernels, said.Rank = a.number("channels"), a.number("num_kernels"), a.number("lut_rank")
	said.TreeDepth, said.Stride, said.Padding = a.number("tree_depth"), a.number("stride"), a.optional("padding")
	said.Parametrization = a.parametrization()
	return a.err
}

func describePool(o *torchfile.Object, said *given.TorchLayer) error {
	a := &attributes{o: o}
	said.Kernel, said.Stride, said.Padding = a.number("kernel_size"), a.number("stride"), a.optional("padding")
	if said.Stride == 0 {
		said.Stride = said.Kernel // as in PyTorch, where None means the kernel's size
	}
	return a.err
}

func describeSumLayer(o *torchfile.Object, said *given.TorchLayer) error {
	a := &attributes{o: o}
	said.K, said.Tau, said.Beta = a.optional("k"), a.real("tau"), a.real("beta")
	return a.err
}

func describeThermometer(o *torchfile.Object, said *given.TorchLayer) error {
	a := &attributes{o: o}
	said.FeatureDim = a.optional("feature_dim")
	return a.err
}

func describeFlatten(o *torchfile.Object, _ *given.TorchLayer) error {
	a := &attributes{o: o}
	start, end := a.optional("start_dim"), a.optional("end_dim")
	if start != nil && *start != 1 || end != nil && *end != -1 {
		return fmt.Errorf("it flattens other dimensions than all of a sample")
	}
	return a.err
}
