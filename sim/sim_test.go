package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

var none netlist.Origin

// bench is a netlist with one input port x, ready for cells.
func bench(width int) (*netlist.Builder, []netlist.Net) {
	b := netlist.NewBuilder("bench")
	return b, b.Input("x", width, 1, nil)
}

// kindCases returns netlists with cells of every kind. They have the sizes at which the simulator changes its method.
func kindCases() map[string]func() *netlist.Netlist {
	cases := map[string]func() *netlist.Netlist{}
	for inputs := range netlist.MaxFunctionInputs + 1 {
		cases[fmt.Sprintf("function of %d", inputs)] = func() *netlist.Netlist { return functions(inputs) }
	}
	for _, k := range []netlist.Kind{netlist.Popcount, netlist.Counter} {
		for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200} {
			if k == netlist.Counter && (n < 2 || n > netlist.MaxCounter) {
				continue
			}
			cases[fmt.Sprintf("%s of %d", map[netlist.Kind]string{netlist.Popcount: "popcount", netlist.Counter: "counter"}[k],
				n)] = func() *netlist.Netlist { return single(k, 0, n) }
		}
	}
	for _, n := range []int{1, 2, 5, 8} {
		for _, t := range []uint64{0, 1, 2, 13, 100, 1<<n - 2, 1<<n - 1} {
			if t >= 1<<n {
				continue
			}
			cases[fmt.Sprintf("compare %d bits with %d", n, t)] = func() *netlist.Netlist {
				return single(netlist.Compare, t,
					n)
			}
		}
	}
	for _, classes := range []int{1, 2, 3, 4, 5, 10, 17} {
		for _, width := range []int{1, 2, 5} {
			for _, margin := range []int{0, 1, 2, 5, 13, 1<<width - 1} {
				if margin >= 1<<width {
					continue
				}
				cases[fmt.Sprintf("argmax of %d words of %d, margin %d", classes, width, margin)] = func() *netlist.Netlist {
					return single(netlist.Argmax, netlist.ArgmaxParam(width, margin), classes*width)
				}
			}
		}
	}
	cases["carry"] = func() *netlist.Netlist { return single(netlist.Carry, 0, 3) }
	cases["register"] = func() *netlist.Netlist { return single(netlist.Register, 0, 1) }
	cases["register with enable"] = func() *netlist.Netlist { return single(netlist.Register, 0, 2) }
	cases["pipeline"] = feedForward
	cases["primitive"] = primitive
	cases["compare with a wide word"] = func() *netlist.Netlist { return single(netlist.Compare, 1<<63-5, 64) }
	return cases
}

// functions returns a netlist with all tables of the given number of inputs, or with 32 random tables if there are
// too many.
func functions(inputs int) *netlist.Netlist {
	b, x := bench(inputs + 1)
	r := rand.New(rand.NewPCG(5, uint64(inputs)))
	bits := 1 << inputs
	var outs []netlist.Net
	for i := range min(1<<min(bits, 5), 32) {
		table := uint64(i)
		if inputs > 2 {
			table = r.Uint64() >> (64 - bits)
		}
		outs = append(outs, b.Function(table, none, x[1:]...))
	}
	b.Output("y", 1, nil, outs)
	return b.Netlist()
}

func single(k netlist.Kind, param uint64, inputs int) *netlist.Netlist {
	b, x := bench(inputs)
	y := b.Cell(k, param, none, x...)
	b.Output("y", 1, nil, []netlist.Net{y})
	return b.Netlist()
}

func feedForward() *netlist.Netlist {
	b, x := bench(3)
	and := b.Function(0b1000, none, x[0], x[1])
	r1 := b.Cell(netlist.Register, 0, none, and, x[2])
	r2 := b.Cell(netlist.Register, 0, none, x[1], x[2])
	or := b.Function(0b1110, none, r1, r2)
	r3 := b.Cell(netlist.Register, 0, none, or)
	b.Output("y", 1, nil, []netlist.Net{r3})
	return b.Netlist()
}

func primitive() *netlist.Netlist {
	b, x := bench(4)
	p := b.Primitive(netlist.PrimitiveType{Name: "LUT4", Inputs: []string{"a", "b", "c", "d"}, Output: "q", Table: 0xcafe})
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Primitive, p, none, x...)})
	return b.Netlist()
}

// TestKinds compares every net of every kind with the oracle, over three clocks of
// random samples in blocks of one and of three words.
func TestKinds(t *testing.T) {
	for name, build := range kindCases() {
		t.Run(name, func(t *testing.T) {
			for _, words := range []int{1, 3} {
				r := rand.New(rand.NewPCG(1, uint64(words)))
				compare(t, build(), 4, words, 3, r.Uint64)
			}
		})
	}
}

