package wrapper

import (
	"ialgn/netlist"
)

// Port is a port of a wrapper's module.
type Port struct {
	Name    string
	Width   int // 0: a scalar
	Output  bool
	Meaning string // what the port carries, one line for people
}

// Interface is what a wrapper's module looks like from outside, with its parameters as written.
type Interface struct {
	Module string
	Clock  string // the name of its port
	Ports  []Port // in the order in which the Verilog has them
}

// NewInterface returns the interface of what [WriteStream] and so on write of a netlist. It returns
// their errors.
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
		words.Beat = 0 // Beat counts bytes here, and may exceed the number of words
	}
	d, err := newDesign(n, words, k)
	if err != nil {
		return nil, err
	}
	return &Interface{Module: d.module, Clock: k.Clock, Ports: k.Ports(d, o)}, nil
}

// EngineInterface returns the interface of the engine that the options have, which takes samples
// as the stream module does. Drop says whether it has the input drop.
func EngineInterface(n *netlist.Netlist, o Options, drop bool) (*Interface, error) {
	engine := o.Engine.Module
	o.Engine, o.Levels, o.Beat, o.Module = nil, nil, 0, engine
	i, err := NewInterface(streamKind().Name, n, o)
	if err != nil || !drop {
		return i, err
	}
	const at = 6 // behind in_last
	i.Ports = append(i.Ports[:at:at], append([]Port{{"drop", 0, false, "the packet so far is void"}}, i.Ports[at:]...)...)
	return i, nil
}

// errorPort is the one that all of them have.
var errorPort = Port{"error", 0, true, "a sample of wrong length was dropped; 1 until a reset"}
