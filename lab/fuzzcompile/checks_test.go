package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// TestReference breaks a gate of the raw netlist, so that the netlist differs from the model file. It tests each
// scope, and inputs that are assumed to be thermometer codes.
func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := caseOf(t, func(c fuzzCase) bool { return c.network.Gates() > 20 && c.network.Encoder.Bits > 3 })
	for _, o := range []options{
		{scope: netlist.Gates},
		{scope: netlist.Core, assume: true, target: "generic", k: 4},
		{scope: netlist.Full},
	} {
		d, err := o.compile(t.Context(), c.network, fault{}, r)
		if err != nil {
			t.Fatal(err)
		}
		err = c.refer(t.Context(), d, o)
		skipMissing(t, err)
		if err != nil {
			t.Fatalf("%v: the sound netlist: %v", o.scope, err)
		}
		d.Raw = broken(t, d, r, d.Raw, one(netlist.Function, 2, flip))
		if err := c.refer(t.Context(), d, o); !isMismatch(err, "computes something else") {
			t.Errorf("%v: the broken netlist: %v", o.scope, err)
		}
	}
}

// broken returns the netlist n with a change that affects the result of some sample. n is the raw netlist or the
// product, which are the same except for registers.
func broken(t *testing.T, d verify.Design, r *rand.Rand, n *netlist.Netlist,
	change func(*rand.Rand, *netlist.Netlist) *netlist.Netlist,
) *netlist.Netlist {
	t.Helper()
	for range 100 {
		d.Product = change(r, n)
		if err := compareNetlists(d, r); isMismatch(err, "differs") {
			return d.Product
		}
	}
	t.Fatal("no change shows")
	return nil
}

func isMismatch(err error, text string) bool {
	wrong := (*mismatch)(nil)
	return errors.As(err, &wrong) && strings.Contains(err.Error(), text)
}

// caseOf returns a case with few gates that satisfies a condition.
func caseOf(t *testing.T, holds func(c fuzzCase) bool) fuzzCase {
	t.Helper()
	for seed := range uint64(10000) {
		if c := newCase(seed); c.network.Gates() < 200 && holds(c) {
			return c
		}
	}
	t.Fatal("there is no such case")
	return fuzzCase{}
}

// TestSynthesise synthesises a broken product with yosys and compares the cells with the correct product. It runs
// both synthesis flows, with and without registers.
func TestSynthesise(t *testing.T) {
	testkit.Long(t, "synthesises by both flows")
	for flow, clocked := range map[string]bool{flowGates: true, flowIce40: false} {
		t.Run(flow, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(3, 4))
			c := caseOf(t, func(c fuzzCase) bool {
				o := c.options
				return o.scope == netlist.Gates && o.pipelined() == clocked && o.target == "ice40" && c.network.Gates() > 20
			})
			o := c.options
			d, err := o.compile(t.Context(), c.network, fault{}, r)
			if err != nil {
				t.Fatal(err)
			}
			s := drawSamples(r, &d.Model.Encoder, 256)
			err = o.synthesise(t.Context(), d, s, flow)
			skipMissing(t, err)
			if err != nil {
				t.Fatalf("the sound product: %v", err)
			}
			wrong := d
			wrong.Product = broken(t, d, r, d.Product, one(netlist.Function, 1, invert))
			files, err := o.cells(t.Context(), wrong, t.TempDir(), flow)
			if err != nil {
				t.Fatal(err)
			}
			if err := simulateRTL(t.Context(), "after yosys", d, s, files); !isMismatch(err, "after yosys") {
				t.Errorf("the broken product: %v", err)
			}
		})
	}
}

