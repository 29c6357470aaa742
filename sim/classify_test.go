package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// core returns a netlist with a head. The head has one popcount for each group of inputs, and the class is the argmax
// of the counts. If the argument class is given, its nets are the class instead.
func core(ties []uint16, classes, chains int, class ...netlist.Net) *netlist.Netlist {
	b, x := bench(classes * chains)
	b.Ties(ties)
	width := 0
	for 1<<width <= chains {
		width++
	}
	var counts []netlist.Net
	for c := range classes {
		first := b.Cell(netlist.Popcount, 0, none, x[c*chains:][:chains]...)
		counts = append(counts, netlist.Word(first, width)...)
		b.Probe(fmt.Sprintf("count_%d", c), netlist.Word(first, width))
	}
	if class == nil {
		class = netlist.Word(b.Cell(netlist.Argmax, uint64(width), none, counts...), netlist.ClassBits(classes))
	}
	b.Output("class_index", len(class), nil, class)
	return b.Netlist()
}

// gates returns the classifier of core without the head. The output port h has the input bits themselves.
func gates(ties []uint16, classes, chains int) *netlist.Netlist {
	b, x := bench(classes * chains)
	b.Ties(ties)
	class := make([]uint16, len(x))
	for i := range class {
		class[i] = uint16(i / chains)
	}
	b.Classes(class)
	b.Output("h", 1, nil, x)
	return b.Netlist()
}

// wantResult computes the expected counts and classes one sample at a time.
func wantResult(ties []uint16, rows []uint64, samples, classes, chains int) *Result {
	want := &Result{Classes: classes, Class: make([]uint16, samples), Counts: make([]int32, samples*classes)}
	for i := range samples {
		counts := want.Counts[i*classes:][:classes]
		for r, bit := range sampleOf(rows, (samples+63)/64, i) {
			counts[r/chains] += int32(b2u(bit))
		}
		for class := range counts {
			place := func(class int) int { return slices.Index(ties, uint16(class)) } // -1 without an order
			if best := int(want.Class[i]); counts[class] > counts[best] || counts[class] == counts[best] && place(class) < place(best) {
				want.Class[i] = uint16(class)
			}
		}
	}
	return want
}

// TestClassify compares counts and classes in the scopes core and gates with an evaluation of one sample at a time.
// Some sets of samples do not fill their last word or block. There are few chains, so ties are frequent.
func TestClassify(t *testing.T) {
	for _, samples := range []int{0, 1, 63, 64, 65, 1500} {
		for _, chains := range []int{1, 2, 3, 37} {
			const classes = 5
			r := rand.New(rand.NewPCG(uint64(samples), uint64(chains)))
			rows := make([]uint64, classes*chains*((samples+63)/64))
			for i := range rows {
				rows[i] = r.Uint64()
			}
			ties := [][]uint16{nil, {3, 1, 4, 0, 2}}[chains%2]
			want := wantResult(ties, rows, samples, classes, chains)
			for scope, n := range map[string]*netlist.Netlist{
				"gates": gates(ties, classes, chains), "core": core(ties, classes, chains),
			} {
				for _, threads := range []int{1, 3} {
					name := fmt.Sprintf("%d samples, %d chains, %s, %d threads", samples, chains, scope, threads)
					c, err := NewClassifier(n, threads)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					got, err := c.Classify(context.Background(), rows, samples)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s (-want +got):\n%s", name, diff)
					}
				}
			}
		}
	}
}

// TestClassifyPipeline classifies with pipelines in which counts and class appear in different stages. It tests with
// no samples, and with many blocks of samples. The test would notice if a block was in the pipeline for one clock too
// many or too few, or if count and class belonged to different samples.
func TestClassifyPipeline(t *testing.T) {
	const classes, chains = 5, 7
	for _, samples := range []int{0, 1, 200, 5000} {
		r := rand.New(rand.NewPCG(uint64(samples), 3))
		rows := make([]uint64, classes*chains*((samples+63)/64))
		for i := range rows {
			rows[i] = r.Uint64()
		}
		want := wantResult(nil, rows, samples, classes, chains)
		for scope, n := range map[string]*netlist.Netlist{
			"gates": gates(nil, classes, chains), "core": core(nil, classes, chains),
		} {
			for _, stages := range []int{1, 2, 9} {
				p, _, err := pipeline.Insert(n, pipeline.Options{Stages: stages})
				if err != nil {
					t.Fatal(err)
				}
				for _, threads := range []int{1, 3} {
					c, err := NewClassifier(p, threads)
					if err != nil {
						t.Fatal(err)
					}
					for range 2 { // twice: values left in the registers must not matter
						got, err := c.Classify(context.Background(), rows, samples)
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(want, got); diff != "" {
							t.Fatalf("%d samples, %s, %d stages, %d threads (-want +got):\n%s", samples, scope, stages, threads, diff)
						}
					}
				}
			}
		}
	}
}

