package wrapper

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/hardware/encoder"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verilog"
	"ialgn/netlist"
	"ialgn/sim"
)

// wrapperCase is a classifier to put into wrappers.
type wrapperCase struct {
	name  string
	n     *netlist.Netlist // without registers
	apart bool             // the wrapper contains the encoder
	stage int
	tag   int // bits of the tag
}

// wrapperCases returns classifiers whose words have one bit, several bits or more than a byte. Their results are
// shorter or longer than a sample.
func wrapperCases(t *testing.T) []wrapperCase {
	t.Helper()
	freeze := func(o netgen.FrozenOptions, scope netlist.Scope) *netlist.Netlist {
		return netgen.FrozenNetlist(3, o, scope, 0)
	}
	counted := func(n *netlist.Netlist, classes ...string) *netlist.Netlist {
		n, err := netlist.WithCounts(n, classes)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	small := netgen.FrozenOptions{
		Width: 32, Depth: 4, Features: 11, Bits: 5, BitsIn: 5, Classes: 4, ShareA: 0.3,
		ShareBinary: 0.6,
	}
	wide := netgen.FrozenOptions{
		Width: 300, Depth: 3, Features: 3, Bits: 4, BitsIn: 12, Classes: 2, ShareA: 0.3,
		ShareBinary: 0.6,
	}
	large := netgen.FrozenOptions{
		Width: 32, Depth: 3, Features: 130, Bits: 4, BitsIn: 8, Classes: 4, ShareA: 0.3,
		ShareBinary: 0.6,
	}
	many := netgen.FrozenOptions{Width: 258, Depth: 2, Features: 3, Bits: 4, BitsIn: 4, Classes: 129} // the class has 8 bits
	return []wrapperCase{
		{"words", freeze(small, netlist.Full), false, 0, 0},
		{"levels", freeze(small, netlist.Full), true, 0, 0},
		{"levels and stages", freeze(small, netlist.Full), true, 2, 0},
		{"bits and counts", counted(freeze(small, netlist.Core), "a", "b", "c", "d"), false, 1, 0},
		{"bits of gates", freeze(small, netlist.Gates), false, 0, 0},
		{"wide words, uncertain and counts", counted(netgen.FrozenNetlist(3, wide, netlist.Full, 9), "a", "b"), false, 3, 0},
		{"more than a number holds", freeze(large, netlist.Full), true, 0, 0},
		{"uncertain above a byte", netgen.FrozenNetlist(3, many, netlist.Full, 1), false, 0, 0},
	}
}

// taken reports whether a test combines the given case with the given kind of wrapper. The long tests use all
// combinations. The short tests use two kinds for each case.
func taken(c, kind int) bool { return testkit.Whole() || (c+kind)%2 == 0 }

// sourcesOf writes core, wrapper, testbench and vectors of a case and returns the folder.
func sourcesOf(t *testing.T, c wrapperCase, kind string, samples int, change ...string) string {
	t.Helper()
	n := staged(t, c.n, c.stage)
	o, core := Options{Header: []string{"a test"}, Core: "net", Tag: c.tag}, n
	if kind == "uart" && c.name != "words" {
		o.ClockHz, o.Baud = 1_000_000, 125_000 // fewer clocks for each bit than the default, to save time
	}
	if c.apart {
		s := encoder.Apart(n)
		if s == nil {
			t.Fatal("the encoder is not separate from the core")
		}
		core, o.Levels = s.Core, &Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
	}
	dir := t.TempDir()
	file := func(name string, content func(io.Writer) error) {
		var b strings.Builder
		if err := content(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if name == "net_"+kind+".v" {
			for i := 0; i < len(change); i += 2 {
				if !strings.Contains(text, change[i]) {
					t.Fatalf("the wrapper %s has no %q", kind, change[i])
				}
				text = strings.Replace(text, change[i], change[i+1], 1)
			}
		}
		write(t, dir, name, text)
	}
	file("net.v", func(w io.Writer) error {
		return verilog.Write(w, tagged(t, core, c.tag), verilog.Options{Module: "net"})
	})
	file("net_"+kind+".v", func(w io.Writer) error { return Write(kind, w, core, o) })
	file("net_"+kind+"_tb.v", func(w io.Writer) error {
		return WriteTestbench(w, n, Bench{
			Kind: kind, Vectors: "net_vectors.txt",
			Sources: []string{"net_" + kind + ".v", "net.v"},
		}, o)
	})
	file("net_vectors.txt", func(w io.Writer) error {
		return verilog.WriteVectors(w, tagged(t, n, c.tag), vectorsOf(t, c.n, samples).WithTags(c.tag))
	})
	return dir
}

// tagged returns a netlist with a tag.
func tagged(t *testing.T, n *netlist.Netlist, bits int) *netlist.Netlist {
	t.Helper()
	with, _, err := netlist.WithTag(n, bits)
	if err != nil {
		t.Fatal(err)
	}
	return with
}

// vectorsOf returns random samples with the simulator's results.
func vectorsOf(t *testing.T, n *netlist.Netlist, samples int) verilog.Vectors {
	t.Helper()
	r := rand.New(rand.NewPCG(5, uint64(samples)))
	v := verilog.Vectors{Samples: samples, Words: (samples + 63) / 64}
	for range len(n.InputPorts()[0].Nets) * v.Words {
		v.Inputs = append(v.Inputs, r.Uint64())
	}
	s, err := sim.New(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Settle(v.Words, v.Inputs); err != nil {
		t.Fatal(err)
	}
	rows := func(ports []netlist.Port) (rows []uint64) {
		for _, p := range ports {
			rows = append(rows, s.Port(p, nil)...)
		}
		return rows
	}
	v.Outputs, v.Probes = rows(n.OutputPorts()), rows(n.Probes())
	return v
}

// runBench compiles a testbench with iverilog, which must print no warning, and returns the simulation's output.
func runBench(t *testing.T, dir, kind string, args ...string) string {
	t.Helper()
	top := "net_" + kind
	testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", "-o", "a.vvp", top+"_tb.v", top+".v", "net.v")
	return simulate(t, dir, args...)
}

// TestTestbench runs the testbench of each wrapper around each case.
func TestTestbench(t *testing.T) {
	for i, c := range wrapperCases(t) {
		for j, kind := range Kinds() {
			if c.name != "levels" && !taken(i, j) {
				continue
			}
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				if c.name != "levels" {
					if got := runBench(t, sourcesOf(t, c, kind, 2), kind); got != "PASS: 2 vectors\n" {
						t.Errorf("%s", got)
					}
					return
				}
				dir := sourcesOf(t, c, kind, 5)
				if got := runBench(t, dir, kind); got != "PASS: 5 vectors\n" {
					t.Errorf("%s", got)
				}
				if got := simulate(t, dir, "+count=4"); got != "PASS: 4 vectors\n" {
					t.Errorf("of four: %s", got)
				}
				if got := simulate(t, dir, "+count=6"); got != "FAIL: net_vectors.txt ends after 5 vectors\n" {
					t.Errorf("of more than there are: %s", got)
				}
				if got := simulate(t, dir, "+vectors=none.txt"); !strings.HasSuffix(got, "FAIL: cannot open none.txt\n") {
					t.Errorf("without vectors: %s", got)
				}
			})
		}
	}
}

// TestTestbenchVectors runs a testbench on vectors with a wrong class, and on vectors with a truncated line.
func TestTestbenchVectors(t *testing.T) {
	c := wrapperCases(t)[1]
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := sourcesOf(t, c, kind, 6)
			path := filepath.Join(dir, "net_vectors.txt")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(text), "\n")
			numbers := strings.Fields(lines[4])
			numbers[1] = map[string]string{"0": "1", "1": "2", "2": "3", "3": "0"}[numbers[1]]
			wrong := slices.Clone(lines)
			wrong[4] = strings.Join(numbers, " ") + "\n"
			write(t, dir, "net_vectors.txt", strings.Join(wrong, ""))
			if got := runBench(t, dir, kind); !strings.HasPrefix(got, "sample 4: class_index: got ") ||
				!strings.HasSuffix(got, "\nFAIL: 1 of 6 vectors\n") {
				t.Errorf("a wrong class: %s", got)
			}
			write(t, dir, "net_vectors.txt", strings.Join(lines[:3], "")+lines[3][:5]+"\n")
			if got := simulate(t, dir); !strings.HasPrefix(got, "FAIL: net_vectors.txt: vector 3 is not a line of ") {
				t.Errorf("a line that is cut: %s", got)
			}
		})
	}
}

