package torchfile

import "slices"

// List is a list or a set.
type List struct{ Items []any }

// Tuple is a tuple, or a torch.Size.
type Tuple []any

// Dict is a dictionary, or an OrderedDict, in the order of its entries. Keys are distinct.
type Dict struct {
	Keys   []any
	Values []any

	// State holds the attributes set on an OrderedDict, such as the _metadata of a state dict; mostly nil.
	State any

	index map[any]int // places of keys; nil of a Dict that Read did not make
}

// Get returns the value of a key, and whether there is one.
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

// Device is where a tensor was, such as "cpu" or "cuda:0".
type Device string

// Object is an instance of a class of which nothing is known but the name, or, without arguments and state, a class or
// function itself.
type Object struct {
	Class string // such as "torch.nn.modules.container.Sequential"
	Args  Tuple  // what it was made with; mostly empty
	State any    // mostly a *Dict of its attributes

	global *global // of a class or function; nil of an instance
	unread *unread // why only its class is known; nil: it was read
}

// Unread returns why nothing but the class of an object was read, with the place in the file, and nil if it was read.
func (o *Object) Unread() error { return o.unread.err() }

// Attr returns an attribute: an entry of the state, or of the parameters, buffers or submodules that the state of a
// module of PyTorch has in dictionaries of their own.
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

// is reports whether the object is a class or function with one of the names.
func (o *Object) is(names ...string) bool {
	return o != nil && o.global != nil && slices.Contains(names, o.Class)
}
