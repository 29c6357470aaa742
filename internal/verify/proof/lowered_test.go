package proof

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn/internal/counts"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestLowered verifies every form of network as hardware. The short tests check each form in one scope with one way
// of mapping. The scope and the way of mapping change from form to form. The long tests check each form in each
// scope, with two of the four ways of mapping.
func TestLowered(t *testing.T) {
	verifytest.Needs(t, "abc")
	for i, form := range netgen.Forms() {
		f := form.Model().Freeze()
		s := verifytest.RandomSamples(f, 200)
		for j, scope := range verifytest.Scopes {
			for k, h := range []struct {
				target   string
				k        int
				pipeline pipeline.Options
			}{
				{"generic", 6, pipeline.Options{}},
				{"generic", 3, pipeline.Options{}},
				{"ice40", 4, pipeline.Options{}},
				{"generic", 6, pipeline.Options{Auto: true, MaxLevels: 1}},
			} {
				if one := (i+j)%3 == 1 && i%4 == k; !one && !(testkit.Whole() && (i+j+k)%2 == 0) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%s%d-%d", form.Name, scope, h.target, h.k, h.pipeline.MaxLevels), func(t *testing.T) {
					t.Parallel()
					thermometer := scope == netlist.Core && !h.pipeline.Auto
					sound(t, verifytest.LoweredDesign(t, f, scope, h.target, h.k, thermometer, h.pipeline), s)
				})
			}
		}
	}
}

