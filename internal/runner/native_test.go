package runner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/native"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// sets returns the instruction sets of this machine, or skips the test.
func sets(tb testing.TB) []*native.ISA {
	tb.Helper()
	all, err := ISAs()
	if err != nil {
		tb.Skip(err)
	}
	return all
}

// randomRows returns random bit rows.
func randomRows(seed uint64, inputs, samples int) []uint64 {
	r, x := rand.New(rand.NewPCG(seed, 1)), make([]uint64, inputs*((samples+63)/64))
	for i := range x {
		x[i] = r.Uint64()
	}
	return x
}

// compare compares engines of a netlist, both raw and optimised, with the simulator.
func compare(t *testing.T, name string, n *netlist.Netlist) {
	t.Helper()
	optimised, _, err := compiler.Optimise(t.Context(), n, compiler.LevelRepeat)
	if err != nil {
		t.Fatal(err)
	}
	for _, isa := range sets(t) {
		for i, n := range []*netlist.Netlist{n, optimised} {
			simulator, err := sim.NewClassifier(n, 1)
			if err != nil {
				t.Fatal(err)
			}
			e, err := New(n, isa, 1+i)
			if err != nil {
				t.Fatal(err)
			}
			for _, samples := range []int{0, 1, 65, 1500} {
				x := randomRows(uint64(samples), e.Inputs(), samples)
				want, err := simulator.Classify(t.Context(), x, samples)
				if err != nil {
					t.Fatal(err)
				}
				got, err := e.Classify(t.Context(), x, samples)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s, %s, %d samples, optimised %d (-simulator +engine):\n%.2000s", name, isa.Name, samples, i, diff)
				}
			}
		}
	}
}

// TestNativeClassifiesEveryForm classifies with every form of network in every scope.
func TestNativeClassifiesEveryForm(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
			n, err := freeze.Network(f, scope)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, fmt.Sprint(form.Name, ", scope ", scope), n)
		}
	}
}

// TestPipeline runs a netlist with registers. Its code must compute the result of all stages at once.
func TestPipeline(t *testing.T) {
	isa := sets(t)[0]
	n := core(t, 120, 4)
	clocked, _, err := pipeline.Insert(n, pipeline.Options{Stages: 3})
	if err != nil {
		t.Fatal(err)
	}
	var results []*sim.Result
	for _, n := range []*netlist.Netlist{n, clocked} {
		e, err := New(n, isa, 2)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Classify(t.Context(), randomRows(1, e.Inputs(), 700), 700)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	if diff := cmp.Diff(results[0], results[1]); diff != "" {
		t.Errorf("(-without registers +with):\n%.1000s", diff)
	}
}

func core(tb testing.TB, width, depth int) *netlist.Netlist {
	tb.Helper()
	n, err := freeze.Network(netgen.Frozen(1, paper(width, depth)), netlist.Core)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// TestGoroutines uses one engine in several goroutines while the garbage collector runs.
func TestGoroutines(t *testing.T) {
	e, err := New(core(t, 900, 6), sets(t)[0], 2)
	if err != nil {
		t.Fatal(err)
	}
	x := randomRows(3, e.Inputs(), 3000)
	want, err := e.Classify(t.Context(), x, 3000)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 8 {
				got, err := e.Classify(t.Context(), x, 3000)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("(-alone +concurrent):\n%.1000s", diff)
				}
				runtime.GC()
			}
		})
	}
}

func TestClassifyRefusesMisfits(t *testing.T) {
	isa := sets(t)[0]
	e, err := New(core(t, 60, 2), isa, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Classify(t.Context(), make([]uint64, 3), 64); err == nil {
		t.Error("too few rows were accepted")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Classify(ended, make([]uint64, e.Inputs()), 64); err == nil {
		t.Error("an ended context was accepted")
	}
	b := netlist.NewBuilder("net")
	b.Output("y", 1, nil, b.Input("x", 1, 1, nil))
	if _, err := New(b.Netlist(), isa, 1); err == nil {
		t.Error("a netlist that is no classifier was accepted")
	}
}

// BenchmarkClassify measures the same work as BenchmarkClassify in package sim.
func BenchmarkClassify(b *testing.B) {
	const samples = 10000
	for _, isa := range sets(b) {
		b.Run("gates=8000x6/isa="+isa.Name, func(b *testing.B) {
			e, err := New(core(b, 8000, 6), isa, 1)
			if err != nil {
				b.Fatal(err)
			}
			x := randomRows(1, e.Inputs(), samples)
			for b.Loop() {
				if _, err := e.Classify(b.Context(), x, samples); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(samples*float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

// BenchmarkReady measures the time from a frozen network to callable code.
func BenchmarkReady(b *testing.B) {
	isa := sets(b)[0]
	for _, depth := range []int{6, 100} {
		f := netgen.Frozen(1, paper(8000, depth))
		b.Run(fmt.Sprintf("gates=8000x%d", depth), func(b *testing.B) {
			for b.Loop() {
				ready(b, f, isa)
			}
		})
	}
}

func paper(width, depth int) netgen.FrozenOptions {
	o := netgen.Paper(width, depth)
	o.ShareA, o.ShareBinary = 0.4, 0.55
	return o
}

func ready(b *testing.B, f *model.Frozen, isa *native.ISA) {
	b.Helper()
	n, err := freeze.Network(f, netlist.Core)
	if err != nil {
		b.Fatal(err)
	}
	if _, err = New(n, isa, 1); err != nil {
		b.Fatal(err)
	}
}
