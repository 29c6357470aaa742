package blif

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/aiger"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/netlist"
	"ialgn/sim"
)

var update = flag.Bool("update", false, "accept what is written as the golden files")

// TestCovers checks the covers of all functions of three inputs and of random functions of up to six inputs. Each
// cover must equal its function. It must consist of prime cubes, none of them superfluous.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var tables []uint64
	for table := range uint64(256) {
		tables = append(tables, netlist.Extend(table, 3))
	}
	for i := range 300 {
		table := r.Uint64()
		for range i % 4 {
			table &= r.Uint64()
		}
		tables = append(tables, netlist.Extend(table, 4+i%3))
	}
	for _, table := range tables {
		for _, f := range []uint64{table, ^table} {
			cubes := irredundant(f)
			sum := uint64(0)
			for i, c := range cubes {
				sum |= c.table()
				others := uint64(0)
				for j, o := range cubes {
					if j != i {
						others |= o.table()
					}
				}
				if others == f {
					t.Errorf("table %#x: cube %v can be left out", f, c)
				}
				for j := range netlist.MaxFunctionInputs {
					if wider := (cube{c.one &^ (1 << j), c.zero &^ (1 << j)}); wider != c && wider.table()&^f == 0 {
						t.Errorf("table %#x: cube %v is not prime", f, c)
					}
				}
			}
			if sum != f {
				t.Errorf("table %#x: the cubes are %#x", f, sum)
			}
		}
	}
}

// TestCompact checks the lengths of covers. An OR or an AND of any width must have one cube.
func TestCompact(t *testing.T) {
	or, and := uint64(0), ^uint64(0)
	for j := range netlist.MaxFunctionInputs {
		or |= netlist.PinTable(j)
		and &= netlist.PinTable(j)
	}
	xor3 := netlist.Extend(0b10010110, 3)
	for _, tt := range []struct {
		name  string
		table uint64
		value byte
		cubes int
	}{
		{"or6", or, '0', 1},
		{"and6", and, '1', 1},
		{"nand6", ^and, '0', 1},
		{"xor3", xor3, '1', 4},
		{"majority", netlist.Extend(0b11101000, 3), '1', 3},
		{"0", 0, '1', 0},
		{"1", ^uint64(0), '1', 1},
	} {
		if c := (covers{}).of(tt.table); c.value != tt.value || len(c.cubes) != tt.cubes {
			t.Errorf("%s: %d cubes of %c, want %d of %c", tt.name, len(c.cubes), c.value, tt.cubes, tt.value)
		}
	}
}

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

// emit writes n into a new folder.
func emit(t *testing.T, n *netlist.Netlist) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n, Options{Header: []string{"a test \\"}}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "net.blif"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// reference returns the simulator's inputs and outputs for random samples, by the names of the bits.
func reference(t *testing.T, r *rand.Rand, n *netlist.Netlist) (in, out map[string]uint64) {
	t.Helper()
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	in, out = map[string]uint64{}, map[string]uint64{}
	var rows [][]uint64
	for _, p := range n.InputPorts() {
		row := make([]uint64, len(p.Nets))
		for i := range row {
			row[i] = r.Uint64()
			in[bit(p, i)] = row[i]
		}
		rows = append(rows, row)
	}
	if err := s.Run(1, rows...); err != nil {
		t.Fatal(err)
	}
	for _, p := range n.OutputPorts() {
		for i, v := range p.Nets {
			out[bit(p, i)] = s.Net(v)[0]
		}
	}
	return in, out
}

// checkAIGER evaluates a file that a tool made from the written BLIF, and compares the result with the simulator's
// result. Tools may leave out the index of a port of one bit.
func checkAIGER(t *testing.T, path string, in, out map[string]uint64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := aiger.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	of := func(m map[string]uint64, name string) uint64 {
		word, ok := m[name]
		if !ok {
			word, ok = m[name+"[0]"]
		}
		if !ok {
			t.Fatalf("no bit is called %s", name)
		}
		return word
	}
	var words []uint64
	for _, name := range f.Inputs {
		words = append(words, of(in, name))
	}
	if len(f.Inputs) != len(in) || len(f.Outputs) != len(out) {
		t.Fatalf("%d inputs and %d outputs, want %d and %d", len(f.Inputs), len(f.Outputs), len(in), len(out))
	}
	for i, got := range aiger.Eval(f, words) {
		if name := f.Outputs[i].Name; got != of(out, name) {
			t.Errorf("output %s is %#x, want %#x", name, got, of(out, name))
		}
	}
}