// TestSkewed does the same as TestKinds, but with words in which ones or zeros are rare. Uniform random words almost
// never reach the rare results of wide comparisons and counts, or ties.
func TestSkewed(t *testing.T) {
	for name, build := range kindCases() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 2))
			rare := func() uint64 { return r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64() }
			compare(t, build(), 1, 1, 2, rare)
			compare(t, build(), 1, 1, 2, func() uint64 { return ^rare() })
		})
	}
}

func compare(t *testing.T, n *netlist.Netlist, block, words, clocks int, random func() uint64) {
	t.Helper()
	clock, sample, net, found, err := differs(n, block, words, clocks, random)
	if err != nil {
		t.Fatal(err)
	}
	if found {
		t.Fatalf("net %d differs from the oracle at clock %d, sample %d", net, clock, sample)
	}
}

// TestRunKeepsState checks that only Step changes registers, that Reset clears them, and that an enable of 0 holds
// them.
func TestRunKeepsState(t *testing.T) {
	s, err := New(single(netlist.Register, 0, 2))
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	look := func(data, enable uint64) {
		if err := s.Run(1, []uint64{data, enable}); err != nil {
			t.Fatal(err)
		}
		y, err := s.Output("y")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, y...)
	}
	step := func(data, enable uint64) {
		if err := s.Step(1, []uint64{data, enable}); err != nil {
			t.Fatal(err)
		}
	}
	look(^uint64(0), ^uint64(0)) // nothing stored yet
	step(0b1111, 0b1010)
	look(0, 0)
	step(0, 0b0010)
	look(0, 0)
	s.Reset()
	look(0, 0)
	if diff := cmp.Diff([]uint64{0, 0b1010, 0b1000, 0}, got); diff != "" {
		t.Errorf("register over time (-want +got):\n%s", diff)
	}
}

// TestEach checks that running in blocks gives the same result as one run.
func TestEach(t *testing.T) {
	n := functions(2)
	const words = 11
	r := rand.New(rand.NewPCG(3, 3))
	rows := make([]uint64, 3*words)
	for i := range rows {
		rows[i] = r.Uint64()
	}
	whole, err := NewBlock(n, words)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.Run(words, rows); err != nil {
		t.Fatal(err)
	}
	parts, err := NewBlock(n, 4)
	if err != nil {
		t.Fatal(err)
	}
	got := make([][]uint64, n.Nets())
	err = parts.Each(context.Background(), words, func(first, count int) error {
		for v := range netlist.Net(n.Nets()) {
			got[v] = append(got[v], parts.Net(v)...)
		}
		return nil
	}, rows)
	if err != nil {
		t.Fatal(err)
	}
	for v := range netlist.Net(n.Nets()) {
		if diff := cmp.Diff(whole.Net(v), got[v]); diff != "" {
			t.Fatalf("net %d (-whole +blocks):\n%s", v, diff)
		}
	}
}

func TestEachStops(t *testing.T) {
	s, err := NewBlock(functions(2), 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]uint64, 3*4)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Each(ctx, 4, func(int, int) error { return stop }, rows); !errors.Is(err, stop) {
		t.Errorf("error of f: got %v", err)
	}
	calls := 0
	err = s.Each(ctx, 4, func(int, int) error { calls++; cancel(); return nil }, rows)
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("cancelled: %d calls and error %v, want 1 and %v", calls, err, context.Canceled)
	}
}

func TestRunRefusesMisfits(t *testing.T) {
	n := functions(2)
	s, err := NewBlock(n, 2)
	if err != nil {
		t.Fatal(err)
	}
	broken, x := bench(1)
	broken.Function(0b10, none, x[0]+5)
	_, errBlock := NewBlock(n, MaxBlock+1)
	_, errBroken := New(broken.Netlist())
	_, errName := s.Output("z")
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"block too large", errBlock, "17 words"},
		{"net without a driver", errBroken, "simulator: "},
		{"no such output", errName, `no output or probe "z", it has y`},
		{"too many words", s.Run(3, make([]uint64, 9)), "3 words a row"},
		{"no words", s.Run(0, nil), "0 words a row"},
		{"port missing", s.Run(1), `0 inputs given, but netlist "bench" has 1 input ports: x`},
		{"row missing", s.Run(1, make([]uint64, 2)), `port "x" has 2 words, need 3`},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, c.err, c.want)
		}
	}
}