// TestTestbenchFaults breaks wrappers. The testbenches must find the faults.
func TestTestbenchFaults(t *testing.T) {
	counted := wrapperCases(t)[3]
	for _, c := range []struct{ kind, good, bad string }{
		{"stream", "if (in_last & whole & ~skip) full", "if (in_last & whole & skip) full"},
		{"stream", "class_index <= core_class_index", "class_index <= ~core_class_index"},
		{"stream", "counts <= core_counts", "counts <= ~core_counts"},
		{"stream", "else if (out_ready) out_valid", "else if (1'b0) out_valid"},
		{"stream", "if (rst) out_valid <= 1'b0;", "if (1'b0) out_valid <= 1'b0;"},
		{"axis", "m_axis_tlast = 1'b1", "m_axis_tlast = 1'b0"},
		{"axis", ".in_data(s_axis_tdata)", ".in_data({s_axis_tdata[7:0], s_axis_tdata[8*BYTES-1:8]})"},
		{"axis", ".in_last(s_axis_tlast)", ".in_last(1'b1)"},
		{"uart", "result[{to, 3'd0}+:8]", "~result[{to, 3'd0}+:8]"},
		{"uart", "localparam [31:0] BIT = (CLOCK_HZ", "localparam [31:0] BIT = (CLOCK_HZ + CLOCK_HZ / 2"},
		{"uart", "tx_bits  <= 4'd10", "tx_bits  <= 4'd9"},
		{"uart", "frame_error = failed", "frame_error = ~failed"},
		{"spi", "shift      <= {6'd0, error, out_valid}", "shift      <= {6'd1, error, out_valid}"},
		{"spi", "left ? result", "left ? ~result"},
		{"spi", "wire out_ready = whole & final_byte", "wire out_ready = 1'b0"},
		{"spi", "assign ready = out_valid", "assign ready = 1'b0"},
		{"byte", "uo_out = result", "uo_out = ~result"},
		{"byte", "uio_oe = 8'b01101010", "uio_oe = 8'b01111010"},
		{"byte", "uio_out = {1'b0, error, out_last", "uio_out = {1'b0, error, 1'b1"},
		{"byte", ".out_ready(uio_in[4] & out_last)", ".out_ready(uio_in[4])"},
		{"byte", ".in_last(uio_in[2])", ".in_last(1'b1)"},
	} {
		t.Run(c.kind+" "+c.bad, func(t *testing.T) {
			t.Parallel()
			if got := runBench(t, sourcesOf(t, counted, c.kind, 6, c.good, c.bad), c.kind); !strings.Contains(got, "FAIL") {
				t.Errorf("%s", got)
			}
		})
	}
}

