package verify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ialgn/flow/device"
	"ialgn/flow/icestorm"
	"ialgn/flow/yosys"
	"ialgn/netlist"
)

// Bitstream is a bitstream of the product for an iCE40.
type Bitstream struct {
	Module string // of the product
	Top    string // of the bitstream: the same, or that of its wrapper
	Stream bool   // it is the wrapper that takes a sample word by word
	Device device.Device
	Bin    string // the file
	Pins   string // the pins of its ports, a .pcf file
}

// Bitstream simulates what is in a bitstream: unpacked, turned into Verilog by icebox_vlog, and
// run in iverilog on at most the given number of samples, which are chosen as by [Design.RTL].
// The class is compared with the trainer's, other output ports with our simulator of the
// optimised netlist. Samples for the wrapper follow each other without a reset, with stalls on
// both sides.
//
// It returns an error of package tool if a program is missing or fails.
func (d Design) Bitstream(ctx context.Context, s Samples, b Bitstream, samples int) (*RTLResult, error) {
	begin := time.Now()
	var err error
	if b.Bin, err = filepath.Abs(b.Bin); err != nil { // no program takes it for an option
		return nil, err
	}
	if b.Pins, err = filepath.Abs(b.Pins); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ialgn-bitstream-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	chip := filepath.Join(dir, "chip.v")
	if err := d.readBack(ctx, b, dir, chip); err != nil {
		return nil, err
	}
	var r *RTLResult
	if b.Stream {
		r, err = d.simulateStream(ctx, s, b, dir, samples)
	} else {
		r, err = d.RTL(ctx, s, RTLFiles{Module: b.Module, Design: chip, library: &yosys.Library{}}, "iverilog", samples)
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

// readBack writes a bitstream as Verilog: a module with the top module's name and buses, around
// what icebox_vlog makes, which has a port for each bit.
func (d Design) readBack(ctx context.Context, b Bitstream, dir, path string) error {
	asc := filepath.Join(dir, "back.asc")
	if err := icestorm.Unpack(ctx, b.Bin, asc); err != nil {
		return err
	}
	text, err := icestorm.Verilog(ctx, b.Device, asc, b.Pins, "bitstream")
	if err != nil {
		return err
	}
	bits, err := readPorts(b.Pins)
	if err != nil {
		return err
	}
	var head, pins []string
	for _, p := range d.buses(b) {
		direction := "input"
		if p.out {
			direction = "output"
		}
		head = append(head, fmt.Sprintf("%s wire [%d:0] %s", direction, p.width-1, p.name))
	}
	for _, bit := range bits {
		pins = append(pins, fmt.Sprintf(".\\%s (%s)", bit, bit))
	}
	text = fmt.Sprintf("module %s (%s);\n  bitstream chip (%s);\nendmodule\n\n%s", b.Top, strings.Join(head, ", "), strings.Join(pins, ", "), text)
	return os.WriteFile(path, []byte(text), 0o666)
}

// readPorts returns the names in a file of pins.
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

// buses returns the ports of the top module.
func (d Design) buses(b Bitstream) []bus {
	var list []bus
	in := func(names ...string) {
		for _, name := range names {
			list = append(list, bus{name, 1, false})
		}
	}
	x := d.Product.DataInputs()[0]
	clock, err := d.Product.Pipeline()
	switch {
	case b.Stream:
		in("clk", "rst", "in_valid", "in_last", "out_ready")
		list = append(list, bus{"in_data", x.Word, false}, bus{"in_ready", 1, true}, bus{"out_valid", 1, true}, bus{"error", 1, true})
	case err == nil && clock != nil:
		in("clk", "rst", "ce", "in_valid")
		list = append(list, bus{"out_valid", 1, true}, bus{x.Name, len(x.Nets), false})
	default:
		list = append(list, bus{x.Name, len(x.Nets), false})
	}
	for _, p := range d.Product.OutputPorts() {
		list = append(list, bus{p.Name, len(p.Nets), true})
	}
	return list
}

// outputBits returns how many bits the output ports have together.
func outputBits(n *netlist.Netlist) int {
	bits := 0
	for _, p := range n.OutputPorts() {
		bits += len(p.Nets)
	}
	return bits
}
