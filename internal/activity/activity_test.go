package activity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/names"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/verilog"
	"ialgn/netlist"
	"ialgn/sim"
)

// classifier returns a random classifier. If k is not 0, it is lowered to LUTs with k inputs.
func classifier(t *testing.T, scope netlist.Scope, k int, p pipeline.Options) *netlist.Netlist {
	t.Helper()
	n, err := freeze.Network(netgen.Model(netgen.ModelOptions{Seed: 4, Features: 9, Width: 60, Depth: 5}).Freeze(), scope)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err = compiler.Optimise(t.Context(), n, compiler.LevelRepeat); err != nil {
		t.Fatal(err)
	}
	if k == 0 {
		return n
	}
	o := hardware.Options{K: k, Objective: lut.Balanced, Threads: 1, Pipeline: p}
	if o.Target, err = target.Find("generic"); err != nil {
		t.Fatal(err)
	}
	d, err := o.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return d.Netlist
}

// randomRows returns random bit rows of n's input port.
func randomRows(n *netlist.Netlist, words int) []uint64 {
	r := rand.New(rand.NewPCG(uint64(words), 8))
	x := make([]uint64, len(n.DataInputs()[0].Nets)*words)
	for i := range x {
		x[i] = r.Uint64()
	}
	return x
}

// slowly counts the transitions of each net sample by sample and returns them by the net's name.
func slowly(t *testing.T, n *netlist.Netlist, x []uint64, samples int) map[string]int {
	t.Helper()
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := len(n.DataInputs()[0].Nets)
	words, names, count := len(x)/rows, names.New(n), map[string]int{}
	last := make([]uint64, n.Nets())
	for i := range samples {
		in := make([]uint64, rows)
		for row := range in {
			in[row] = x[row*words+i/64] >> (i % 64) & 1
		}
		if err := s.Settle(1, in); err != nil {
			t.Fatal(err)
		}
		for v := netlist.Net(2); int(v) < n.Nets(); v++ {
			now := s.Net(v)[0] & 1
			if i > 0 && now != last[v] {
				count[string(names.AppendNet(nil, v))]++
			}
			last[v] = now
		}
	}
	return count
}

// counted returns the transitions in a report by name, for nets that have transitions.
func counted(r *Report) map[string]int {
	count := map[string]int{}
	for _, v := range r.Nets {
		if v.Transitions > 0 {
			count[v.Name] += v.Transitions
		}
	}
	return count
}

// TestMeasure compares Measure with the function slowly, which simulates one sample at a time. The numbers of samples
// are below, at and above the sizes of words and blocks. The netlists have operators, LUTs and registers.
func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		name string
		n    *netlist.Netlist
	}{
		{"operators", classifier(t, netlist.Core, 0, pipeline.Options{})},
		{"LUTs", classifier(t, netlist.Full, 4, pipeline.Options{})},
		{"registers", classifier(t, netlist.Full, 6, pipeline.Options{Auto: true, MaxLevels: 1})},
		{"gates", classifier(t, netlist.Gates, 6, pipeline.Options{})},
	} {
		x := randomRows(c.n, 10)
		for _, samples := range []int{1, 2, 63, 64, 65, 257, 640} {
			r, err := Measure(t.Context(), c.n, x, samples, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(slowly(t, c.n, x, samples), counted(r)); diff != "" {
				t.Fatalf("%s, %d samples (-want +got):\n%s", c.name, samples, diff)
			}
		}
	}
}

