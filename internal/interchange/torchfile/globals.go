package torchfile

import (
	"fmt"
	"strings"
)

// global describes a class or function that a pickle names.
type global struct {
	// call returns the result of a call. The field is nil if the name is known only as a value.
	call func(m *machine, o *Object, args Tuple) (any, error)

	dtype DType // the element type, if the global is the class of a storage
}

// globals holds the known names, except the names of storages and element types.
var globals = map[string]*global{
	"collections.OrderedDict": {call: callOrderedDict},
	"collections.defaultdict": {call: callDefaultDict},
	"builtins.set":            {call: callSet},
	"builtins.frozenset":      {call: callSet},
	"builtins.object":         {},
	"builtins.bytes":          {call: callBytes},
	"builtins.bytearray":      {call: callBytes},
	"_codecs.encode":          {call: callEncode},
	"copyreg._reconstructor":  {call: callReconstructor},
	"functools.partial":       {call: callInert},

	"torch.Size":                                 {call: callSize},
	"torch.device":                               {call: callDevice},
	"torch.Tensor":                               {},
	"torch.nn.Parameter":                         {call: callParameter},
	"torch.nn.parameter.Parameter":               {call: callParameter},
	"torch._utils._rebuild_tensor":               {call: callTensor},
	"torch._utils._rebuild_tensor_v2":            {call: callTensor},
	"torch._utils._rebuild_tensor_v3":            {call: callTensor3},
	"torch._utils._rebuild_parameter":            {call: callParameter},
	"torch._utils._rebuild_parameter_with_state": {call: callParameter},
	"torch._tensor._rebuild_from_type":           {call: callFromType},
	"torch._tensor._rebuild_from_type_v2":        {call: callFromType},

	"numpy.dtype":                        {call: callInert},
	"numpy.ndarray":                      {},
	"numpy.core.multiarray._reconstruct": {call: callArray},
	"numpy.core.multiarray.scalar":       {call: callScalar},
}

// renamed maps the names of modules in other versions of Python and numpy to the names in globals.
var renamed = map[string]string{
	"__builtin__": "builtins", "copy_reg": "copyreg", "numpy._core.multiarray": "numpy.core.multiarray",
	"torch.cuda": "torch", "torch.storage": "torch", "torch.tensor": "torch._tensor",
}

// inert lists the packages of networks. A call of a class or function in these packages runs no code and becomes an
// [Object].
var inert = []string{"torch.nn", "difflogic", "torchlogix", "torch_dwn"}

// lookUp returns the value of a name in a pickle. The value is an element type or, for a class or function, an
// Object.
func (m *machine) lookUp(module, name string) (any, error) {
	class := module + "." + name
	known := class
	if to, ok := renamed[module]; ok {
		known = to + "." + name
	}
	if g, ok := globals[known]; ok {
		return &Object{Class: class, global: g}, nil
	}
	if of, ok := strings.CutPrefix(known, "torch."); ok {
		if d, ok := dtypeOf(func(d DType) bool { return dtypes[d].storage == of }); ok && of != "" {
			return &Object{Class: class, global: &global{dtype: d}}, nil
		}
		if of == "UntypedStorage" {
			return &Object{Class: class, global: &global{dtype: Uint8}}, nil
		}
	}
	if d, ok := dtypeOf(func(d DType) bool { return dtypes[d].name == name }); ok && module == "torch" {
		return d, nil
	}
	for _, p := range inert {
		if (module == p || strings.HasPrefix(module, p+".")) && plain(class) {
			return &Object{Class: class, global: &global{call: callInert}}, nil
		}
	}
	return m.object(printable(class), unknownName)
}

// plain reports whether a dotted name consists of identifiers.
func plain(name string) bool {
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || strings.Trim(part, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return false
		}
	}
	return true
}

// printable returns a name in a form that is safe to print in a message.
func printable(name string) string {
	if plain(name) {
		return name
	}
	return fmt.Sprintf("%.80q", name)
}