// TestTestbenchVerilator has verilator run a testbench of each kind, without a warning.
func TestTestbenchVerilator(t *testing.T) {
	testkit.Long(t, "verilator compiles a testbench of each kind")
	c := wrapperCases(t)[2]
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			dir, top := sourcesOf(t, c, kind, 6), "net_"+kind
			testkit.RunTool(t, testkit.FindTool(t, "verilator"), dir, "--binary", "--timing", "-MAKEFLAGS",
				"OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0", "--top-module", top+"_tb", top+"_tb.v", top+".v", "net.v")
			out, err := testkit.TryOtherTool(t, dir, filepath.Join(dir, "obj_dir", "V"+top+"_tb"))
			if err != nil || !strings.HasPrefix(out, "PASS: 6 vectors\n") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestInterface compares the ports that [NewInterface] reports with the ports of the Verilog, as yosys reads them.
func TestInterface(t *testing.T) {
	yosys := testkit.FindTool(t, "yosys")
	for i, c := range wrapperCases(t) {
		for j, kind := range Kinds() {
			if !taken(i, j) {
				continue
			}
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				dir, top := sourcesOf(t, c, kind, 1), "net_"+kind
				testkit.RunTool(t, yosys, dir, "-q", "-p", "read_verilog "+top+".v; proc; write_json net.json")
				n := staged(t, c.n, c.stage)
				o := Options{Core: "net"}
				if c.apart {
					s := encoder.Apart(n)
					n, o.Levels = s.Core, &Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
				}
				i, err := NewInterface(kind, n, o)
				if err != nil {
					t.Fatal(err)
				}
				var got strings.Builder
				for _, p := range i.Ports {
					fmt.Fprintln(&got, p.Name, max(1, p.Width), p.Output)
				}
				if want := portsAsRead(t, filepath.Join(dir, "net.json"), top); got.String() != want {
					t.Errorf("reported:\n%s\nread:\n%s", got.String(), want)
				}
				if clock := slices.IndexFunc(i.Ports, func(p Port) bool { return p.Name == i.Clock }); clock != 0 ||
					i.Module != top {
					t.Errorf("module %s, clock %s", i.Module, i.Clock)
				}
			})
		}
	}
}

// portsAsRead returns the ports of a module as yosys reads them, with one port on each line.
func portsAsRead(t *testing.T, path, module string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Modules map[string]struct {
			Ports json.RawMessage `json:"ports"`
		} `json:"modules"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(string(file.Modules[module].Ports))) // to keep the order of the ports
	for _, err := d.Token(); d.More() && err == nil; {
		name, _ := d.Token()
		var p struct {
			Direction string `json:"direction"`
			Bits      []any  `json:"bits"`
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, name, len(p.Bits), p.Direction == "output")
	}
	return b.String()
}
