package handover_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/handover"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/tool"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// classifier returns a small whole classifier.
func classifier(t *testing.T) *netlist.Netlist {
	t.Helper()
	n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{}), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// clocked returns a netlist with two stages of registers. Some of its names must be written as extended identifiers
// in VHDL.
func clocked() *netlist.Netlist {
	b := netlist.NewBuilder("clocked_")
	x := b.Input("x", 4, 1, nil)
	ce := b.Input("ce", 1, 1, nil)
	b.Input("X", 1, 1, []string{"another\nport"})
	b.Input("signal", 2, 2, nil)
	v := b.Function(0b0110, netlist.Origin{Layer: 1}, x[0], x[1])
	for range 2 {
		v = b.Cell(netlist.Register, 0, netlist.Origin{}, v, ce[0])
	}
	b.Output("class_index", 1, []string{"class"}, []netlist.Net{v})
	return b.Netlist()
}

func options(family *target.Family) handover.Options {
	return handover.Options{
		Target: family, Style: verilog.LUTs, MHz: 133.3, Version: 0x1ea5ed01,
		Classes: []string{"normal", "worn out", "", "NORMAL", "_d\u00e9j\u00e0__vu_", "normal_3"},
	}
}

// find returns an external program, or skips the test.
func find(t *testing.T, name string) *tool.Tool {
	t.Helper()
	p, err := tool.Find(name)
	if err != nil {
		t.Skip(err)
	}
	return p
}

// write writes a file with the given content.
func write(t *testing.T, path string, content func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := content(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// hand writes the Verilog of n and all files that accompany it.
func hand(t *testing.T, n *netlist.Netlist, opt handover.Options) string {
	t.Helper()
	dir := t.TempDir()
	v := verilog.Options{Style: opt.Style, Target: opt.Target, Version: opt.Version}
	for suffix, content := range map[string]func(io.Writer) error{
		".v":       func(w io.Writer) error { return verilog.Write(w, n, v) },
		"_tb.v":    func(w io.Writer) error { return verilog.WriteTestbench(w, n, v) },
		"_cells.v": func(w io.Writer) error { return verilog.WriteCells(w, n, v) },
	} {
		write(t, filepath.Join(dir, n.Name+suffix), content)
	}
	for _, f := range handover.Files(opt) {
		write(t, filepath.Join(dir, n.Name+f.Suffix), func(w io.Writer) error { return f.Write(w, n, opt) })
	}
	return dir
}

// run runs a program that must succeed and returns what it printed.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		t.Skipf("%s is not installed", args[0])
	}
	r, err := (&tool.Tool{Name: args[0], Path: path}).Run(t.Context(),
		tool.Command{Args: args[1:], Dir: dir, Limit: time.Minute})
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, r.Stdout, r.Stderr)
	}
	return r.Stdout + r.Stderr
}

func TestGolden(t *testing.T) {
	for name, n := range map[string]*netlist.Netlist{"full": classifier(t), "clocked": clocked()} {
		for _, family := range target.Families() {
			opt := options(family)
			for _, f := range handover.Files(opt) {
				var got bytes.Buffer
				if err := f.Write(&got, n, opt); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join("testdata", name+"_"+family.Name+f.Suffix)
				if f.Format == "template" || f.Format == "vhdl" { // these files are the same for all targets
					path = filepath.Join("testdata", name+f.Suffix)
				}
				if *update {
					if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got.String()); diff != "" {
					t.Errorf("%s (-want +got), go test -update accepts it:\n%s", path, diff)
				}
			}
		}
	}
}

