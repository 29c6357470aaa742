package main

import (
	"context"
	"os"
	"path/filepath"

	"ialgn/internal/tool"
)

// reader is a way to read Verilog: a text that iverilog takes for what a program sees in a text.
type reader struct {
	name string
	read func(ctx context.Context, d *design, dir, text string) (string, error)
}

// readers are the ways in which a statement is read until two of them, or original and mutant, differ.
var readers = []reader{
	{"iverilog", func(_ context.Context, _ *design, _, text string) (string, error) { return text, nil }},
	{"yosys", readYosys},
	{"verilator -E", readVerilator},
	{"iverilog -D OURS", func(_ context.Context, _ *design, _, text string) (string, error) {
		return "`define OURS\n" + text, nil
	}},
}

// readYosys returns the Verilog that yosys writes of a text, without its cells.
func readYosys(ctx context.Context, d *design, dir, text string) (string, error) {
	script := "read_verilog -nosynthesis cells.v dut.v; hierarchy -top " + d.options.Module +
		"; proc; flatten; opt_clean; write_verilog -noattr read.v"
	if _, err := readBy(ctx, "yosys", d, dir, text, "-q", "-p", script); err != nil {
		return "", err
	}
	read, err := os.ReadFile(filepath.Join(dir, "read.v"))
	return string(read), err
}

// readVerilator returns a text as verilator's preprocessor leaves it.
func readVerilator(ctx context.Context, d *design, dir, text string) (string, error) {
	return readBy(ctx, "verilator", d, dir, text, "-E", "-P", "dut.v")
}

// readBy runs a program on a text and returns what it prints.
func readBy(ctx context.Context, program string, d *design, dir, text string, args ...string) (string, error) {
	t, err := tool.Find(program)
	if err != nil {
		return "", err
	}
	if err := writeAll(dir, files{"dut.v": text, "cells.v": d.cells}); err != nil {
		return "", err
	}
	r, err := t.Run(ctx, tool.Command{Args: args, Dir: dir, Limit: replayLimit})
	return r.Stdout, err
}

// original returns what a reader makes of the unchanged design; it is read once.
func (d *design) original(ctx context.Context, r reader, dir string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ok := d.read[r.name]; ok {
		return text, nil
	}
	text, err := r.read(ctx, d, dir, d.text)
	if err == nil {
		d.read[r.name] = text
	}
	return text, err
}