// TestSettle holds the inputs of a pipeline, and compares its values with the values of the same netlist before
// pipelining.
func TestSettle(t *testing.T) {
	for seed := range uint64(20) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{})
		p, _, err := pipeline.Insert(n, pipeline.Options{Auto: true, MaxLevels: 1})
		if err != nil {
			t.Fatal(err)
		}
		plain, clocked := newBlock(t, n), newBlock(t, p)
		r := rand.New(rand.NewPCG(seed, 4))
		for range 3 {
			var in [][]uint64
			for _, port := range n.InputPorts() {
				in = append(in, []uint64{})
				for range len(port.Nets) * 2 {
					in[len(in)-1] = append(in[len(in)-1], r.Uint64())
				}
			}
			if err := plain.Settle(2, in...); err != nil { // without registers, Settle is Run
				t.Fatal(err)
			}
			if err := clocked.Settle(2, in...); err != nil {
				t.Fatal(err)
			}
			for _, ports := range [][2][]netlist.Port{{n.OutputPorts(), p.OutputPorts()}, {n.Probes(), p.Probes()}} {
				for i, port := range ports[0] {
					if diff := cmp.Diff(plain.Port(port, nil), clocked.Port(ports[1][i], nil)); diff != "" {
						t.Errorf("seed %d, %s (-want +got):\n%s", seed, port.Name, diff)
					}
				}
			}
		}
		if err := clocked.Settle(2, nil); err == nil {
			t.Error("settled without its inputs")
		}
	}
	b, x := bench(1)
	b.Output("y", 1, nil, []netlist.Net{b.Cell(netlist.Register, 0, none, x...)})
	if err := newBlock(t, b.Netlist()).Settle(1, []uint64{0}); err == nil ||
		!strings.Contains(err.Error(), "no pipeline") {
		t.Errorf("a register without an enable: error %v", err)
	}
}

func newBlock(t *testing.T, n *netlist.Netlist) *Simulator {
	t.Helper()
	s, err := NewBlock(n, 2)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestClassifyTrustsTheHead checks that the class comes from the head if the netlist has a head, even if the head is
// wrong. Otherwise a verifier would not see the mistakes of the head.
func TestClassifyTrustsTheHead(t *testing.T) {
	c, err := NewClassifier(core(nil, 3, 2, netlist.False, netlist.True), 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Classify(context.Background(), []uint64{1, 1, 0, 0, 0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := &Result{Classes: 3, Class: []uint16{2}, Counts: []int32{2, 0, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClassifierErrors(t *testing.T) {
	noHead, x := bench(1)
	noHead.Output("y", 1, nil, x)
	noCounts, x := bench(1)
	noCounts.Output("class_index", 1, nil, x)
	noClasses, x := bench(2)
	noClasses.Output("h", 1, nil, x)
	noClasses.Classes([]uint16{0})
	registered, x := bench(1)
	registered.Output("h", 1, nil, []netlist.Net{registered.Cell(netlist.Register, 0, none, x...)})
	registered.Classes([]uint16{0})
	two, _ := bench(1)
	two.Input("z", 1, 1, nil)
	for _, c := range []struct {
		name string
		n    *netlist.Netlist
		want string
	}{
		{"no output", noHead.Netlist(), "has the outputs y, need class_index or h"},
		{"no counts", noCounts.Netlist(), "0 probes count_0"},
		{"no classes", noClasses.Netlist(), "2 bits of h but classes for 1 chains"},
		{"registers", registered.Netlist(), "has registers but is no pipeline: it has no input port ce"},
		{"two inputs", two.Netlist(), "input ports x, z"},
	} {
		if _, err := NewClassifier(c.n, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestClassifyErrors(t *testing.T) {
	c, err := NewClassifier(gates(nil, 2, 3), 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Classify(context.Background(), make([]uint64, 7), 64); err == nil ||
		!strings.Contains(err.Error(), "input has 7 words, need 6") {
		t.Errorf("wrong size: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Classify(ctx, make([]uint64, 6), 64); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
