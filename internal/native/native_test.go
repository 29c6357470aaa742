package native

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/native/rows"
	"ialgn/internal/nativecall"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// sets returns the instruction sets of this machine.
func sets() (all []*ISA) {
	for _, isa := range ISAs {
		if isa.Arch == runtime.GOARCH && isa.Available() && nativecall.Available {
			all = append(all, isa)
		}
	}
	return all
}

// machine is code in executable memory, together with the memory that the code uses.
type machine struct {
	code                *Code
	mapped              *nativecall.Code
	blocks              int
	rows, state, locals []uint64
}

func newMachine(tb testing.TB, c *Code, blocks int) *machine {
	tb.Helper()
	mapped, err := nativecall.Map(c.Text)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = mapped.Close() })
	words := c.ISA.RowBytes / 8
	return &machine{
		c, mapped, blocks,
		make([]uint64, blocks*len(c.Rows)*words+1), make([]uint64, blocks*c.State*words+1), make([]uint64, c.Local*words+1),
	}
}

func (m *machine) run() {
	c, row := m.code, m.code.ISA.RowBytes
	for _, s := range c.Segments {
		nativecall.Call(m.mapped.Entry(s.Offset), uintptr(unsafe.Pointer(&m.rows[0])), uintptr(unsafe.Pointer(&m.state[0])),
			uintptr(unsafe.Pointer(&m.locals[0])), uintptr(m.blocks), uintptr(c.State*row), uintptr(len(c.Rows)*row))
	}
}

// check runs the code of a netlist on blocks of random samples and compares every output with the simulator's output.
func check(t *testing.T, n *netlist.Netlist, isa *ISA, blocks int) *Code {
	t.Helper()
	c, err := Compile(n, isa)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, c, blocks)
	words := isa.RowBytes / 8
	inputs := int(n.FirstCellNet()) - 2
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]uint64, blocks*inputs*words)
	for i := range in {
		in[i] = r.Uint64()
	}
	for b := range blocks {
		for k, bit := range c.Rows {
			copy(m.rows[(b*len(c.Rows)+k)*words:][:words], in[(b*inputs+bit)*words:])
		}
	}
	m.run()
	s, err := sim.NewBlock(n, words)
	if err != nil {
		t.Fatal(err)
	}
	for b := range blocks {
		compareBlock(t, s, in[b*inputs*words:][:inputs*words], m.state[b*c.State*words:])
	}
	return c
}

// compareBlock compares the first state rows with the simulator's results for the input rows.
func compareBlock(t *testing.T, s *sim.Simulator, in, state []uint64) {
	t.Helper()
	n, words := s.Netlist(), s.Block()
	var ports [][]uint64
	for _, p := range n.InputPorts() {
		size := len(p.Nets) * words
		ports, in = append(ports, in[:size]), in[size:]
	}
	if err := s.Run(words, ports...); err != nil {
		t.Fatal(err)
	}
	for _, p := range slices.Concat(n.OutputPorts(), n.Probes()) {
		for bit, v := range p.Nets {
			if got, want := state[:words], s.Net(v); !slices.Equal(got, want) {
				t.Fatalf("%s[%d] is %x, want %x", p.Name, bit, got, want)
			}
			state = state[words:]
		}
	}
}

// TestRandom compares the code of random netlists of all kinds of cells with the simulator.
func TestRandom(t *testing.T) {
	for _, isa := range sets() {
		t.Run(isa.Name, func(t *testing.T) {
			for seed := range uint64(300) {
				check(t, netgen.Netlist(seed, netgen.NetlistOptions{Cells: 1 + int(seed)}), isa, 3)
			}
		})
	}
}

// TestNetworks compares the code of networks with several segments with the simulator. Values pass from one segment
// to another, and more values are live at a time than there are registers.
func TestNetworks(t *testing.T) {
	for _, isa := range sets() {
		segments, local := 0, 0
		for _, topology := range []netgen.Topology{netgen.Chain, netgen.Random} {
			for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
				c := check(t, network(t, 900, 12, topology, scope), isa, 2)
				segments, local = max(segments, len(c.Segments)), max(local, c.Local)
			}
		}
		if segments < 2 || local == 0 {
			t.Errorf("%s: at most %d segments and %d local rows, the networks are too small", isa.Name, segments, local)
		}
	}
}

func network(tb testing.TB, width, depth int, topology netgen.Topology, scope netlist.Scope) *netlist.Netlist {
	tb.Helper()
	o := netgen.Paper(width, depth)
	o.Topology, o.ShareA, o.ShareBinary = topology, 0.4, 0.55
	n, err := freeze.Network(netgen.Frozen(1, o), scope)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// TestDeterministic compiles twice and expects the same code, because the code is written to files.
func TestDeterministic(t *testing.T) {
	for _, isa := range ISAs {
		n := network(t, 300, 4, netgen.Chain, netlist.Core)
		first, err := Compile(n, isa)
		if err != nil {
			t.Fatal(err)
		}
		second, err := Compile(n, isa)
		if diff := cmp.Diff(first.Text, second.Text); err != nil || diff != "" {
			t.Errorf("%s: %v, other code the second time:\n%.500s", isa.Name, err, diff)
		}
	}
}

// TestCompileRefusesRegisters checks that a netlist with a register is refused.
func TestCompileRefusesRegisters(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 1, 1, nil)
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, netlist.Origin{}, x...)})
	_, err := Compile(b.Netlist(), AVX2)
	if err == nil || !strings.HasPrefix(err.Error(), "native: cannot express register") {
		t.Errorf("error %v", err)
	}
}

// TestTooLarge checks that every machine returns an error if samples are so long that instructions cannot address all
// features.
func TestTooLarge(t *testing.T) {
	n := network(t, 100, 2, netgen.Chain, netlist.Core)
	for _, isa := range ISAs {
		f := &Features{Count: 1 << 24, Bits: make([]rows.Pair, len(n.InputPorts()[0].Nets))}
		for i := range f.Bits {
			f.Bits[i].Feature = i
		}
		_, err := CompileClassifier(n, isa, f)
		if err == nil || !strings.Contains(err.Error(), "samples of 16777216 features, more than instructions reach") {
			t.Errorf("%s: error %v", isa.Name, err)
		}
	}
}

// BenchmarkRun measures networks of the paper's form. A run begins with bit rows and ends with the bits of the counts
// and the class.
func BenchmarkRun(b *testing.B) {
	for _, isa := range sets() {
		for _, blocks := range []int{1, 8} {
			b.Run(fmt.Sprintf("isa=%s/gates=8000x6/blocks=%d", isa.Name, blocks), func(b *testing.B) {
				c, err := Compile(network(b, 8000, 6, netgen.Chain, netlist.Core), isa)
				if err != nil {
					b.Fatal(err)
				}
				m := newMachine(b, c, blocks)
				for b.Loop() {
					m.run()
				}
				b.ReportMetric(float64(blocks*isa.Samples()*b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
