package yosysjson

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/aiger"
	"ialgn/internal/freeze"
	"ialgn/internal/lowering"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
	"ialgn/sim"
)

var update = flag.Bool("update", false, "accept what is written as the golden files")

// tool runs a program in dir and returns all that it printed.
func tool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skipf("%s is not installed: make tools", args[0])
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func encode(t *testing.T, n *netlist.Netlist) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n, Options{Creator: `a "test"`}); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatalf("no JSON:\n%s", b.String())
	}
	return b.Bytes()
}

// emit writes n into a new folder.
func emit(t *testing.T, n *netlist.Netlist) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "net.json"), encode(t, n), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cases calls f with random netlists and with netlists of classifiers.
func cases(t *testing.T, f func(t *testing.T, n *netlist.Netlist)) {
	count := uint64(10)
	if !testkit.Whole() {
		count = 2
	}
	for seed := range count {
		t.Run(fmt.Sprintf("random-%d", seed), func(t *testing.T) {
			f(t, netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + 12*int(seed)}))
		})
	}
	for scope := range netlist.Full + 1 {
		t.Run(scope.String(), func(t *testing.T) {
			n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{Width: 60, Classes: 5}), scope)
			if err != nil {
				t.Fatal(err)
			}
			f(t, n)
		})
	}
}

// cellsOf returns the number of $lut cells that Write makes for n.
func cellsOf(n *netlist.Netlist) (count int) {
	n = lowering.Functions(n)
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) != netlist.Function {
			continue
		}
		if pins := support(n, c); len(pins) > 0 && !isCopy(n, c, pins) {
			count++
		}
	}
	return count
}

// TestYosys uses yosys to read and check the written netlist, to count its LUTs, and to convert it to an and-inverter
// graph. The graph is compared with the simulator.
func TestYosys(t *testing.T) {
	luts := regexp.MustCompile(`(?m)^ +\$lut +(\d+)$`)
	cases(t, func(t *testing.T, n *netlist.Netlist) {
		dir := emit(t, n)
		text := tool(t, dir, "yosys", "-p",
			"read_json net.json; check -assert; stat; simplemap; techmap; aigmap; opt_clean; write_aiger -symbols net.aig")
		count := cellsOf(n)
		got := "0"
		if m := luts.FindStringSubmatch(text); m != nil {
			got = m[1]
		}
		if got != fmt.Sprint(count) || strings.Contains(text, "Warning") {
			t.Errorf("yosys counts %s LUTs, want %d, and no warning:\n%s", got, count, text)
		}
		checkAIGER(t, filepath.Join(dir, "net.aig"), n)
	})
}

// checkAIGER evaluates, for random inputs, a file that yosys wrote, and compares the result with the simulator's
// result.
func checkAIGER(t *testing.T, path string, n *netlist.Netlist) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]uint64{}
	name := func(p netlist.Port, i int) string {
		if len(p.Nets) == 1 {
			return p.Name
		}
		return fmt.Sprintf("%s[%d]", p.Name, i)
	}
	var rows [][]uint64
	for _, p := range n.InputPorts() {
		row := make([]uint64, len(p.Nets))
		for i := range row {
			row[i] = r.Uint64()
			words[name(p, i)] = row[i]
		}
		rows = append(rows, row)
	}
	if err := s.Run(1, rows...); err != nil {
		t.Fatal(err)
	}
	outputs := 0
	for _, p := range n.OutputPorts() {
		outputs += len(p.Nets)
		for i, v := range p.Nets {
			words[name(p, i)] = s.Net(v)[0]
		}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := aiger.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var in []uint64
	for _, name := range f.Inputs {
		in = append(in, words[name])
	}
	if len(f.Outputs) != outputs {
		t.Errorf("%d outputs, want %d", len(f.Outputs), outputs)
	}
	for i, got := range aiger.Eval(f, in) {
		if want, ok := words[f.Outputs[i].Name]; !ok || got != want {
			t.Errorf("output %s is %#x, want %#x", f.Outputs[i].Name, got, want)
		}
	}
}

// TestRegisters clocks the flip-flops in a simulator, as yosys writes them in Verilog.
func TestRegisters(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := netgen.Netlist(seed, netgen.NetlistOptions{Registers: true})
			dir := emit(t, n)
			tool(t, dir, "yosys", "-q", "-p", "read_json net.json; check -assert; write_verilog -noattr net.v")
			bench, want, err := testkit.ClockedBench(n, rand.New(rand.NewPCG(seed, 4)))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "tb.v"), []byte(bench), 0o600); err != nil {
				t.Fatal(err)
			}
			tool(t, dir, "iverilog", "-g2001", "-o", "a.vvp", "tb.v", "net.v")
			if diff := cmp.Diff(want, tool(t, dir, "vvp", "-n", "a.vvp")); diff != "" {
				t.Errorf("(-simulator +iverilog):\n%s", diff)
			}
		})
	}
}

func TestGolden(t *testing.T) {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 4, 1, nil)
	or := b.Function(0b1110, netlist.Origin{Layer: 1, Chain: 0}, x[0], x[1])
	constant := b.Function(0b1111, netlist.Origin{Layer: 1, Chain: 1}, x[2], x[3])
	andNot := b.Function(0b0010, netlist.Origin{Layer: 2, Chain: 1}, or, x[2])
	reg := b.Cell(netlist.Register, 0, netlist.Origin{}, andNot, x[0])
	b.Output("h", 1, nil, []netlist.Net{or, or, constant, x[3]})
	b.Output("q", 1, nil, []netlist.Net{reg})
	b.Probe("look", []netlist.Net{andNot, or})
	b.Classes([]uint16{0, 1})
	got := encode(t, b.Netlist())
	path := filepath.Join("testdata", "tiny.json")
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), go test -update accepts it:\n%s", path, diff)
	}
}

func TestWriteRefusesWhatYosysLacks(t *testing.T) {
	build := func(port string, register bool) *netlist.Netlist {
		b := netlist.NewBuilder("net")
		x := b.Input(port, 1, 1, nil)
		if register {
			x = []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x...)}
		}
		b.Output("y", 1, nil, x)
		return b.Netlist()
	}
	for _, tt := range []struct {
		n    *netlist.Netlist
		opt  Options
		want string
	}{
		{build("clk", true), Options{}, "yosys-json: a port is called clk"},
		{build("c0_k1_l2", false), Options{}, `yosys-json: port or probe: "c0_k1_l2" is a name that the writer gives`},
		{build("x", false), Options{Module: `a"b`}, `yosys-json: module: "a\"b" is no Verilog identifier`},
	} {
		var out bytes.Buffer
		err := Write(&out, tt.n, tt.opt)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || out.Len() > 0 {
			t.Errorf("got error %v and %d bytes, want %s", err, out.Len(), tt.want)
		}
	}
}