func doGlobal(m *machine) error {
	module, err := m.line()
	if err != nil {
		return err
	}
	name, err := m.line()
	if err != nil {
		return err
	}
	return m.pushGlobal(module, name)
}

func doStackGlobal(m *machine) error {
	name, err := m.pop()
	if err != nil {
		return err
	}
	module, err := m.pop()
	if err != nil {
		return err
	}
	n, isName := name.(string)
	s, isModule := module.(string)
	if !isName || !isModule || len(n) > maxName || len(s) > maxName {
		return fmt.Errorf("a name is made of %s and %s: is the file damaged?", describe(module), describe(name))
	}
	return m.pushGlobal(s, n)
}

func (m *machine) pushGlobal(module, name string) error {
	v, err := m.lookUp(module, name)
	if err != nil {
		return err
	}
	return m.pushNew(v, 2*sizeObject+2*(len(module)+len(name)))
}

// doReduce calls a class or function. For an inert class or function, the result is an object with the arguments.
func doReduce(m *machine) error {
	args, err := m.pop()
	if err != nil {
		return err
	}
	callee, err := m.pop()
	if err != nil {
		return err
	}
	return m.pushCall(callee, args)
}

// doNewKeywords makes an instance. It returns an error if there are keyword arguments.
func doNewKeywords(m *machine) error {
	keywords, err := m.pop()
	if err != nil {
		return err
	}
	args, err := m.pop()
	if err != nil {
		return err
	}
	callee, err := m.pop()
	if err != nil {
		return err
	}
	if d, ok := keywords.(*Dict); (!ok || len(d.Keys) > 0) && !isUnread(callee) {
		return fmt.Errorf("an instance is made with arguments by name, which is not read")
	}
	return m.pushCall(callee, args)
}

func (m *machine) pushCall(callee, args any) error {
	v, err := m.call(callee, args)
	if err != nil {
		return err
	}
	return m.pushNew(v, sizeObject)
}

// call returns the result of calling a class or function. The result is an unread object if the callee is
// unknown, or if the call fails because an argument was not read.
func (m *machine) call(callee, args any) (any, error) {
	o, ok := callee.(*Object)
	if !ok {
		return nil, fmt.Errorf("it would call %s, which is no class", describe(callee))
	}
	tuple, ok := args.(Tuple)
	switch {
	case !ok:
		return nil, fmt.Errorf("the arguments of %s are %s, not a tuple", o.Class, describe(args))
	case o.unread != nil:
		return &Object{Class: o.Class, unread: o.unread}, nil
	case o.global == nil:
		return m.object(o.Class, callInstance)
	case o.global.call == nil:
		return m.object(o.Class, notCallable)
	}
	v, err := o.global.call(m, o, tuple)
	if err == nil {
		return v, nil
	}
	if why := unreadAmong(tuple); why != nil {
		return &Object{Class: o.Class, unread: why}, nil
	}
	return nil, fmt.Errorf("%s: %w", o.Class, err)
}

// doBuild sets the state of an object.
func doBuild(m *machine) error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	switch t := target.(type) {
	case *Object:
		if t.unread != nil {
			return nil
		}
		if t.global == nil && t.State == nil {
			t.State = state
			return nil
		}
	case *Dict:
		if t.State == nil {
			t.State = state
			return nil
		}
	case *Tensor:
		if t.array {
			return m.setArray(t, state)
		}
	}
	return fmt.Errorf("%s is given a state, which it cannot have", describe(target))
}

// doPersistent replaces the identifier of a value outside the pickle with the value.
func doPersistent(m *machine) error {
	v, err := m.pop()
	if err != nil {
		return err
	}
	id, ok := v.(Tuple)
	if !ok || m.persistent == nil {
		return fmt.Errorf("%s should be outside the pickle: is the file damaged?", describe(v))
	}
	if class, ok := arg[*Object](id, 1); ok && class.unread != nil {
		return m.pushNew(&Object{Class: class.Class, unread: class.unread}, sizeObject)
	}
	if v, err = m.persistent(id); err != nil {
		return err
	}
	return m.pushNew(v, 2*sizeObject)
}