// cases calls f with random netlists and with netlists of classifiers.
func cases(t *testing.T, f func(t *testing.T, n *netlist.Netlist)) {
	count := uint64(8)
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

func TestABC(t *testing.T) {
	cases(t, func(t *testing.T, n *netlist.Netlist) {
		dir := emit(t, n)
		in, out := reference(t, rand.New(rand.NewPCG(1, 2)), n)
		if text := tool(t, dir, "berkeley-abc", "-c",
			"read_blif net.blif; strash; write_aiger -s net.aig"); strings.Contains(text, "rror") {
			t.Fatal(text)
		}
		checkAIGER(t, filepath.Join(dir, "net.aig"), in, out)
	})
}

func TestYosys(t *testing.T) {
	cases(t, func(t *testing.T, n *netlist.Netlist) {
		dir := emit(t, n)
		in, out := reference(t, rand.New(rand.NewPCG(1, 3)), n)
		text := tool(t, dir, "yosys", "-q", "-p",
			"read_blif -wideports net.blif; check -assert; tee -o ports.txt select -list i:* o:*; "+
				"techmap; simplemap; aigmap; opt_clean; write_aiger -symbols net.aig")
		if text != "" {
			t.Errorf("yosys says %s", text)
		}
		checkAIGER(t, filepath.Join(dir, "net.aig"), in, out)
		ports, err := os.ReadFile(filepath.Join(dir, "ports.txt"))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, p := range slices.Concat(n.InputPorts(), n.OutputPorts()) {
			want = append(want, n.Name+"/"+p.Name)
		}
		got := strings.Fields(string(ports))
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ports that yosys rebuilt (-want +got):\n%s", diff)
		}
	})
}

// TestLUTCount checks that yosys counts one LUT for each cell if no output needs a buffer.
func TestLUTCount(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 12, 1, nil)
	r := rand.New(rand.NewPCG(1, 1))
	var y []netlist.Net
	for i := range 40 {
		in := make([]netlist.Net, 6)
		for j := range in {
			in[j] = x[(i+j*j)%12]
		}
		y = append(y, b.Function(r.Uint64(), netlist.Origin{Layer: 1, Chain: uint32(i)}, in...))
	}
	b.Output("y", 1, nil, y)
	dir := emit(t, b.Netlist())
	if text := tool(t, dir, "yosys", "-p", "read_blif -wideports net.blif; stat"); !strings.Contains(text,
		"$lut                           40\n") {
		t.Errorf("yosys stat counts no 40 LUTs:\n%s", text)
	}
}

// TestRegisters clocks the latches in a Verilog simulator, as yosys reads them.
func TestRegisters(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			n := netgen.Netlist(seed, netgen.NetlistOptions{Registers: true})
			dir := emit(t, n)
			tool(t, dir, "yosys", "-q", "-p", "read_blif -wideports net.blif; write_verilog -noattr net.v")
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
	and := b.Function(0b1000, netlist.Origin{Layer: 1, Chain: 1}, x[2], x[3])
	xor := b.Function(0b0110, netlist.Origin{Layer: 2, Chain: 1}, or, and)
	reg := b.Cell(netlist.Register, 0, netlist.Origin{}, xor, x[0])
	b.Output("h", 1, nil, []netlist.Net{or, or, netlist.True, x[3]})
	b.Output("q", 1, nil, []netlist.Net{reg})
	b.Classes([]uint16{0, 1})
	var got bytes.Buffer
	if err := Write(&got, b.Netlist(), Options{Header: []string{"model tiny"}}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "tiny.blif")
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

func TestWriteRefusesWhatBLIFLacks(t *testing.T) {
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
		{build("clk", true), Options{}, "blif: a port is called clk"},
		{build("clk", false), Options{}, ""},
		{build("c0_k1_l2", false), Options{}, `blif: port: "c0_k1_l2" is a name that the writer gives`},
		{build("x", false), Options{Module: "a b"}, `blif: model: "a b" is no Verilog identifier`},
	} {
		var out bytes.Buffer
		err := Write(&out, tt.n, tt.opt)
		if tt.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || out.Len() > 0 {
			t.Errorf("got error %v and %d bytes, want %s", err, out.Len(), tt.want)
		}
	}
}

func BenchmarkCovers(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		if c := (covers{}).of(r.Uint64()); bits.OnesCount8(c.value) == 0 {
			b.Fatal("no cover")
		}
	}
}