// TestGroups checks that the parts agree with netlist.Measure and add up, and that the gates of all classes add up
// to all gates.
func TestGroups(t *testing.T) {
	n := classifier(t, netlist.Full, 4, pipeline.Options{})
	r, err := Measure(t.Context(), n, randomRows(n, 2), 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	cells := netlist.Measure(n).Cells
	want := map[string]int{
		"input": len(n.InputPorts()[0].Nets), "encoder": cells.Encoder, "gates": cells.Gates,
		"head": cells.Head,
	}
	var sum Group
	for _, g := range r.Parts {
		if g.Nets != want[g.Name] {
			t.Errorf("%s has %d nets, want %d", g.Name, g.Nets, want[g.Name])
		}
		if mean := float64(g.Transitions) / float64(99*g.Nets); g.Mean != mean || mean > 1 {
			t.Errorf("%s: a mean of %v, want %v", g.Name, g.Mean, mean)
		}
		sum.Nets, sum.Transitions, sum.Silent = sum.Nets+g.Nets, sum.Transitions+g.Transitions, sum.Silent+g.Silent
	}
	sum.Name, sum.Mean = "total", r.Total.Mean
	if diff := cmp.Diff(sum, r.Total); diff != "" {
		t.Errorf("the parts do not add up (-parts +total):\n%s", diff)
	}
	gates := 0
	for _, g := range r.Classes {
		gates += g.Nets
	}
	if gates != cells.Gates || len(r.Classes) != 3 || len(r.Nets) != r.Total.Nets {
		t.Errorf("%d gates in %d classes, want %d in 3; %d nets, want %d", gates, len(r.Classes), cells.Gates, len(r.Nets),
			r.Total.Nets)
	}
	busiest := r.Busiest(5)
	for i, v := range busiest[1:] {
		if v.Transitions > busiest[i].Transitions {
			t.Errorf("not by transitions: %v", busiest)
		}
	}
	if len(r.Busiest(1<<30)) != len(r.Nets) {
		t.Error("not all nets")
	}
}

// TestEnable checks that the enable of a pipeline is left out.
func TestEnable(t *testing.T) {
	n := classifier(t, netlist.Core, 6, pipeline.Options{Stages: 2})
	r, err := Measure(t.Context(), n, randomRows(n, 1), 20, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(n.DataInputs()[0].Nets); r.Parts[0].Nets != want || r.Total.Nets != n.Nets()-3 {
		t.Errorf("%d nets of the input, want %d; %d nets, want %d", r.Parts[0].Nets, want, r.Total.Nets, n.Nets()-3)
	}
}

// TestMeasureRefusesMisfits checks inputs that do not fit, and a writer that fails.
func TestMeasureRefusesMisfits(t *testing.T) {
	n := classifier(t, netlist.Core, 0, pipeline.Options{})
	x := randomRows(n, 1)
	for _, samples := range []int{0, 65} {
		if _, err := Measure(t.Context(), n, x, samples, nil); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("%d samples: %v", samples, err)
		}
	}
	b := netlist.NewBuilder("two")
	b.Output("y", 1, nil, append(b.Input("a", 1, 1, nil), b.Input("b", 1, 1, nil)...))
	if _, err := Measure(t.Context(), b.Netlist(), x, 1, nil); err == nil ||
		!strings.Contains(err.Error(), "2 input ports") {
		t.Errorf("two ports: %v", err)
	}
	full := errors.New("the disk is full")
	if _, err := Measure(t.Context(), n, x, 9, failing{full}); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, n, x, 9, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestVCD reads the dump back with a separate reader and compares it with the dump of iverilog for the emitted
// Verilog and the same samples. All nets in either dump must have the same number of transitions.
func TestVCD(t *testing.T) {
	iverilog, vvp := testkit.FindTool(t, "iverilog"), testkit.FindTool(t, "vvp")
	for _, c := range []struct {
		name string
		n    *netlist.Netlist
	}{
		{"operators", classifier(t, netlist.Core, 0, pipeline.Options{})},
		{"LUTs", classifier(t, netlist.Full, 6, pipeline.Options{})},
	} {
		const samples = 150
		x := randomRows(c.n, 3)
		var ours bytes.Buffer
		r, err := Measure(t.Context(), c.n, x, samples, &ours)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(counted(r), transitions(t, ours.String(), c.n.Name)); diff != "" {
			t.Errorf("%s: the dump (-report +dump):\n%s", c.name, diff)
		}
		dir := t.TempDir()
		save := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var design bytes.Buffer
		if err := verilog.Write(&design, c.n, verilog.Options{Module: "dut"}); err != nil {
			t.Fatal(err)
		}
		save("dut.v", design.String())
		save("bench.v", bench(c.n, samples))
		save("x.txt", vectors(c.n, x, samples))
		testkit.RunTool(t, iverilog, dir, "-g2001", "-s", "bench", "-o", "bench.vvp", "bench.v", "dut.v")
		testkit.RunTool(t, vvp, dir, "-n", "bench.vvp")
		theirs, err := os.ReadFile(filepath.Join(dir, "theirs.vcd"))
		if err != nil {
			t.Fatal(err)
		}
		want := transitions(t, string(theirs), "dut")
		got := counted(r)
		for name := range want { // second names of the same nets
			if _, ok := got[name]; !ok && again(c.n, name) {
				delete(want, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-iverilog +report):\n%s", c.name, diff)
		}
	}
}

// again reports whether a name in a dump is a second name for a net. The bits of output ports and probes and the
// inputs of operators have such names.
func again(n *netlist.Netlist, name string) bool {
	bus, _, _ := strings.Cut(name, "[")
	if strings.HasSuffix(bus, "_in") {
		return true
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			if p.Name == bus {
				return true
			}
		}
	}
	return false
}

// bench returns a testbench that dumps all changes in dut.
func bench(n *netlist.Netlist, samples int) string {
	x := n.InputPorts()[0]
	return fmt.Sprintf("`timescale 1us / 1us\n"+`module bench;
  reg [%[1]d:0] x;
  reg [%[1]d:0] samples[0:%[2]d];
  integer i;
  dut dut (.%[3]s(x));
  initial begin
    $readmemb("x.txt", samples);
    $dumpfile("theirs.vcd");
    x = samples[0];
    #1 $dumpvars(1, dut);
    for (i = 1; i <= %[2]d; i = i + 1) #1 x = samples[i];
    #1 $finish;
  end
endmodule
`, len(x.Nets)-1, samples-1, x.Name)
}

// vectors returns the samples in binary, one on each line.
func vectors(n *netlist.Netlist, x []uint64, samples int) string {
	rows := len(n.InputPorts()[0].Nets)
	words := len(x) / rows
	var b strings.Builder
	for i := range samples {
		for row := rows - 1; row >= 0; row-- {
			b.WriteByte('0' + byte(x[row*words+i/64]>>(i%64)&1))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// transitions reads a value change dump. For each bit of the signals in a scope, it returns how often the value of
// the bit changes after the first instant.
func transitions(t *testing.T, text, scope string) map[string]int {
	t.Helper()
	names := map[string][]string{} // by identifier: the bits, highest first
	value, now, count := map[string]byte{}, map[string]byte{}, map[string]int{}
	settle := func() {
		for name, v := range now {
			if old, ok := value[name]; ok && old != v {
				count[name]++
			}
			value[name] = v
		}
		clear(now)
	}
	inScope := ""
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "$scope":
			inScope = f[2]
		case f[0] == "$var" && inScope == scope:
			names[f[3]] = append(names[f[3]], signalBits(t, f)...)
		case line[0] == '#':
			settle()
		case line[0] == 'b':
			bits := names[f[1]]
			digits := strings.Repeat("0", len(bits)-len(f[0])+1) + f[0][1:] // the dump leaves out leading zeros
			for i, name := range bits {
				now[name] = digits[i]
			}
		case line[0] == '0' || line[0] == '1':
			for _, name := range names[strings.TrimSpace(line[1:])] {
				now[name] = line[0]
			}
		case strings.ContainsRune("xz", rune(line[0])):
			t.Fatalf("an unknown value: %s", line)
		}
	}
	settle()
	return count
}

// signalBits returns the names of the bits of a $var, highest first.
func signalBits(t *testing.T, f []string) []string {
	t.Helper()
	if f[5] == "$end" {
		return []string{f[4]}
	}
	var high, low int
	if _, err := fmt.Sscanf(f[5], "[%d:%d]", &high, &low); err != nil {
		return []string{f[4] + f[5]} // one bit of a bus
	}
	var bits []string
	for i := high; i >= low; i-- {
		bits = append(bits, fmt.Sprintf("%s[%d]", f[4], i))
	}
	return bits
}
