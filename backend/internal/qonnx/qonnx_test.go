package qonnx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph/graphtest"
	readqonnx "ialgn/internal/interchange/qonnx"
	"ialgn/internal/netgen"
	"ialgn/internal/onnx"
	"ialgn/internal/target"
	"ialgn/netlist"
	"ialgn/sim"
)

// named is a netlist with a name for messages.
type named struct {
	name string
	n    *netlist.Netlist
}

// frozen returns the netlist of a random network.
func frozen(t testing.TB, seed uint64, o netgen.FrozenOptions, scope netlist.Scope) *netlist.Netlist {
	n, err := freeze.Network(netgen.Frozen(seed, o), scope)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mapped returns n mapped to LUTs of k inputs for a family of FPGAs.
func mapped(t testing.TB, n *netlist.Netlist, family string, k int) *netlist.Netlist {
	f, err := target.Find(family)
	if err != nil {
		t.Fatal(err)
	}
	d, err := hardware.Options{Target: f, K: k}.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return d.Netlist
}

// netlists returns random netlists, and netlists of all scopes: frozen, optimised and mapped.
func netlists(t testing.TB) (list []named) {
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		for _, topology := range []netgen.Topology{netgen.Chain, netgen.Random} {
			name := fmt.Sprintf("%v %d", scope, topology)
			n := frozen(t, 7, netgen.FrozenOptions{Topology: topology, BitsIn: 5}, scope)
			list = append(list, named{name, n})
			n, _, err := compiler.Optimise(t.Context(), n, compiler.LevelRepeat)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list,
				named{name + " optimised", n}, named{name + " xilinx7", mapped(t, n, "xilinx7", 6)},
				named{name + " ice40", mapped(t, n, "ice40", 4)})
		}
	}
	for seed := range uint64(12) {
		list = append(list, named{fmt.Sprint("random ", seed), netgen.Netlist(seed, netgen.NetlistOptions{Cells: 30})})
	}
	return list
}

func encode(t testing.TB, n *netlist.Netlist) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n, Options{Header: []string{"a test"}, Version: "1.2.3"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples is the number of samples on which each netlist is tested.
const samples = 64

// simulate returns random samples x in the form of the graph's input, and the results that the netlist computes for
// these samples. The results are class counts or output bits.
func simulate(t testing.TB, n *netlist.Netlist, seed uint64) (x [][]float64, want [][]float64) {
	t.Helper()
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	word := 1
	if p := n.InputPorts(); len(p) == 1 {
		word = max(1, p[0].Word)
	}
	x, want = make([][]float64, samples), make([][]float64, samples)
	var rows [][]uint64
	for _, p := range n.InputPorts() {
		port := make([]uint64, len(p.Nets))
		for i := range port {
			port[i] = r.Uint64()
			for sample := range x {
				if i%word == 0 {
					x[sample] = append(x[sample], 0)
				}
				x[sample][len(x[sample])-1] += float64(port[i] >> sample & 1 << (i % word))
			}
		}
		rows = append(rows, port)
	}
	if err := s.Run(1, rows...); err != nil {
		t.Fatal(err)
	}
	counts := probes(n)
	for sample := range want {
		for _, count := range counts {
			value := 0.0
			for i, v := range count {
				value += float64(s.Net(v)[0] >> sample & 1 << i)
			}
			want[sample] = append(want[sample], value)
		}
		for _, p := range n.OutputPorts() {
			for _, v := range p.Nets {
				if counts == nil {
					want[sample] = append(want[sample], float64(s.Net(v)[0]>>sample&1))
				}
			}
		}
	}
	return x, want
}

// TestRead checks that a written graph is read back as a network that computes the same results as the netlist.
func TestRead(t *testing.T) {
	for _, c := range netlists(t) {
		t.Run(c.name, func(t *testing.T) {
			data := encode(t, c.n)
			if !bytes.Equal(data, encode(t, c.n)) {
				t.Error("the same netlist gives other bytes")
			}
			x, want := simulate(t, c.n, 3)
			k, tau := len(want[0]), 1.0
			src := &given.Source{
				Name: "n.onnx", File: bytes.NewReader(data), Size: int64(len(data)),
				Facts: &given.Facts{Sum: given.GroupSum{K: &k, Tau: &tau}},
			}
			n, err := readqonnx.Read(src)
			if err != nil {
				t.Fatal(err)
			}
			for i := range x {
				var got []float64
				for _, s := range graphtest.Scores(n, x[i]) {
					got = append(got, float64(s))
				}
				if !slices.Equal(got, want[i]) {
					t.Fatalf("sample %d: %v, want %v", i, got, want[i])
				}
			}
		})
	}
}

// TestChain writes a network in which each layer reads only the layer before it. Reading must find the same layers,
// with the same number of nodes in each.
func TestChain(t *testing.T) {
	n := frozen(t, 1, netgen.FrozenOptions{Topology: netgen.Random, Width: 30, Depth: 5}, netlist.Core)
	data := encode(t, n)
	src := &given.Source{Name: "n.onnx", File: bytes.NewReader(data), Size: int64(len(data)), Facts: &given.Facts{}}
	got, err := readqonnx.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Dense) != 5 || got.Dense[0].Pins != 2 {
		t.Errorf("%d layers, want 5", len(got.Dense))
	}
}

