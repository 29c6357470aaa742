package wrapper

import (
	"fmt"
	"io"

	"ialgn/internal/plural"
	"ialgn/netlist"
)

// Kind is a row of the table of wrappers: one interface of the classifier with the world. Each stands in
// the file that writes it.
type Kind struct {
	Name  string // of the kind; after the name of the core and a _ that of the module and the file
	Clock string // the name of the clock's port
	Bytes bool   // samples and results are bytes, in which a word of more than one bit takes whole ones
	Drops bool   // the protocol can call the packet so far void
	Paced bool   // the other side decides how fast bits come, so that no latency is told
	Baud  bool   // there is a rate beside the clock

	write func(io.Writer, *netlist.Netlist, Options) error
	ports func(*design, Options) []Port
	// cycles returns the clocks from one sample to the next, of a design in words and in bytes.
	cycles func(words, bytes *design, o Options) int
	// bench is the protocol of the testbench: pins, the design, tb_reset, tb_play, and tb_before, which
	// sees the pins before each edge. QUIET are the clocks after the last result in which no other may come.
	bench string
	// benchParameters and benchOptions are what can be chosen of it, and what its head says of that.
	benchParameters, benchOptions string
	// bits returns the bits of what comes in one clock or byte of the testbench.
	bits func(d *design, o Options) int
}

// kinds returns the table.
func kinds() []*Kind { return []*Kind{streamKind(), axisKind(), uartKind(), spiKind()} }

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
	return nil, fmt.Errorf("wrapper %q: no such wrapper, give %s", name, plural.Or(Kinds()))
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

// Write writes the wrapper of a kind. It returns the errors of the function that does.
func Write(kind string, w io.Writer, n *netlist.Netlist, o Options) error {
	k, err := Find(kind)
	if err != nil {
		return err
	}
	return k.write(w, n, o)
}
