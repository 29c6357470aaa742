package verilog_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// styles lists all ways to write function cells. Each has the number of inputs of its widest LUT.
var styles = []struct {
	opt verilog.Options
	k   int
}{
	{verilog.Options{Style: verilog.Gates, Version: 0xc0ffee01}, 6},
	{verilog.Options{Style: verilog.LUTs, Target: target.Generic, Version: 1}, 6},
	{verilog.Options{Style: verilog.LUTs, Target: target.Xilinx7}, 6},
	{verilog.Options{Style: verilog.LUTs, Target: target.ECP5}, 4},
	{verilog.Options{Style: verilog.LUTs, Target: target.Gowin}, 4},
	{verilog.Options{Style: verilog.LUTs, Target: target.Intel}, 6},
	{verilog.Options{Style: verilog.LUTs, Target: target.PolarFire}, 4},
	{verilog.Options{Style: verilog.LUTs, Target: target.Efinix}, 4},
	{verilog.Options{Style: verilog.LUTs, Target: target.GateMate}, 4},
	{verilog.Options{Style: verilog.LUTs, Target: target.ICE40, Version: 0xffffffff}, 4},
}

// text returns the output of a writer.
func text(t *testing.T, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestClean checks the Verilog of random networks, raw and mapped. verilator, iverilog and yosys must print no
// warning. A second run must give the same bytes, also with another number of threads. The long tests check each
// scope in each style and for each target. The short tests check each style and each target in the full scope, and
// the style Gates in each scope.
func TestClean(t *testing.T) {
	seeds := uint64(2)
	if !testkit.Whole() {
		seeds = 1
	}
	for seed := range seeds {
		for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
			o := netgen.FrozenOptions{
				Width: 30, Depth: 6, Features: 20, Classes: 3, ShareA: 0.4, ShareBinary: 0.57,
				Topology: netgen.Topology(seed % 2),
			}
			f := netgen.Frozen(seed, o)
			raw, err := freeze.Network(f, scope)
			if err != nil {
				t.Fatal(err)
			}
			for _, style := range styles {
				if scope != netlist.Full && style.opt.Style != verilog.Gates && !testkit.Whole() {
					continue
				}
				t.Run(fmt.Sprintf("%d-%v-%d-%s", seed, scope, style.opt.Style, style.opt.Target), func(t *testing.T) {
					n := compiled(t, f, scope, style.k, 1)
					clean(t, n, style.opt)
					again := compiled(t, f, scope, style.k, 2)
					if !bytes.Equal(text(t, func(w io.Writer) error { return verilog.Write(w, n, style.opt) }),
						text(t, func(w io.Writer) error { return verilog.Write(w, again, style.opt) })) {
						t.Error("other bytes in a second run with two threads")
					}
					if scope == netlist.Full && (style.opt.Style == verilog.Gates || style.opt.Target == target.ICE40) {
						clean(t, raw, style.opt)
					}
				})
			}
		}
	}
}

// forbidden matches constructs that could describe a latch or that switch off a tool's warnings.
var forbidden = regexp.MustCompile(`lint_off|translate_off|\b(always|initial|case[xz]?|reg)\b`)

// clean checks the files of a netlist.
func clean(t *testing.T, n *netlist.Netlist, opt verilog.Options) {
	t.Helper()
	find := func(name string) *tool.Tool {
		p, err := tool.Find(name)
		if err != nil {
			t.Skip(err)
		}
		return p
	}
	verilator, iverilog, yosys := find("verilator"), find("iverilog"), find("yosys")
	dir, files := t.TempDir(), []string{n.Name + ".v"}
	module := text(t, func(w io.Writer) error { return verilog.Write(w, n, opt) })
	cells := text(t, func(w io.Writer) error { return verilog.WriteCells(w, n, opt) })
	checkText(t, "module", string(module))
	if err := os.WriteFile(filepath.Join(dir, files[0]), module, 0o600); err != nil {
		t.Fatal(err)
	}
	if len(cells) > 0 {
		checkText(t, "cells", string(cells))
		files = append(files, n.Name+"_cells.v")
		if err := os.WriteFile(filepath.Join(dir, files[1]), cells, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	silent := func(p *tool.Tool, args ...string) {
		t.Helper()
		r, err := p.Run(t.Context(), tool.Command{Args: args, Dir: dir, Limit: time.Minute})
		if out := r.Stdout + r.Stderr; err != nil || out != "" {
			t.Errorf("%s: %v\n%s", p.Name, err, out)
		}
	}
	silent(verilator, append([]string{"--lint-only", "-Wall", "--top-module", n.Name}, files...)...)
	silent(iverilog, append([]string{"-Wall", "-g2001", "-o", "a.vvp"}, files...)...)
	silent(yosys, "-q", "-e", ".", "-p", "read_verilog -nosynthesis "+strings.Join(files, " ")+"; hierarchy -check -top "+n.Name+
		"; proc; check -assert; select -assert-none t:$dlatch t:$adlatch t:$dlatchsr t:$sr t:$dff t:$mem* %% ")
}

// checkText checks properties that no tool checks. The only reg in a file may be the variable best in the helper
// functions.
func checkText(t *testing.T, what, text string) {
	t.Helper()
	if first, last := strings.Index(text, "`default_nettype none\n"), "\n`default_nettype wire\n"; first < 0 ||
		!strings.HasSuffix(text, last) ||
		strings.Index(text, "\nmodule ") < first || strings.Count(text, "`default_nettype") != 2 {
		t.Errorf("%s: the default net type is not none throughout, or not restored", what)
	}
	text = strings.ReplaceAll(text, "    reg [BITS-1:0] best;\n", "")
	for line := range strings.Lines(text) {
		code, _, _ := strings.Cut(line, "//")
		if found := forbidden.FindString(code); found != "" {
			t.Errorf("%s: %q in %s", what, found, line)
		}
	}
}