// TestEvaluate evaluates the written graph with a separate Python program, and checks the graph with ONNX's checker.
func TestEvaluate(t *testing.T) {
	if err := exec.Command("/usr/bin/python3", "-c", "import numpy, onnx").Run(); err != nil {
		t.Skip("python3-onnx is not installed: make tools")
	}
	dir, args := t.TempDir(), []string{"testdata/evaluate.py"}
	var x, want [][][]float64
	list := netlists(t)
	for i, c := range list {
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, encode(t, c.n), 0o666); err != nil {
			t.Fatal(err)
		}
		in, out := simulate(t, c.n, 4)
		args, x, want = append(args, file), append(x, in), append(want, out)
	}
	in, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", args...)
	cmd.Stdin = bytes.NewReader(in)
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, told.String())
	}
	var got [][][]float64
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for i, c := range list {
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestGraph checks the graph that is written for the network in docs/reference/netlist.md.
func TestGraph(t *testing.T) {
	n, err := freeze.Network(netgen.Demo(), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode(encode(t, n))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, node := range m.Graph.Nodes {
		got = append(got, fmt.Sprintf("%s(%s) -> %s", node.Op, strings.Join(node.Inputs, ", "), node.Outputs[0]))
	}
	want := []string{
		"Unsqueeze(x, last_axis) -> words", "Greater(words, thresholds) -> codes", "Reshape(codes, code_shape) -> code",
		"Cast(code) -> code_bits", "LookupTable(code_bits, bits_indices, bits_table) -> bits",
		"Reshape(bits, group_shape) -> groups", "Cast(groups) -> counted", "ReduceSum(counted, group_axis) -> scores",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWriteRefusesWhatQONNXLacks checks that netlists that QONNX cannot express are refused.
func TestWriteRefusesWhatQONNXLacks(t *testing.T) {
	var b bytes.Buffer
	wide := mapped(t, frozen(t, 1, netgen.FrozenOptions{BitsIn: 12}, netlist.Full), "xilinx7", 6)
	err := Write(&b, wide, Options{})
	if err == nil || !strings.Contains(err.Error(), "feature words of 12 bits") {
		t.Errorf("error %v of wide words", err)
	}
	var kind *netlist.KindError
	clocked := netgen.Netlist(1, netgen.NetlistOptions{Registers: true, Kinds: []netlist.Kind{netlist.Register}})
	if err := Write(&b, clocked, Options{}); !errors.As(err, &kind) || kind.Kind != netlist.Register {
		t.Errorf("error %v of registers", err)
	}
	uncertain, err := freeze.WithMargin(netgen.Frozen(1, netgen.FrozenOptions{}), netlist.Full, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(&b, uncertain, Options{}); err == nil || !strings.Contains(err.Error(), "which classes are uncertain") {
		t.Errorf("error %v of a margin", err)
	}
	if b.Len() > 0 {
		t.Error("something is written in spite of an error")
	}
}
