package wrapper

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"ialgn/internal/message"
	"ialgn/netlist"
)

// Kind is a row of the table of wrappers: one interface of the classifier with the world. Each stands in
// the file that writes it.
type Kind struct {
	Name  string // name of the kind; module and file are called CORE_NAME
	Clock string // the name of the clock's port
	Bytes bool   // samples and results are bytes, in which a word of more than one bit takes whole ones
	Drops bool   // the protocol can call the packet so far void
	Paced bool   // the other side sets the pace at which bits come, so there is no latency to tell
	Baud  bool   // the interface has a bit rate besides its clock
	Tags  bool   // the interface has signals for a tag beside a sample and a result
	Beat  int    // bytes that come in a clock, but for an engine, which takes one; 0: one, or as the rate says

	// Broken are the forms of packets without a result that there are, in the order in which they are tried.
	Broken []Broken

	// Play returns how samples are played to the interface.
	Play func(Played) Player
	// Write writes the module.
	Write func(io.Writer, *netlist.Netlist, Options) error
	// Ports returns the ports of the module in the order of the Verilog.
	Ports func(*Shape, Options) []Port
	// Cycles returns the clocks from one sample to the next, of a design in words and in bytes.
	Cycles func(words, bytes *Shape, o Options) int
	// Bench is the protocol of the testbench: pins, the design, tb_reset, tb_play, and tb_before, which
	// sees the pins before each edge. QUIET are the clocks after the last result in which no other may come.
	Bench string
	// BenchParameters and BenchOptions are what can be chosen of it, and what its head says of that.
	BenchParameters, BenchOptions string
	// Bits returns the bits of what comes in one clock or byte of the testbench.
	Bits func(d *Shape, o Options) int
	// Host is the program for the other end of the interface. Nil: there is none, as the other end is logic on the same
	// device, whose words are ports of their own.
	Host *Host
}

// EngineKind is the kind whose ports a folded engine has itself.
const EngineKind = "stream"

// Shape is a netlist as a wrapper is written around it.
type Shape = design

// kinds returns the table.
func kinds() []*Kind { return slices.Concat(builtIn(), registered) }

// builtIn returns the kinds that there always are. They are made once, as the programs for the other end are long
// texts.
var builtIn = sync.OnceValue(func() []*Kind { return []*Kind{streamKind(), axisKind(), uartKind(), spiKind()} })

// registered are kinds beside those that are built in.
var registered []*Kind

// Register adds a kind to the table, for programs that have one of their own, until remove is called. Neither may be
// called while kinds are used. It returns an error for a name that is taken, and for a kind that lacks a function.
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

// Find returns the kind of a name. The error for another lists all names.
func Find(name string) (*Kind, error) {
	for _, k := range kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return nil, fmt.Errorf("wrapper %q: no such wrapper, give %s", name, message.Or(Kinds()))
}

// Is reports whether a name is that of a kind with a property: [TakesBytes], [DropsPackets], [IsPaced] or
// [HasBaud].
func Is(name string, property func(*Kind) bool) bool {
	k, err := Find(name)
	return err == nil && property(k)
}

// TakesBytes reports [Kind.Bytes].
func TakesBytes(k *Kind) bool { return k.Bytes }

// DropsPackets reports [Kind.Drops].
func DropsPackets(k *Kind) bool { return k.Drops }

// IsPaced reports [Kind.Paced].
func IsPaced(k *Kind) bool { return k.Paced }

// HasBaud reports [Kind.Baud].
func HasBaud(k *Kind) bool { return k.Baud }

// TakesTags reports [Kind.Tags].
func TakesTags(k *Kind) bool { return k.Tags }

// Write writes the wrapper of a kind. It returns the errors of the function that does.
func Write(kind string, w io.Writer, n *netlist.Netlist, o Options) error {
	k, err := Find(kind)
	if err != nil {
		return err
	}
	return k.Write(w, n, o)
}