// TestModel checks that the comparison of networks finds a changed logit or a changed wire if the change affects a
// selection.
func TestModel(t *testing.T) {
	c := caseOf(t, func(c fuzzCase) bool { return c.model.Sections[0].Arity == 16 && c.model.Sections[0].Pins[1].K > 1 })
	s := &c.model.Sections[0]
	op := c.network.Layers[0].Op.Narrow[0]
	s.Ops[op] -= 100
	if sameNetwork(c.model.Freeze(), c.network) {
		t.Error("another operation was not seen")
	}
	s.Ops[op] += 100
	if !sameNetwork(c.model.Freeze(), c.network) {
		t.Error("the same network is not the same")
	}
	s.Pins[1].Wires.Set(0, s.Pins[1].Wires.At(0)+1)
	s.Pins[1].Logits[0] = math.MaxFloat32
	if f := c.model.Freeze(); f.Layers[0].Pins[1].Index[0] != c.network.Layers[0].Pins[1].Index[0] &&
		sameNetwork(f, c.network) {
		t.Error("another wire was not seen")
	}
}

// TestProperties checks networks with and without each property.
func TestProperties(t *testing.T) {
	plain := func() *model.Frozen {
		return &model.Frozen{
			Name: "plain", Width: 4, Classes: []string{"a", "b"}, Encoder: netgen.Encoder(2, 2, 1),
			Layers: []model.FrozenLayer{
				{
					Op: model.Tables{Narrow: []uint8{1, 2, 4, 7}},
					Pins: []model.FrozenPin{
						{Source: model.Input, Index: []uint32{1, 0, 1, 0}},
						{Source: model.Input, Index: []uint32{0, 1, 0, 1}},
					},
				},
				{
					Op: model.Tables{Narrow: []uint8{1, 2, 4, 7}},
					Pins: []model.FrozenPin{
						{Source: model.Previous, Index: []uint32{0, 1, 2, 3}},
						{Source: model.Input, Index: []uint32{1, 0, 1, 0}},
					},
				},
			},
		}
	}
	for name, change := range map[string]func(f *model.Frozen){
		"duplicate anchor in a chain": func(f *model.Frozen) { f.Layers[1].Pins[1].Index[2] = 0 },
		"both pins on one net":        func(f *model.Frozen) { f.Layers[0].Pins[0].Index[3] = 1 },
		"constant gate counted":       func(f *model.Frozen) { f.Layers[1].Op.Narrow[1] = 15 },
		"equal chains":                func(f *model.Frozen) { copyChain(f, 0, 1) },
		"equal chains in two classes": func(f *model.Frozen) { copyChain(f, 0, 3) },
		"complementary chains":        func(f *model.Frozen) { copyChain(f, 0, 1); f.Layers[1].Op.Narrow[1] ^= 15 },
		"equal classes":               func(f *model.Frozen) { copyChain(f, 0, 3); copyChain(f, 1, 2) },
	} {
		f := plain()
		m := newModel(rand.New(rand.NewPCG(1, 1)), f)
		if slices.Contains(propertiesOf(f, m), name) {
			t.Errorf("the plain network has %q", name)
		}
		change(f)
		if !slices.Contains(propertiesOf(f, m), name) {
			t.Errorf("the changed network has not %q", name)
		}
	}
}

// TestStopped checks that a run that is stopped reports neither success nor a mismatch.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	err := start(ctx, &out, []string{"-count", "10"})
	if !errors.Is(err, context.Canceled) || strings.Contains(out.String(), "no mismatch") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// TestUndecided checks that a case without a proof does not count as proved, and that the run goes on.
func TestUndecided(t *testing.T) {
	f := fuzzer{w: new(strings.Builder), first: 5, sum: newSummary(), done: map[int]fuzzCase{}}
	c := newCase(5)
	c.deep = depth{formal: true, rtl: true}
	if f.finish(t.Context(), 0, c, &undecided{"formal: abc gave no verdict"}) || f.failed != nil {
		t.Errorf("the run ended: %v", f.failed)
	}
	if s := f.sum; s.Networks != 1 || s.Formal+s.RTL != 0 || !slices.Equal(s.Undecided, []uint64{5}) {
		t.Errorf("%d networks, %d proved, %d in iverilog, undecided %v", s.Networks, s.Formal, s.RTL, s.Undecided)
	}
	f.count, f.plan, f.first = 1, depths{}, 6
	if err := f.run(t.Context()); err != nil {
		t.Errorf("another run: %v", err)
	}
}
