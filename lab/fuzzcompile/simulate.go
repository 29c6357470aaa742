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

// simulated is how many samples run in iverilog.
const simulated = 64

// toolLimit bounds the time of one run of yosys or abc.
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

// inFolder calls work with an empty folder.
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

// write writes a file of a product.
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

// simulateRTL has iverilog compare a design with the product.
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

// The flows of yosys: to its own gates, and to an FPGA.
const (
	flowGates = "synth"
	flowIce40 = "synth_ice40"
)

// flow returns what yosys is to do with the Verilog of a seed. Primitives of iCE40 go with the
// flow for it, those of others with the other.
func (o options) flow(seed uint64) string {
	switch {
	case o.style == verilog.LUTs && o.family() == target.ICE40:
		return flowIce40
	case o.style == verilog.LUTs || seed%2 == 0:
		return flowGates
	}
	return flowIce40
}

// synthesise has yosys make cells of the emitted Verilog, and runs these in iverilog with
// yosys's models of them. The ports alone are compared: the class counts are gone.
func (o options) synthesise(ctx context.Context, d verify.Design, s verify.Samples, flow string) error {
	return inFolder(func(dir string) error {
		files, err := o.cells(ctx, d, dir, flow)
		if err != nil {
			return err
		}
		return simulateRTL(ctx, "after yosys "+flow, d, s, files)
	})
}

// cells writes what yosys makes of a product, with the models of its cells.
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

// synthesised is the file that yosys writes.
const synthesised = "post.v"

// script returns what yosys does with the module that it has read. Nothing but cells comes
// out, and none of them a latch.
func script(flow string) string {
	options := "-flatten "
	if flow == flowIce40 {
		options = "" // the flow flattens anyway
	}
	return flow + " " + options + "-top " + module + "; check -assert; select -assert-none t:$_DLATCH* t:$dlatch; " +
		"write_verilog -noattr -noexpr " + synthesised
}

// withModels writes a netlist of yosys and its models of the cells into one file, which has
// the testbench look at no nets inside.
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