// TestTemplate includes the template in a user's module and compiles it with the file list, without a warning.
func TestTemplate(t *testing.T) {
	n := classifier(t)
	for _, family := range target.Families() {
		opt := options(family)
		dir := hand(t, n, opt)
		user := fmt.Sprintf("`default_nettype none\nmodule user (input wire [47:0] data, output wire [1:0] class_out, "+
			"output wire [31:0] build);\n"+
			"`include \"%[1]s_inst.vh\"\n  assign x = data;\n  assign class_out = class_index;\n  assign build = "+
			"%[1]s_VERSION;\nendmodule\n", n.Name)
		if err := os.WriteFile(filepath.Join(dir, "user.v"), []byte(user), 0o600); err != nil {
			t.Fatal(err)
		}
		list := n.Name + ".vc"
		if !family.Modelled { // only a simulator has models of this vendor's primitives
			text := "user.v\n" + n.Name + "_cells.v\n"
			if err := os.WriteFile(filepath.Join(dir, "more.f"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(dir, "more.f"), []byte("user.v\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := run(t, dir, "verilator", "--lint-only", "-Wall", "--top-module", "user", "-F", list, "-F",
			"more.f"); out != "" {
			t.Errorf("%s: verilator:\n%s", family, out)
		}
		if out := run(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", "-s", "user", "-f", list, "-f",
			"more.f"); out != "" {
			t.Errorf("%s: iverilog:\n%s", family, out)
		}
		if out := run(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", "-f", n.Name+"_sim.vc"); out != "" {
			t.Errorf("%s: iverilog:\n%s", family, out)
		}
	}
}

// TestVersion reads the version word back from the Verilog. A simulator reads the local parameter, and yosys reads
// the attribute. The word must add no cells.
func TestVersion(t *testing.T) {
	yosys := find(t, "yosys")
	find(t, "iverilog")
	n := classifier(t)
	opt := options(target.Generic)
	opt.Style = verilog.Gates
	dir := hand(t, n, opt)
	ask := "module ask; wire [47:0] x = 0; wire [1:0] c; " + n.Name + " dut (.x(x), .class_index(c));\n" +
		"  initial $display(\"%h\", dut.VERSION);\nendmodule\n"
	if err := os.WriteFile(filepath.Join(dir, "ask.v"), []byte(ask), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "iverilog", "-g2001", "-o", "a.vvp", "-s", "ask", "ask.v", n.Name+".v")
	if got := run(t, dir, "vvp", "a.vvp"); got != "1ea5ed01\n" {
		t.Errorf("the simulator reads %q", got)
	}
	out := run(t, dir, yosys.Path, "-p", "read_verilog "+n.Name+".v; synth -top "+n.Name+"; write_rtlil")
	if !regexp.MustCompile(`attribute \\ialgn_version 514190593\b|attribute \\ialgn_version 32'0{3}11110101001011110110100000001`).MatchString(out) {
		t.Errorf("yosys does not keep the attribute")
	}
	plain := opt
	plain.Version = 0
	count := regexp.MustCompile(`Number of cells: +(\d+)`)
	last := func(out string) string { m := count.FindAllString(out, -1); return m[len(m)-1] }
	if got, want := last(out), last(run(t, hand(t, n, plain), yosys.Path, "-p", "read_verilog "+n.Name+".v; synth -top "+
		n.Name)); got != want {
		t.Errorf("with the word: %s, without: %s", got, want)
	}
	if v := handover.Version("1.0", "ab", []byte("{}")); v == handover.Version("1.0", "ab", []byte("{1}")) ||
		v == handover.Version("1.0", "ac", []byte("{}")) ||
		v != handover.Version("1.0", "ab", []byte("{}")) || v == 0 {
		t.Error("the word does not depend on model and options alone")
	}
}

// TestVHDL uses GHDL to compile the package and an entity that instantiates the component.
func TestVHDL(t *testing.T) {
	if _, err := exec.LookPath("ghdl"); err != nil {
		t.Skip("ghdl is not installed: apt-get install ghdl")
	}
	for name, tt := range map[string]struct {
		n              *netlist.Netlist
		unit, instance string
	}{
		"full": {classifier(t), "random_pkg", "random port map (x => (others => '0'), class_index => open)"},
		"clocked": {
			clocked(), `\clocked__pkg\`,
			`\clocked_\ port map (clk => '0', rst => '0', ce => '1', in_valid => '0', out_valid => open, x => "0000", \X\ => "0", \signal\ => "00", class_index => open)`,
		},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "pkg.vhd"), func(w io.Writer) error {
			return handover.WriteVHDL(w, tt.n,
				options(target.Generic))
		})
		user := "library ieee; use ieee.std_logic_1164.all; use work." + tt.unit + ".all;\nentity user is end entity;\n" +
			"architecture a of user is begin u : " + tt.instance + "; end architecture;\n"
		if err := os.WriteFile(filepath.Join(dir, "user.vhd"), []byte(user), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, standard := range []string{"93", "08"} {
			if out := run(t, dir, "ghdl", "-a", "--std="+standard, "pkg.vhd", "user.vhd"); out != "" {
				t.Errorf("%s, VHDL-%s:\n%s", name, standard, out)
			}
		}
	}
}

// TestTcl runs the Tcl constraints in a shell that defines their commands and prints them.
func TestTcl(t *testing.T) {
	const shell = `foreach c {create_clock set_max_delay} { proc $c args "puts \"$c \$args\"" }
foreach c {get_ports all_inputs all_outputs} { proc $c args "return \"<$c \$args>\"" }
source [lindex $argv 0]
`
	for _, family := range []*target.Family{target.Generic, target.Gowin, target.Xilinx7} {
		for want, n := range map[string]*netlist.Netlist{
			"create_clock -name clk -period 7.501 {<get_ports clk>}\n":         clocked(),
			"set_max_delay 7.501 -from {<all_inputs >} -to {<all_outputs >}\n": classifier(t),
		} {
			dir := t.TempDir()
			opt := options(family)
			write(t, filepath.Join(dir, "a.sdc"), func(w io.Writer) error { return handover.WriteConstraints(w, n, opt) })
			if err := os.WriteFile(filepath.Join(dir, "shell.tcl"), []byte(shell), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := run(t, dir, "tclsh", "shell.tcl", "a.sdc"); got != want {
				t.Errorf("%s: %q, want %q", family, got, want)
			}
		}
	}
}

// TestPCF passes the iCE40 constraints to nextpnr, which must use the frequency in these constraints.
func TestPCF(t *testing.T) {
	find(t, "nextpnr-ice40")
	find(t, "yosys")
	n := clocked()
	dir := t.TempDir()
	opt := options(target.ICE40)
	write(t, filepath.Join(dir, "a.pcf"), func(w io.Writer) error { return handover.WriteConstraints(w, n, opt) })
	const top = "module top (input clk, input [3:0] x, output reg class_index);\n" +
		"reg a; always @(posedge clk) begin a <= x[0] ^ x[1]; class_index <= a; end\nendmodule\n"
	if err := os.WriteFile(filepath.Join(dir, "top.v"), []byte(top), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "yosys", "-q", "-p", "read_verilog top.v; synth_ice40 -top top -json top.json")
	out := run(t, dir, "nextpnr-ice40", "--hx1k", "--package", "tq144", "--json", "top.json", "--pcf", "a.pcf",
		"--pcf-allow-unconstrained")
	if !strings.Contains(out, "constraining clock net 'clk' to 133.30 MHz") {
		t.Errorf("nextpnr does not take the frequency:\n%s", out)
	}
}

func TestRefuse(t *testing.T) {
	n := classifier(t)
	for _, tt := range []struct {
		opt  handover.Options
		want string
	}{
		{handover.Options{Module: "a;b", MHz: 1}, `handover: module: "a;b" is no Verilog identifier`},
		{handover.Options{Module: "entity", MHz: 0}, "handover: a clock of 0 MHz is out of range"},
		{handover.Options{MHz: 1e5}, "handover: a clock of 100000 MHz is out of range"},
	} {
		var out bytes.Buffer
		if err := handover.WriteConstraints(&out, n, tt.opt); err == nil || !strings.HasPrefix(err.Error(), tt.want) ||
			out.Len() > 0 {
			t.Errorf("got error %v and %d bytes, want %s", err, out.Len(), tt.want)
		}
	}
	b := netlist.NewBuilder("net")
	x := b.Input("clk", 1, 1, nil)
	ce := b.Input("ce", 1, 1, nil)
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x[0], ce[0])})
	if err := handover.WriteVHDL(io.Discard, b.Netlist(), handover.Options{}); err == nil ||
		!strings.Contains(err.Error(), `the name "clk" is taken`) {
		t.Errorf("a port clk in addition to the clock: %v", err)
	}
	b = netlist.NewBuilder("net")
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, b.Input("x", 1, 1, nil)...)})
	if err := handover.WriteTemplate(io.Discard, b.Netlist(), handover.Options{}); err == nil ||
		!strings.Contains(err.Error(), "is no pipeline") {
		t.Errorf("registers without the enable of a pipeline: %v", err)
	}
}
