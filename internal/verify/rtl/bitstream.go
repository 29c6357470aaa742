package rtl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ialgn/internal/flow"
	"ialgn/internal/outfile"
	"ialgn/internal/progress"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// Bitstream describes a bitstream for an iCE40 that was made from the product.
type Bitstream struct {
	Module string // name of the product's module
	Top    string // name of the bitstream's top module: the product's module or its wrapper
	Fold   int    // clocks for one sample in a folded engine; 0 if the design is not folded
	Device target.Device
	Bin    string // path of the bitstream
	Pins   string // path of the .pcf file with the pins of the ports

	// Wrapper is the kind of the wrapper, or empty if the top module is the product.
	// Options are the options with which the wrapper was written. Only the clock frequency and the bit rate have an
	// effect.
	Wrapper string
	Options wrapper.Options
}

// CheckBitstream simulates a bitstream. It unpacks the bitstream, has icebox_vlog turn it into Verilog, and runs the
// Verilog. It uses at most the given number of samples, chosen in the same way as in [Check]. The simulator is
// verilator if a wrapper takes many clocks and verilator is installed. Otherwise it is iverilog.
//
// The class is compared with the trainer's class. Other output ports are compared with the results of our simulator
// for the optimised netlist. Samples for a wrapper follow each other without a reset. With stream, axis and byte, there
// are stalls on both sides. With spi, each sample has its own frame. With uart, samples come at the line's own rate.
//
// CheckBitstream returns an error of package tool if a program is missing or fails.
func CheckBitstream(
	ctx context.Context, d verify.Design, s verify.Samples, b Bitstream, samples int,
) (*Run, error) {
	ctx, end := progress.Begin(ctx, "bitstream")
	defer end()
	begin := time.Now()
	var err error
	if b.Bin, err = filepath.Abs(b.Bin); err != nil { // an absolute path cannot be mistaken for an option
		return nil, err
	}
	if b.Pins, err = filepath.Abs(b.Pins); err != nil {
		return nil, err
	}
	dir, err := outfile.MakeTemp("ialgn-bitstream-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	chip := filepath.Join(dir, "chip.v")
	progress.Say(ctx, "reading it back")
	if err := readBack(ctx, d, b, dir, chip); err != nil {
		return nil, err
	}
	var r *Run
	if b.Wrapper != "" {
		r, err = playChip(ctx, d, s, b, dir, samples)
	} else {
		r, err = Check(ctx, d, s, Files{Module: b.Module, Design: chip, Library: &flow.Library{}}, "iverilog",
			samples)
	}
	if err != nil {
		return nil, err
	}
	for i := range r.First {
		r.First[i].What = strings.Replace(r.First[i].What, "the Verilog differs", "the bitstream differs", 1)
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// playChip plays samples to the Verilog that was made from the bitstream.
func playChip(ctx context.Context, d verify.Design, s verify.Samples, b Bitstream, dir string,
	samples int,
) (*Run, error) {
	chip := wrapped{wrapper: b.Wrapper, options: b.Options, top: b.Top, cycles: b.Fold, sources: []string{"chip.v"}}
	if b.Fold > 0 { // an engine has block RAMs, which need models
		cells, err := flow.Cells(b.Device.Of())
		if err != nil {
			return nil, err
		}
		chip.library, chip.sources, chip.simulator = cells, append(chip.sources, cells.Files...), "iverilog"
	}
	return play(ctx, d, s, chip, dir, samples)
}

// readBack converts a bitstream to Verilog. The module from icebox_vlog has one port for each bit. So readBack puts
// another module around it, which has the name and the buses of the top module.
func readBack(ctx context.Context, d verify.Design, b Bitstream, dir, path string) error {
	asc := filepath.Join(dir, "back.asc")
	if err := flow.Unpack(ctx, b.Bin, asc); err != nil {
		return err
	}
	text, err := flow.UnpackedVerilog(ctx, b.Device, asc, b.Pins, "bitstream")
	if err != nil {
		return err
	}
	bits, err := readPorts(b.Pins)
	if err != nil {
		return err
	}
	buses, err := buses(d, b)
	if err != nil {
		return err
	}
	var head, pins []string
	for _, p := range buses {
		direction := "input"
		if p.out {
			direction = "output"
		}
		head = append(head, fmt.Sprintf("%s wire [%d:0] %s", direction, p.width-1, p.name))
	}
	for _, bit := range bits {
		pins = append(pins, fmt.Sprintf(".\\%s (%s)", bit, bit))
	}
	if text, err = declareApart(text); err != nil {
		return err
	}
	text = fmt.Sprintf("module %s (%s);\n  bitstream chip (%s);\nendmodule\n\n%s", b.Top, strings.Join(head, ", "),
		strings.Join(pins, ", "), text)
	return os.WriteFile(path, []byte(text), 0o666)
}

// declareApart moves the directions of the ports in icebox_vlog's Verilog into separate statements. icebox_vlog
// declares each port in the module's head, and again among the wires and registers. iverilog accepts this double
// declaration, but verilator does not.
func declareApart(text string) (string, error) {
	head, rest, ok := strings.Cut(text, ");\n")
	before, list, found := strings.Cut(head, "(")
	if !ok || !found {
		return "", fmt.Errorf("verify: icebox_vlog's Verilog has no ports: %.100q", text)
	}
	var names []string
	ports := strings.Split(list, ", ")
	for _, p := range ports {
		_, name, _ := strings.Cut(p, " ")
		names = append(names, name)
	}
	return fmt.Sprintf("%s(%s);\n%s;\n%s", before, strings.Join(names, ", "), strings.Join(ports, ";\n"), rest), nil
}

// readPorts returns the names of the ports in a .pcf file.
func readPorts(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var names []string
	s := bufio.NewScanner(file)
	for s.Scan() {
		if f := strings.Fields(s.Text()); len(f) == 3 && f[0] == "set_io" {
			names = append(names, f[1])
		}
	}
	if len(names) == 0 {
		return nil, errors.Join(fmt.Errorf("%s: names no pin", path), s.Err())
	}
	return names, s.Err()
}

// bus is a port of a top module.
type bus struct {
	name  string
	width int
	out   bool
}

// wires returns ports of one bit with the given names.
func wires(out bool, names ...string) (list []bus) {
	for _, name := range names {
		list = append(list, bus{name, 1, out})
	}
	return list
}

// buses returns the ports of the top module.
func buses(d verify.Design, b Bitstream) (list []bus, err error) {
	if b.Wrapper != "" {
		return wrapperBuses(d, b)
	}
	x := d.Product.DataInputs()[0]
	list = append(outputs(d), bus{x.Name, len(x.Nets), false})
	if d.Tag > 0 {
		list = append(list, bus{netlist.TagInPort, d.Tag, false}, bus{netlist.TagOutPort, d.Tag, true})
	}
	if clock, err := d.Product.Pipeline(); err == nil && clock != nil {
		list = append(append(list, wires(false, "clk", "rst", "ce", "in_valid")...), wires(true, "out_valid")...)
	}
	return list, nil
}

// wrapperBuses returns the ports of a wrapper, or of a folded engine, which has the same kind of ports.
func wrapperBuses(d verify.Design, b Bitstream) (list []bus, err error) {
	o := b.Options
	o.Core, o.Module, o.Tag = b.Module, b.Top, d.Tag
	if b.Fold > 0 && wrapper.Is(b.Wrapper, wrapper.TakesBytes) {
		o.Engine = &wrapper.Engine{Module: b.Module}
	}
	i, err := wrapper.NewInterface(b.Wrapper, d.Product, o)
	if err != nil {
		return nil, err
	}
	for _, p := range i.Ports {
		list = append(list, bus{p.Name, max(1, p.Width), p.Output})
	}
	return list, nil
}

// outputs returns the output ports of the product.
func outputs(d verify.Design) (list []bus) {
	for _, p := range d.Product.OutputPorts() {
		list = append(list, bus{p.Name, len(p.Nets), true})
	}
	return list
}
