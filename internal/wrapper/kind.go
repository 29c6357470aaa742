package wrapper

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"ialgn/internal/message"
	"ialgn/netlist"
)

// Kind is a row of the table of wrappers. A wrapper is an interface between the classifier and the outside. Each
// kind is defined in the file with its write function.
type Kind struct {
	Name  string // name of the kind; the names of the module and the file are CORE_NAME
	Clock string // name of the clock's port
	Bytes bool   // samples and results are bytes; a word of several bits takes whole bytes
	Drops bool   // the protocol can discard an incomplete packet
	Paced bool   // the other side determines the pace of the bits, so no latency is reported
	Baud  bool   // the interface has a bit rate in addition to its clock
	Tags  bool   // the interface can carry a tag with each sample and result
	Beat  int    // bytes per clock; 0: one, or as the bit rate allows; always one for an engine

	// Broken lists the kinds of broken packets that a player can send, in the order in which they are tried. A
	// broken packet has no result.
	Broken []Broken

	// Play returns the player that sends samples to the interface in a simulation.
	Play func(Played) Player
	// Write writes the module.
	Write func(io.Writer, *netlist.Netlist, Options) error
	// Ports returns the ports of the module in the order of the Verilog.
	Ports func(*Shape, Options) []Port
	// Cycles returns the number of clocks from one sample to the next, if results take less time. It gets the design
	// twice. The argument words has the samples in words, and the argument bytes has them in bytes.
	Cycles func(words, bytes *Shape, o Options) int
	// Reply returns the number of clocks in which a result is given. It is nil if a result takes one clock, or if the
	// other side determines the pace.
	Reply func(bytes *Shape) int
	// Bench is the part of the testbench for the protocol. It has the pins, the design, and the tasks tb_reset,
	// tb_play and tb_before. The task tb_before samples the pins before each edge. QUIET is the number of clocks
	// after the last result in which no further result may come.
	Bench string
	// BenchParameters declares the parameters of Bench. BenchOptions describes these parameters in the header.
	BenchParameters, BenchOptions string
	// Bits returns the number of bits that the testbench transfers at a time. They are the bits of one clock or of
	// one byte.
	Bits func(d *Shape, o Options) int
	// Host is the program for the other end of the interface. It is nil if the other end is logic on the same
	// device, which sends words to the ports.
	Host *Host
}

// EngineKind is the kind of wrapper that has the same ports as a folded engine.
const EngineKind = "stream"

// Shape is a netlist with everything that a wrapper around it needs.
type Shape = design

// kinds returns the table of wrappers. Built-in kinds come first, then registered kinds.
func kinds() []*Kind { return slices.Concat(builtIn(), registered) }

// builtIn returns the built-in kinds. They are built only once, because host programs are long
// texts.
var builtIn = sync.OnceValue(func() []*Kind {
	return []*Kind{streamKind(), axisKind(), uartKind(), spiKind(), byteKind()}
})

// registered are the kinds added by [Register].
var registered []*Kind

// Register adds a kind to the table, for programs that define other wrappers. The function remove deletes the kind
// again. Neither function may be called while kinds are used. Register returns an error for a name that is taken, and
// for a kind that lacks a function.
func Register(k *Kind) (remove func(), err error) {
	if _, err := Find(k.Name); err == nil || k.Name == "" || k.Name == "none" {
		return nil, fmt.Errorf("wrapper %q: give it a name that no other has", k.Name)
	}
	if k.Write == nil || k.Ports == nil || k.Cycles == nil || k.Bits == nil || k.Play == nil || k.Bench == "" ||
		len(k.Broken) == 0 {
		return nil, fmt.Errorf("wrapper %q: give it a writer, ports, cycles, a testbench with its bits, and a player with "+
			"broken packets", k.Name)
	}
	registered = append(registered, k)
	return func() {
		registered = slices.DeleteFunc(registered, func(r *Kind) bool { return r == k })
	}, nil
}

// Kinds returns the names of all wrappers.
func Kinds() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Find returns the kind with the given name. The error for an unknown name lists all names.
func Find(name string) (*Kind, error) {
	for _, k := range kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("wrapper %q: no such wrapper, give %s", name, message.Or(Kinds()))
}

// Is reports whether a kind of this name exists and has the given property. The property is one of [TakesBytes],
// [DropsPackets], [IsPaced], [HasBaud] and [TakesTags].
func Is(name string, property func(*Kind) bool) bool {
	k, err := Find(name)
	return err == nil && property(k)
}

// TakesBytes returns [Kind.Bytes].
func TakesBytes(k *Kind) bool { return k.Bytes }

// DropsPackets returns [Kind.Drops].
func DropsPackets(k *Kind) bool { return k.Drops }

// IsPaced returns [Kind.Paced].
func IsPaced(k *Kind) bool { return k.Paced }

// HasBaud returns [Kind.Baud].
func HasBaud(k *Kind) bool { return k.Baud }

// TakesTags returns [Kind.Tags].
func TakesTags(k *Kind) bool { return k.Tags }

// Write writes the wrapper of the given kind. It returns the errors of [Kind.Write].
func Write(kind string, w io.Writer, n *netlist.Netlist, o Options) error {
	k, err := Find(kind)
	if err != nil {
		return err
	}
	return k.Write(w, n, o)
}