// sound checks that a correct lowered design is verified.
func sound(t *testing.T, d verify.Design, s verify.Samples) {
	t.Helper()
	soft, err := software.Check(t.Context(), d, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	if soft.Mismatches != 0 {
		t.Errorf("software: %+v", soft)
	}
	r, err := Check(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Proved || r.Outputs != d.Model.Width {
		t.Errorf("formal: %+v", r)
	}
}

// TestLoweredShapes verifies heads that are degenerate or count pairs of complements.
func TestLoweredShapes(t *testing.T) {
	verifytest.Needs(t, "abc")
	base := func() *model.Frozen { return netgen.Frozen(5, netgen.FrozenOptions{}) }
	for name, f := range map[string]*model.Frozen{
		"one chain a class":    netgen.Frozen(5, netgen.FrozenOptions{Width: 3}),
		"a class always full":  constantClass(base(), 15),
		"all classes constant": constantClass(constantClass(constantClass(base(), 15), 15, 1), 0, 2),
		"two classes the same": sameClasses(base()),
		"pairs of complements": complementPairs(base()),
		"pairs in every class": complementPairs(complementPairs(complementPairs(base()), 1), 2),
		"many pairs, random wires": complementPairs(netgen.Frozen(8,
			netgen.FrozenOptions{Topology: netgen.Random, Width: 120})),
	} {
		s := verifytest.RandomSamples(f, 100)
		for _, scope := range verifytest.Scopes {
			t.Run(name+"/"+scope.String(), func(t *testing.T) {
				t.Parallel()
				d := verifytest.LoweredDesign(t, f, scope, "generic", 6, false)
				sound(t, d, s)
				if scope == netlist.Core && strings.HasPrefix(name, "pairs") {
					if r, err := verify.FindRoots(d.Product, d.Hint, d.Margin, nil); err != nil || r.Pairs[0] == 0 {
						t.Errorf("no pair was found: %+v, %v", r, err)
					}
				}
			})
		}
	}
}

// complementPairs changes the gates of a class in the last layer. The second half of these gates become complements
// of the first half.
func complementPairs(f *model.Frozen, class ...int) *model.Frozen {
	group, c := f.Width/len(f.Classes), 0
	if len(class) > 0 {
		c = class[0]
	}
	last := &f.Layers[f.Depth()-1]
	for i := range group / 2 {
		from, to := c*group+i, c*group+group/2+i
		copyChain(f, from, to)
		last.Op.Narrow[to] = 15 - last.Op.Narrow[from]
	}
	return f
}

// sameClasses copies the chains of the first class to the last class.
func sameClasses(f *model.Frozen) *model.Frozen {
	group := f.Width / len(f.Classes)
	for i := range group {
		copyChain(f, i, f.Width-group+i)
	}
	return f
}

// copyChain gives one chain the gates of another chain.
func copyChain(f *model.Frozen, from, to int) {
	for l := range f.Layers {
		layer := &f.Layers[l]
		layer.Op.Narrow[to], layer.Pins[0].Index[to], layer.Pins[1].Index[to] = layer.Op.Narrow[from], layer.Pins[0].Index[from], layer.Pins[1].Index[from]
		if l > 0 && layer.Pins[0].Index[from] == uint32(from) {
			layer.Pins[0].Index[to] = uint32(to)
		}
	}
}

// TestForgedPair uses a product whose count is one too high. Its forged hint attributes the extra one to a pair of
// complementary bits that the raw netlist does not have.
func TestForgedPair(t *testing.T) {
	verifytest.Needs(t, "abc")
	build := func(raw bool) *netlist.Netlist {
		b := netlist.NewBuilder("n")
		x := b.Input("x", 2, 1, nil)
		count := []netlist.Net{b.Function(verify.TableNot, netlist.Origin{}, x[0]), x[0]} // x[0] plus one
		if raw {
			zero := b.Function(0b0000, netlist.Origin{}, x[0], x[1])
			count = netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, zero, zero, x[0]), 2)
		}
		b.Probe("count_0", count)
		b.Output("class_index", 1, nil, []netlist.Net{netlist.False})
		return b.Netlist()
	}
	raw, product := build(true), build(false)
	digits, x := product.Probes()[0].Nets, product.InputPorts()[0].Nets[:1]
	term := func(weight uint64, v netlist.Net) counts.Term {
		return counts.Term{Weight: weight, Nets: []netlist.Net{v}, Table: verify.TableCopy}
	}
	first, second := 0, 1
	hint := &counts.Hint{Counts: []counts.Count{{
		Bits: []counts.Bit{{Pair: &second}, {Pair: &first}, {Nets: x, Table: verify.TableCopy}}, Digits: digits,
		Counters: []counts.Counter{{
			Leaves: x, In: []counts.Term{term(1, x[0])}, Constant: 1,
			Out: []counts.Term{term(1, digits[0]), term(2, digits[1])},
		}},
	}}}
	d := verify.Design{Model: verifytest.Small(1), Raw: raw, Product: product, Hint: hint}
	r, err := Check(t.Context(), d)
	if err != nil || r.Proved || r.Verdict != different || !strings.Contains(r.Reason, "1 pairs of bits") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAssumedWords checks that an assumption about thermometer codes has no effect on inputs that are words.
func TestAssumedWords(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := verifytest.LoweredDesign(t, verifytest.Small(31), netlist.Full, "generic", 6, false)
	sound, found := d.Product, 0
	for _, c := range verifytest.CellsOf(sound, netlist.Function) {
		if in := sound.Inputs(c); found < 3 && sound.Origin(c).Layer > 0 && len(in) == 6 {
			d.Product, d.Assumed = verifytest.Rewire(sound, c, sound.Param(c)^1<<63, in...), true
			got, err := Check(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if diff, err := verify.StimuliFor(d).Compare(t.Context(), d.Raw, d.Product); err != nil || diff != nil &&
				got.Proved {
				t.Errorf("cell %d broken: proved, but %v (%v)", c, diff, err)
			}
			if found++; got.Proved != withoutAssumption(d, t).Proved {
				t.Errorf("cell %d broken: the assumption decides the proof", c)
			}
		}
	}
}

func withoutAssumption(d verify.Design, t *testing.T) *Result {
	t.Helper()
	d.Assumed = false
	r, err := Check(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoweredFaults breaks tables and inputs of LUTs. If the samples show a fault, the check must find it. The result
// must name the chain of the LUT, unless the LUT belongs to a counter.
func TestLoweredFaults(t *testing.T) {
	f := verifytest.Small(21)
	s := verifytest.RandomSamples(f, 300)
	for _, scope := range verifytest.Scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			var stages pipeline.Options
			if scope == netlist.Core {
				stages.Stages = 4
			}
			d := verifytest.LoweredDesign(t, f, scope, "generic", 3, false, stages)
			x, err := s.Rows(&f.Encoder, d.Product.InputPorts()[0])
			if err != nil {
				t.Fatal(err)
			}
			sound, want := d.Product, verifytest.OutputsOf(t, d.Product, x, s.Levels.Len())
			r := rand.New(rand.NewPCG(4, 4))
			found, named := 0, 0
			for try := range 60 {
				broken, c := verifytest.BreakGate(r, sound, try%2 == 1)
				if broken.Validate() != nil || verifytest.EquivalentInput(sound, broken, c) {
					continue
				}
				d.Product = broken
				visible := verifytest.OutputsOf(t, broken, x, s.Levels.Len()) != want
				got, err := software.Check(t.Context(), d, s, 1)
				if err != nil || (got.Mismatches > 0) != visible {
					t.Fatalf("cell %d broken: %+v, visible %v (%v)", c, got, visible, err)
				}
				if !visible {
					continue
				}
				found++
				if o := sound.Origin(c); o.Layer == 0 && got.First[0].Layer == 0 || o.Layer > 0 &&
					got.First[0].Gate == int(o.Chain) {
					named++
				}
			}
			if found < 20 || named*10 < found*9 {
				t.Errorf("%d of 60 faults show, %d of them are named", found, named)
			}
		})
	}
}

// TestForgedHint changes the hint. A wrong hint must not lead to a proof or to a panic.
func TestForgedHint(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := verifytest.LoweredDesign(t, verifytest.Small(31), netlist.Core, "generic", 6, false)
	text, err := json.Marshal(d.Hint)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*counts.Hint){
		"no counts":          func(h *counts.Hint) { h.Counts = nil },
		"no argmax":          func(h *counts.Hint) { h.Argmaxs = nil },
		"a counter left out": func(h *counts.Hint) { h.Counts[1].Counters = h.Counts[1].Counters[1:] },
		"a bit left out":     func(h *counts.Hint) { h.Counts[1].Bits = h.Counts[1].Bits[1:] },
		"a bit of another":   func(h *counts.Hint) { h.Counts[1].Bits[0] = h.Counts[0].Bits[0] },
		"classes exchanged": func(h *counts.Hint) {
			h.Counts[0].Bits, h.Counts[1].Bits = h.Counts[1].Bits,
				h.Counts[0].Bits
		},
		"a pair with itself":  func(h *counts.Hint) { i := 0; h.Counts[0].Bits[0].Pair = &i },
		"a net that is not":   func(h *counts.Hint) { h.Counts[0].Digits[0] = 1 << 30 },
		"a leaf that is not":  func(h *counts.Hint) { h.Counts[0].Counters[0].Leaves[0] = 1 << 30 },
		"a table too wide":    func(h *counts.Hint) { h.Counts[0].Bits[0].Table = 1 << 63 },
		"too many nets":       func(h *counts.Hint) { h.Counts[0].Bits[0].Nets = make([]netlist.Net, 7) },
		"a weight too large":  func(h *counts.Hint) { h.Counts[0].Counters[0].In[0].Weight = 1 << 62 },
		"a large constant":    func(h *counts.Hint) { h.Counts[0].Counters[0].Constant = 1 << 63 },
		"words exchanged":     func(h *counts.Hint) { w := h.Argmaxs[0].Words; w[0], w[1] = w[1], w[0] },
		"words of other size": func(h *counts.Hint) { h.Argmaxs[0].Words[1] = h.Argmaxs[0].Words[1][1:] },
		"no words":            func(h *counts.Hint) { h.Argmaxs[0].Words = nil },
		"another index":       func(h *counts.Hint) { h.Argmaxs[0].Index[0] = 3 },
	} {
		forged := &counts.Hint{}
		if err := json.Unmarshal(text, forged); err != nil {
			t.Fatal(err)
		}
		change(forged)
		broken := d
		broken.Hint = forged
		r, err := Check(t.Context(), broken)
		if err != nil || r.Proved || r.Verdict != unproved || r.Reason == "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestLoweredHeadFaults breaks the LUTs of a head in places that few samples reach.
func TestLoweredHeadFaults(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := verifytest.LoweredDesign(t, verifytest.Small(31), netlist.Core, "generic", 6, false)
	sound, r := d.Product, rand.New(rand.NewPCG(5, 5))
	var cells []netlist.Cell
	for _, c := range verifytest.CellsOf(sound, netlist.Function) {
		if sound.Origin(c).Layer == 0 {
			cells = append(cells, c)
		}
	}
	for range 25 {
		c := cells[r.IntN(len(cells))]
		in := sound.Inputs(c)
		d.Product = verifytest.Rewire(sound, c, sound.Param(c)^1<<r.IntN(1<<len(in)), in...)
		got, err := Check(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if diff, err := verify.StimuliFor(d).Compare(t.Context(), d.Raw, d.Product); err != nil || diff != nil &&
			got.Proved {
			t.Errorf("cell %d broken: proved, but %v (%v)", c, diff, err)
		}
	}
}
