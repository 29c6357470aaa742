package wrapper

import (
	"fmt"

	"ialgn/internal/plural"
	"ialgn/netlist"
)

// Port is a port of a wrapper's module.
type Port struct {
	Name    string
	Width   int // 0: a scalar
	Output  bool
	Meaning string // for people, on one line
}

// Interface is what a wrapper's module looks like from outside, with its parameters as written.
type Interface struct {
	Module string
	Clock  string // the name of its port
	Ports  []Port // in the order of the Verilog
}

// NewInterface returns the interface of what [WriteStream] and so on write of a netlist. It returns
// their errors.
func NewInterface(kind string, n *netlist.Netlist, o Options) (*Interface, error) {
	if o.Engine != nil {
		o.Beat = 0
	}
	words := o
	if kind != "stream" {
		words.Beat = 0 // it is in bytes, which may be more than words
	}
	d, err := newDesign(n, words, kind)
	if err != nil {
		return nil, err
	}
	ports, ok := interfaces[kind]
	if !ok {
		return nil, errKind(kind)
	}
	i := &Interface{Module: d.module, Clock: "clk"}
	if kind == "axis" {
		i.Clock = "aclk"
	}
	i.Ports = ports(d, o)
	return i, nil
}

// EngineInterface returns the interface of the engine that the options have, which takes samples
// as the stream module does. Drop says whether it has the input drop.
func EngineInterface(n *netlist.Netlist, o Options, drop bool) (*Interface, error) {
	engine := o.Engine.Module
	o.Engine, o.Levels, o.Beat, o.Module = nil, nil, 0, engine
	i, err := NewInterface("stream", n, o)
	if err != nil || !drop {
		return i, err
	}
	const at = 6 // behind in_last
	i.Ports = append(i.Ports[:at:at], append([]Port{{"drop", 0, false, "the packet so far is void"}}, i.Ports[at:]...)...)
	return i, nil
}

// interfaces are the ports of each kind of wrapper.
var interfaces = map[string]func(*design, Options) []Port{
	"stream": (*design).streamPorts, "axis": (*design).axisPorts, "uart": (*design).uartPorts, "spi": (*design).spiPorts,
}

func (d *design) streamPorts(Options) []Port {
	ports := []Port{
		{"clk", 0, false, "clock, rising edge"},
		{"rst", 0, false, "synchronous reset, active high"},
		{"in_valid", 0, false, "there is a word at in_data"},
		{"in_ready", 0, true, "it is taken at the next edge"},
		{"in_data", d.beat * d.in, false, fmt.Sprintf("%s of %d bits of the %d of a sample", plural.Of(d.beat, "word", "words"), d.in, d.words)},
		{"in_last", 0, false, "it is the last of a sample"},
		{"out_valid", 0, true, "there is a result"},
		{"out_ready", 0, false, "it is taken at the next edge"},
	}
	for _, p := range d.n.OutputPorts() {
		ports = append(ports, Port{p.Name, len(p.Nets), true, "of the result"})
	}
	return append(ports, errorPort)
}

// errorPort is the one that all of them have.
var errorPort = Port{"error", 0, true, "a sample of wrong length was dropped; 1 until a reset"}

func (d *design) axisPorts(o Options) []Port {
	b := d.asBytes()
	bytes := o.Beat
	switch {
	case d.engine != nil:
		bytes = 1
	case bytes == 0:
		bytes = AXISBytes
	}
	return []Port{
		{"aclk", 0, false, "clock, rising edge"},
		{"aresetn", 0, false, "synchronous reset, active low"},
		{"s_axis_tvalid", 0, false, "there is a beat of a sample"},
		{"s_axis_tready", 0, true, "it is taken at the next edge"},
		{"s_axis_tdata", 8 * bytes, false, fmt.Sprintf("%s of the %d of a sample, the first lowest", plural.Of(bytes, "byte", "bytes"), b.words)},
		{"s_axis_tlast", 0, false, "it is the last of a sample"},
		{"m_axis_tvalid", 0, true, "there is a result"},
		{"m_axis_tready", 0, false, "it is taken at the next edge"},
		{"m_axis_tdata", 8 * b.resultBytes(), true, "the " + plural.Of(b.resultBytes(), "byte", "bytes") + " of the result, the first lowest"},
		{"m_axis_tlast", 0, true, "always 1, a result is one beat"},
		errorPort,
	}
}

func (d *design) uartPorts(Options) []Port {
	return []Port{
		{"clk", 0, false, "clock of CLOCK_HZ, rising edge"},
		{"rst_n", 0, false, "reset, active low, synchronised inside"},
		{"rx", 0, false, "serial line: the bytes of samples"},
		{"tx", 0, true, "serial line: the bytes of results"},
		{"frame_error", 0, true, "a stop bit was 0; 1 until a reset"},
		errorPort,
	}
}

func (d *design) spiPorts(Options) []Port {
	return []Port{
		{"clk", 0, false, "clock, rising edge, at least eight times as fast as sck"},
		{"rst_n", 0, false, "reset, active low, synchronised inside"},
		{"sck", 0, false, "clock of the bits, mode 0"},
		{"mosi", 0, false, "commands and samples"},
		{"miso", 0, true, "status and results"},
		{"cs_n", 0, false, "0: there is a frame"},
		{"ready", 0, true, "a result waits to be read"},
		errorPort,
	}
}
