package verilog

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// needTool skips the test if a program is not installed.
func needTool(t *testing.T, program, debianPackage string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed: apt-get install %s", program, debianPackage)
	}
}

// tool runs a program in dir and returns everything that the program printed.
func tool(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// silent runs a program that must succeed and print nothing.
func silent(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := tool(t, dir, args...); err != nil || out != "" {
		t.Errorf("%s: %v, want no error and no output\n%s", strings.Join(args, " "), err, out)
	}
}

func writeFile(t *testing.T, path string, write func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// emit writes n with its testbench and vectors into a new folder.
func emit(t *testing.T, n *netlist.Netlist, v Vectors) string {
	t.Helper()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	opt := Options{Header: []string{"a test"}}
	writeFile(t, filepath.Join(dir, n.Name+".v"), func(w io.Writer) error { return Write(w, n, opt) })
	writeFile(t, filepath.Join(dir, n.Name+"_tb.v"), func(w io.Writer) error { return WriteTestbench(w, n, opt) })
	writeFile(t, filepath.Join(dir, n.Name+"_vectors.txt"), func(w io.Writer) error { return WriteVectors(w, n, v) })
	return dir
}

// cases calls f with the netlists of narrowCases and with a netlist that has wide ports.
func cases(t *testing.T, first, count int, f func(t *testing.T, r *rand.Rand, n *netlist.Netlist)) {
	narrowCases(t, first, count, f)
	t.Run("wide", func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		f(t, r, wide(r, "wide"))
	})
}

// narrowCases calls f with random netlists, with whole classifiers and with frozen networks. The argument first is
// the first seed of the random netlists, and the argument count is the number of these netlists. A test of a slow
// tool sets count to 1. In this case, narrowCases uses only the classifier with one class, and only the frozen
// network of scope full.
func narrowCases(t *testing.T, first, count int, f func(t *testing.T, r *rand.Rand, n *netlist.Netlist)) {
	for seed := uint64(first); seed < uint64(first+count); seed++ {
		t.Run(fmt.Sprintf("random-%d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			f(t, r, randomNetlist(r, "net", 1+r.IntN(60)))
		})
	}
	classes, scopes := []int{1, 3, 2, 10}, []netlist.Scope{netlist.Full, netlist.Core, netlist.Gates}
	if count == 1 {
		classes, scopes = classes[:1], scopes[:1]
	}
	for _, classes := range classes {
		t.Run(fmt.Sprintf("classifier-%d", classes), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(classes), 2))
			f(t, r, classifier(r, "digits", classes, 7, 5))
		})
	}
	for _, scope := range scopes {
		t.Run("frozen-"+scope.String(), func(t *testing.T) {
			n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{ShareA: 0.5, ShareBinary: 0.4}), scope)
			if err != nil {
				t.Fatal(err)
			}
			f(t, rand.New(rand.NewPCG(4, 4)), n)
		})
	}
}

// randomCases returns the number of random netlists for a test of a fast tool.
func randomCases() int {
	if !testkit.Whole() {
		return 3
	}
	return 8
}

// slowCases returns the number of random netlists for a test of a slow tool.
func slowCases() int {
	if !testkit.Whole() {
		return 1
	}
	return 5
}

// classifier returns a whole classifier with random gates. It has feature words of 5 bits, comparators, layers of
// gates that form chains, popcounts and an argmax.
func classifier(r *rand.Rand, name string, classes, chains, depth int) *netlist.Netlist {
	b := netlist.NewBuilder(name)
	const features, bitsIn = 6, 5
	labels := make([]string, features)
	for f := range labels {
		labels[f] = fmt.Sprintf("pixel %d", f)
	}
	x := b.Input("x", features*bitsIn, bitsIn, labels)
	var inputs []netlist.Net
	for f := range features {
		for _, threshold := range []uint64{3, 15, 31} { // no value exceeds 31
			inputs = append(inputs, b.Cell(netlist.Compare, threshold, netlist.Origin{}, x[f*bitsIn:][:bitsIn]...))
		}
	}
	anchor := func() netlist.Net { return inputs[r.IntN(len(inputs))] }
	layer := make([]netlist.Net, classes*chains)
	class := make([]uint16, len(layer))
	for l := range depth {
		for k := range layer {
			class[k] = uint16(k / chains)
			spine := layer[k]
			if l == 0 {
				spine = anchor()
			}
			layer[k] = b.Function(r.Uint64N(16), netlist.Origin{Layer: uint16(l + 1), Chain: uint32(k)}, spine, anchor())
		}
	}
	var counts []netlist.Net
	countBits := bits.Len(uint(chains))
	for c := range classes {
		count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, layer[c*chains:][:chains]...), countBits)
		b.Probe(fmt.Sprintf("count_%d", c), count)
		counts = append(counts, count...)
	}
	width := netlist.ClassBits(classes)
	margin := 0
	if classes > 2 {
		margin = 2
	}
	index := b.Cell(netlist.Argmax, netlist.ArgmaxParam(countBits, margin), netlist.Origin{}, counts...)
	b.Output(netlist.ClassPort, width, []string{"class"}, netlist.Word(index, width))
	if margin > 0 {
		b.Output(netlist.UncertainPort, 1, nil, netlist.Word(index+netlist.Net(width), 1))
	}
	b.Classes(class)
	return b.Netlist()
}

