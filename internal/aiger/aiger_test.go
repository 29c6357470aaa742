package aiger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

// evaluate evaluates a netlist in a slow and obvious way. The argument in has one sample: a value for each bit of the
// input ports. The result has the value of every net.
func evaluate(n *netlist.Netlist, in []bool) []bool {
	net := make([]bool, n.Nets())
	net[netlist.True] = true
	copy(net[2:], in)
	for c := range netlist.Cell(n.Cells()) {
		word, ones := uint64(0), uint64(0)
		for j, v := range n.Inputs(c) {
			if net[v] {
				word |= 1 << j
				ones++
			}
		}
		var value uint64
		switch n.Kind(c) {
		case netlist.Function:
			value = n.Param(c) >> word & 1
		case netlist.Compare:
			if word > n.Param(c) {
				value = 1
			}
		case netlist.Carry:
			value = ones >> 1
		default:
			value = ones
		}
		for k := range n.Outputs(c) {
			net[int(n.Output(c))+k] = value>>k&1 == 1
		}
	}
	return net
}

// randomNetlist returns a netlist with all kinds of cells that can be written. Some outputs are constants, some are
// inputs, and some nets are outputs twice.
func randomNetlist(r *rand.Rand, cells int) *netlist.Netlist {
	b := netlist.NewBuilder("net")
	nets := []netlist.Net{netlist.False, netlist.True}
	nets = append(nets, b.Input("x", 1+r.IntN(10), 1, nil)...)
	nets = append(nets, b.Input("e", 1, 1, nil)...)
	pick := func(n int) []netlist.Net {
		in := make([]netlist.Net, n)
		for j := range in {
			in[j] = nets[r.IntN(len(nets))]
		}
		return in
	}
	add := func(k netlist.Kind, param uint64, outputs int, in []netlist.Net) {
		nets = append(nets, netlist.Word(b.Cell(k, param, netlist.Origin{}, in...), outputs)...)
	}
	for range cells {
		switch n := 1 + r.IntN(9); r.IntN(8) {
		case 0:
			add(netlist.Compare, r.Uint64N(2<<n), 1, pick(n))
		case 1:
			add(netlist.Popcount, 0, bits.Len(uint(n)), pick(n))
		case 2:
			add(netlist.Counter, 0, bits.Len(uint(n+1)), pick(n+1))
		case 3:
			add(netlist.Carry, 0, 1, pick(3))
		default:
			add(netlist.Function, r.Uint64(), 1, pick(r.IntN(7)))
		}
	}
	y := pick(6)
	b.Output("y", 1, nil, append(y, y[0], netlist.True, netlist.False, 2))
	b.Output("z", 1, nil, pick(1))
	return b.Netlist()
}

func portNets(ports []netlist.Port) (nets []netlist.Net) {
	for _, p := range ports {
		nets = append(nets, p.Nets...)
	}
	return nets
}

func encode(t *testing.T, n *netlist.Netlist) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWrite reads the written graph back and compares it with the evaluation of the netlist.
func TestWrite(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := randomNetlist(r, r.IntN(40))
		data := encode(t, n)
		f, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var again bytes.Buffer
		if err := f.Write(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Bytes(), data) {
			t.Errorf("seed %d: read and written again, the file differs", seed)
		}
		checkFile(t, r, n, f)
	}
}

func checkFile(t *testing.T, r *rand.Rand, n *netlist.Netlist, f *File) {
	t.Helper()
	in := make([]uint64, len(f.Inputs))
	for i := range in {
		in[i] = r.Uint64()
	}
	out := Eval(f, in)
	for s := range 64 {
		sample := make([]bool, len(in))
		for i := range in {
			sample[i] = in[i]>>s&1 == 1
		}
		net := evaluate(n, sample)
		for i, v := range portNets(n.OutputPorts()) {
			if got := out[i]>>s&1 == 1; got != net[v] {
				t.Fatalf("sample %d: output %s is %v, want %v", s, f.Outputs[i].Name, got, net[v])
			}
		}
	}
}

func TestSymbols(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 2, 1, nil)
	b.Input("e", 1, 1, nil)
	b.Output("y", 1, nil, x[1:])
	b.Output("z", 2, nil, []netlist.Net{x[0], netlist.True})
	f, err := Read(bytes.NewReader(encode(t, b.Netlist())))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Inputs:  []string{"x[0]", "x[1]", "e"},
		Outputs: []Output{{"y", 4}, {"z[0]", 2}, {"z[1]", 1}},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := []struct {
		name  string
		build func(b *netlist.Builder, x []netlist.Net)
		want  string
	}{
		{"argmax", func(b *netlist.Builder, x []netlist.Net) {
			b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Argmax, 1, netlist.Origin{}, x...)})
		}, "aiger: cannot express argmax"},
		{"register", func(b *netlist.Builder, x []netlist.Net) {
			b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x[0])})
		}, "aiger: cannot express register"},
		{"space in a name", func(b *netlist.Builder, x []netlist.Net) {
			b.Output("y 1", 1, nil, x)
		}, "aiger: output port: the name \"y 1\" has spaces"},
		{"names that meet", func(b *netlist.Builder, x []netlist.Net) {
			b.Output("y", 1, nil, x)
			b.Output("y[1]", 1, nil, x[:1])
		}, "aiger: two bits of output ports are called y[1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := netlist.NewBuilder("net")
			tt.build(b, b.Input("x", 2, 1, nil))
			var out bytes.Buffer
			err := Write(&out, b.Netlist())
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got error %v, want one that begins %q", err, tt.want)
			}
			if out.Len() > 0 {
				t.Errorf("%d bytes were written before the refusal", out.Len())
			}
			var kind *netlist.KindError
			if strings.Contains(tt.want, "express") != errors.As(err, &kind) {
				t.Errorf("%T: want a *netlist.KindError exactly for a kind", err)
			}
		})
	}
}

