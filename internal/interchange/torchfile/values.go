package torchfile

import "slices"

// List is a list or a set.
type List struct{ Items []any }

// Tuple is a tuple, or a torch.Size.
type Tuple []any

// Dict is a dictionary or an OrderedDict. Entries are in order, and keys are distinct.
type Dict struct {
	Keys   []any
	Values []any

	// State holds the attributes of an OrderedDict, such as the _metadata of a state dict. It is usually nil.
	State any

	index map[any]int // positions of keys; nil for a Dict that Read did not make
}

// Get returns the value of a key. The boolean result reports whether the key exists.
func (d *Dict) Get(key string) (any, bool) {
	if d.index != nil {
		i, ok := d.index[key]
		if !ok || i >= len(d.Values) {
			return nil, false
		}
		return d.Values[i], true
	}
	for i, k := range d.Keys {
		if k == key {
			return d.Values[i], true
		}
	}
	return nil, false
}

// Strings returns the keys that are strings, in order.
func (d *Dict) Strings() []string {
	var keys []string
	for _, k := range d.Keys {
		if s, ok := k.(string); ok {
			keys = append(keys, s)
		}
	}
	return keys
}

// Device is the device of a tensor, such as "cpu" or "cuda:0".
type Device string

// Object is an instance of a class. Nothing is known about the class except its name. An Object without
// arguments and state may also be a class or function itself.
type Object struct {
	Class string // such as "torch.nn.modules.container.Sequential"
	Args  Tuple  // arguments of its constructor; usually empty
	State any    // usually a *Dict of its attributes

	global *global // set for a class or function; nil for an instance
	unread *unread // why only its class is known; nil if the object was read
}

// Unread returns the reason why only the object's class was read, with the position in the file. It returns nil if
// the object was read.
func (o *Object) Unread() error { return o.unread.err() }

// Attr returns an attribute, which is an entry of the state. For a PyTorch module, it can also be an entry of the
// dictionaries of parameters, buffers and submodules in the state.
func (o *Object) Attr(name string) (any, bool) {
	state, ok := o.State.(*Dict)
	if !ok {
		return nil, false
	}
	if v, ok := state.Get(name); ok {
		return v, true
	}
	for _, group := range []string{"_parameters", "_buffers", "_modules"} {
		members, _ := state.Get(group)
		if d, ok := members.(*Dict); ok {
			if v, ok := d.Get(name); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// is reports whether the object is a class or function with one of the given names.
func (o *Object) is(names ...string) bool {
	return o != nil && o.global != nil && slices.Contains(names, o.Class)
}
