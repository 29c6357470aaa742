package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ialgn/internal/target"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// simulated is the number of samples that iverilog simulates.
const simulated = 64

// toolLimit is the maximum time for one run of yosys or abc.
const toolLimit = 30 * time.Minute

// simulate runs the emitted Verilog.
func (o options) simulate(ctx context.Context, d verify.Design, s verify.Samples) error {
	return inFolder(func(dir string) error {
		files, err := o.emit(d, dir)
		if err != nil {
			return err
		}
		return simulateRTL(ctx, "rtl", d, s, files)
	})
}

// inFolder calls work with an empty temporary folder.
func inFolder(work func(dir string) error) error {
	dir, err := os.MkdirTemp("", "ialgn-fuzz-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return work(dir)
}

// emit writes the Verilog of a product.
func (o options) emit(d verify.Design, dir string) (rtl.Files, error) {
	files := rtl.Files{Module: module, Design: filepath.Join(dir, module+".v"), Style: o.style, Target: o.family()}
	d, err := d.WithTag()
	if err != nil {
		return files, err
	}
	return files, o.write(files.Design, d.Product, verilog.Write)
}

// module is the name of the emitted module.
const module = "dut"

// write writes one file of a product.
func (o options) write(path string, n *netlist.Netlist, write func(io.Writer, *netlist.Netlist,
	verilog.Options) error,
) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(file, n, verilog.Options{Module: module, Style: o.style, Target: o.family()})
	return errors.Join(err, file.Close())
}

// simulateRTL compares a design with the product in iverilog.
func simulateRTL(ctx context.Context, check string, d verify.Design, s verify.Samples, files rtl.Files) error {
	r, err := rtl.Check(ctx, d, s, files, "iverilog", simulated)
	if err != nil {
		return fmt.Errorf("%s: %w", check, err)
	}
	if r.Mismatches > 0 {
		return &mismatch{fmt.Sprintf("%s: %v", check, r.First[0])}
	}
	return nil
}

// These are the flows in which yosys synthesises. One flow maps to yosys's own gates, and the other to an FPGA.
const (
	flowGates = "synth"
	flowIce40 = "synth_ice40"
)

// flow returns the synthesis flow for a seed. Verilog with iCE40 primitives needs the iCE40 flow. Verilog with
// primitives of other targets needs the general flow.
func (o options) flow(seed uint64) string {
	switch {
	case o.style == verilog.LUTs && o.family() == target.ICE40:
		return flowIce40
	case o.style == verilog.LUTs || seed%2 == 0:
		return flowGates
	}
	return flowIce40
}

// synthesise synthesises the emitted Verilog with yosys and simulates the result in iverilog, with yosys's models of
// the cells. It compares only the ports, because synthesis removes the probes of class counts.
func (o options) synthesise(ctx context.Context, d verify.Design, s verify.Samples, flow string) error {
	return inFolder(func(dir string) error {
		files, err := o.cells(ctx, d, dir, flow)
		if err != nil {
			return err
		}
		return simulateRTL(ctx, "after yosys "+flow, d, s, files)
	})
}

// cells writes the netlist that yosys synthesises from a product, with models of its cells.
func (o options) cells(ctx context.Context, d verify.Design, dir, flow string) (files rtl.Files, err error) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		return files, err
	}
	if files, err = o.emit(d, dir); err != nil {
		return files, err
	}
	read := "read_verilog -nosynthesis " + filepath.Base(files.Design)
	if o.style == verilog.LUTs && flow == flowGates {
		if err := o.write(filepath.Join(dir, "cells.v"), d.Product, verilog.WriteCells); err != nil {
			return files, err
		}
		read += " cells.v"
	}
	c := tool.Command{Args: []string{"-q", "-p", read + "; " + script(flow)}, Dir: dir, Limit: toolLimit}
	if r, err := yosys.Run(ctx, c); err != nil {
		return files, fmt.Errorf("%s: %w\n%s%s", flow, err, r.Stdout, r.Stderr)
	}
	files.Style, files.Design = verilog.Gates, filepath.Join(dir, "whole.v")
	return files, withModels(files.Design, filepath.Join(dir, synthesised), yosys, flow)
}

// synthesised is the name of the file that yosys writes.
const synthesised = "post.v"

// script returns the yosys commands to synthesise a module. The commands check that the result consists only of cells
// and has no latches.
func script(flow string) string {
	options := "-flatten "
	if flow == flowIce40 {
		options = "" // this flow always flattens
	}
	return flow + " " + options + "-top " + module + "; check -assert; select -assert-none t:$_DLATCH* t:$dlatch; " +
		"write_verilog -noattr -noexpr " + synthesised
}

// withModels writes yosys's netlist and its cell models into one file. A macro in the file tells the testbench not
// to look at internal nets.
func withModels(path, netlist string, yosys *tool.Tool, flow string) error {
	models := "simcells.v"
	if flow == flowIce40 {
		models = filepath.Join("ice40", "cells_sim.v")
	}
	text := []byte("`define NO_PROBES\n`define NO_ICE40_DEFAULT_ASSIGNMENTS // which are no Verilog of 2001\n")
	for _, part := range []string{netlist, filepath.Join(filepath.Dir(yosys.Path), "..", "share", "yosys", models)} {
		more, err := os.ReadFile(part)
		if err != nil {
			return err
		}
		text = append(text, more...)
	}
	return os.WriteFile(path, text, 0o666)
}
