package wrapper

import (
	"ialgn/netlist"
)

// Port is a port of a wrapper's module.
type Port struct {
	Name    string
	Width   int // 0: a scalar
	Output  bool
	Meaning string // what the port carries, as one line for readers
}

// Interface is the external view of a wrapper's module, with default parameters.
type Interface struct {
	Module string
	Clock  string // name of the clock's port
	Ports  []Port // in the order of the Verilog
}

// NewInterface returns the interface of a wrapper of the given kind around a netlist. It returns the errors of the
// kind's write function.
func NewInterface(kind string, n *netlist.Netlist, o Options) (*Interface, error) {
	k, err := Find(kind)
	if err != nil {
		return nil, err
	}
	if o.Engine != nil {
		o.Beat = 0
	}
	words := o
	if k.Bytes {
		words.Beat = 0 // in o, Beat counts bytes and may exceed the number of words
	}
	d, err := newDesign(n, words, k)
	if err != nil {
		return nil, err
	}
	return &Interface{Module: d.module, Clock: k.Clock, Ports: k.Ports(d, o)}, nil
}

// EngineInterface returns the interface of the engine in the options, which takes samples like the stream module.
// The engine has an input named drop if the argument drop is set.
func EngineInterface(n *netlist.Netlist, o Options, drop bool) (*Interface, error) {
	engine := o.Engine.Module
	o.Engine, o.Levels, o.Beat, o.Module = nil, nil, 0, engine
	i, err := NewInterface(streamKind().Name, n, o)
	if err != nil || !drop {
		return i, err
	}
	const at = 6 // after in_last
	i.Ports = append(i.Ports[:at:at], append([]Port{{"drop", 0, false, "the packet so far is void"}}, i.Ports[at:]...)...)
	return i, nil
}

// errorPort is a port of every wrapper.
var errorPort = Port{"error", 0, true, "a sample of wrong length was dropped; 1 until a reset"}