// cec asks abc whether two files are equivalent and returns abc's output.
func cec(t *testing.T, a, b []byte) string {
	t.Helper()
	abc, err := exec.LookPath("berkeley-abc")
	if err != nil {
		t.Skip("berkeley-abc is not installed: apt-get install berkeley-abc")
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a.aig": a, "b.aig": b} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return run(t, dir, abc, "-q", "&r a.aig; &cec b.aig")
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
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

const equivalent = "Networks are equivalent"

// TestABC checks that abc can prove that a netlist is equivalent to a rewritten form of itself, and that abc finds
// the difference when one output is inverted.
func TestABC(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := randomNetlist(r, 60)
		plain := encode(t, n)
		if out := cec(t, plain, encode(t, shannon(n, false))); !strings.Contains(out, equivalent) {
			t.Errorf("seed %d: equal netlists: abc says\n%s", seed, out)
		}
		if out := cec(t, plain, encode(t, shannon(n, true))); strings.Contains(out, equivalent) {
			t.Errorf("seed %d: different netlists: abc says\n%s", seed, out)
		}
	}
}

// shannon returns n with each function cell expanded into multiplexers, and with the
// last output bit inverted if wrong is set.
func shannon(n *netlist.Netlist, wrong bool) *netlist.Netlist {
	c := netlist.NewCopier(n)
	for i := range netlist.Cell(n.Cells()) {
		if n.Kind(i) != netlist.Function {
			c.Copy(i)
			continue
		}
		in := append([]netlist.Net(nil), c.Inputs(i)...)
		c.Set(n.Output(i), expand(c.Builder, n.Param(i), in))
	}
	outputs := n.OutputPorts()
	for i, p := range outputs {
		nets := make([]netlist.Net, len(p.Nets))
		for k, v := range p.Nets {
			nets[k] = c.To(v)
		}
		if wrong && i == len(outputs)-1 {
			last := &nets[len(nets)-1]
			*last = c.Function(0b01, netlist.Origin{}, *last)
		}
		c.Output(p.Name, p.Word, p.Labels, nets)
	}
	return c.Netlist()
}

func expand(b *netlist.Builder, table uint64, in []netlist.Net) netlist.Net {
	if len(in) == 0 {
		return netlist.Net(table & 1)
	}
	last := len(in) - 1
	low := expand(b, table, in[:last])
	high := expand(b, table>>(1<<last), in[:last])
	return b.Function(0b11001010, netlist.Origin{}, low, high, in[last]) // in[last] ? high : low
}

// TestYosysOrder checks Match with the order in which yosys writes inputs that are connected directly to outputs. It
// also checks the names that yosys gives to the bits of one-bit ports.
func TestYosysOrder(t *testing.T) {
	yosys, err := exec.LookPath("yosys")
	if err != nil {
		t.Skip("yosys is not installed: apt-get install yosys")
	}
	b := netlist.NewBuilder("net")
	x, e := b.Input("x", 4, 1, nil), b.Input("e", 1, 1, nil)
	y := b.Function(0b0010, netlist.Origin{}, x[3], e[0])
	b.Output("y", 1, nil, []netlist.Net{x[0], y, netlist.True})
	b.Output("z", 1, nil, []netlist.Net{x[2]})
	data := encode(t, b.Netlist())

	dir := t.TempDir()
	const source = `module net(input wire [3:0] x, input wire [0:0] e, output wire [2:0] y, output wire [0:0] z);
  assign y = {1'b1, x[3] & ~e[0], x[0]};
  assign z = x[2];
endmodule
`
	if err := os.WriteFile(filepath.Join(dir, "net.v"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, dir, yosys, "-q", "-p", "read_verilog net.v; proc; flatten; aigmap; write_aiger -symbols net.aig")
	other, err := os.ReadFile(filepath.Join(dir, "net.aig"))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := Read(bytes.NewReader(other))
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(ours.Inputs, theirs.Inputs) {
		t.Error("yosys kept the order of the inputs: the test shows nothing")
	}
	matched, err := Match(ours, theirs)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := matched.Write(&again); err != nil {
		t.Fatal(err)
	}
	if out := cec(t, data, again.Bytes()); !strings.Contains(out, equivalent) {
		t.Errorf("after Match, abc says\n%s", out)
	}
}

func ExampleWrite() {
	b := netlist.NewBuilder("and2")
	x := b.Input("x", 2, 1, nil)
	and := b.Function(netlist.Table(1, 2), netlist.Origin{Layer: 1}, x...)
	b.Output("h", 1, nil, []netlist.Net{and})

	var file bytes.Buffer
	if err := Write(&file, b.Netlist()); err != nil {
		fmt.Println(err)
		return
	}
	f, err := Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Inputs, f.Outputs[0].Name, len(f.Gates))
	fmt.Printf("%04b\n", Eval(f, []uint64{0b1010, 0b1100})[0])
	// Output:
	// [x[0] x[1]] h 1
	// 1000
}