// wide returns a netlist with ports that need several numbers in a vector. Its popcount has a word that is too long
// for one concatenation, and most inputs are unread. In the long tests its input has the number of bits that
// CIFAR-10 has in the paper.
func wide(r *rand.Rand, name string) *netlist.Netlist {
	b := netlist.NewBuilder(name)
	inputs, gates := 4608, 1100
	if testkit.Whole() {
		inputs, gates = 46080, 2500
	}
	x := b.Input("x", inputs, 1, nil)
	h := make([]netlist.Net, gates)
	for k := range h {
		h[k] = b.Function(r.Uint64N(16), netlist.Origin{Layer: 1, Chain: uint32(k)}, x[r.IntN(len(x))], x[r.IntN(len(x))])
	}
	b.Output("h", 1, nil, h)
	digits := bits.Len(uint(gates))
	b.Output("count", digits, nil, netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, h...), digits))
	b.Probe("first", h[:300])
	return b.Netlist()
}

// TestSimulation runs the written Verilog in a Verilog simulator and compares the results with the oracle. The
// simulator's compiler must print no warning.
func TestSimulation(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	cases(t, 0, randomCases(), func(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
		samples := 200
		if n.Nets() > 5000 {
			samples = 5
		}
		dir := emit(t, n, sampleVectors(r, n, samples))
		silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", n.Name+"_tb.v", n.Name+".v")
		out, err := tool(t, dir, "vvp", "a.vvp")
		if want := fmt.Sprintf("PASS: %d vectors\n", samples); err != nil || out != want {
			t.Errorf("vvp: %v\n%swant %s", err, out, want)
		}
	})
}

// TestLint checks that verilator prints no warning for the written Verilog with all warnings on. Like a user, the
// test gives verilator only the module.
func TestLint(t *testing.T) {
	needTool(t, "verilator", "verilator")
	cases(t, 0, slowCases(), func(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
		dir := emit(t, n, sampleVectors(r, n, 1))
		silent(t, dir, "verilator", "--lint-only", "-Wall", n.Name+".v")
		silent(t, dir, "verilator", "--lint-only", "--timing", "-Wall", "--top-module", n.Name+"_tb", n.Name+"_tb.v", n.Name+
			".v")
	})
}

// TestDirectiveNames lints a netlist with names and labels that tools interpret as directives when they come first
// in a comment.
func TestDirectiveNames(t *testing.T) {
	needTool(t, "verilator", "verilator")
	needTool(t, "iverilog", "iverilog")
	b := netlist.NewBuilder("verilator")
	x := b.Input("synopsys", 2, 1, []string{"verilator lint_off WIDTH", "synopsys translate_off"})
	b.Output("synthesis", 1, nil, x)
	b.Probe("pragma", x)
	n := b.Netlist()
	dir := emit(t, n, sampleVectors(rand.New(rand.NewPCG(1, 1)), n, 4))
	silent(t, dir, "verilator", "--lint-only", "-Wall", "verilator.v")
	silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", "verilator_tb.v", "verilator.v")
	if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 4 vectors\n" {
		t.Errorf("vvp: %v\n%s", err, out)
	}
}

// TestSynthesis has yosys read, check and synthesise the written Verilog, and simulates the resulting gates with the
// same testbench. The test has no wide ports. Wide ports would show no other faults, and take half a minute.
func TestSynthesis(t *testing.T) {
	needTool(t, "yosys", "yosys")
	needTool(t, "iverilog", "iverilog")
	narrowCases(t, 0, slowCases(), func(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
		dir := emit(t, n, sampleVectors(r, n, 200))
		script := fmt.Sprintf("read_verilog %[1]s.v; hierarchy -check -top %[1]s; proc; check -assert; "+
			"flatten; synth -noabc -top %[1]s; check -assert; write_verilog -noattr synth.v", n.Name)
		silent(t, dir, "yosys", "-q", "-p", script)
		silent(t, dir, "iverilog", "-g2001", "-DNO_PROBES", "-o", "a.vvp", n.Name+"_tb.v", "synth.v")
		out, err := tool(t, dir, "vvp", "a.vvp")
		if want := "PASS: 200 vectors\n"; err != nil || out != want {
			t.Errorf("vvp: %v\n%swant %s", err, out, want)
		}
	})
}
