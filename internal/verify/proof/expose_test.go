package proof

import (
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/counts"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// The network of seldomDesign has three classes of four counted bits. Each bit reads 30 inputs.
const (
	seldomClasses = 3
	seldomBits    = 4
	seldomInputs  = 30
)

// seldomDesign returns a mapped design in which each counted bit is the conjunction of many inputs that no other bit
// reads. Together, the counted bits can have 4096 values. Each value occurs for some input, but random samples
// produce only a few of the values.
func seldomDesign(t *testing.T) verify.Design {
	t.Helper()
	b := netlist.NewBuilder("seldom")
	x := b.Input("x", seldomClasses*seldomBits*seldomInputs, 1, nil)
	var words []netlist.Net
	for class := range seldomClasses {
		var bits []netlist.Net
		for chain := range seldomBits {
			in := x[(class*seldomBits+chain)*seldomInputs:][:seldomInputs]
			h := in[0]
			for l, v := range in[1:] {
				h = b.Function(verify.TableAnd, netlist.Origin{Layer: uint16(l + 1), Chain: uint32(class*seldomBits + chain)}, h, v)
			}
			bits = append(bits, h)
		}
		count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, bits...), 3)
		b.Probe("count_"+string(rune('0'+class)), count)
		words = append(words, count...)
	}
	b.Output("class_index", 1, nil, netlist.Word(b.Cell(netlist.Argmax, 3, netlist.Origin{}, words...), 2))
	raw := b.Netlist()
	n, _, err := compiler.Optimise(t.Context(), raw, 2)
	if err != nil {
		t.Fatal(err)
	}
	h := hardware.Options{K: 4, Objective: lut.Balanced, Threads: 1}
	if h.Target, err = target.Find("generic"); err != nil {
		t.Fatal(err)
	}
	lowered, err := h.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Design{Model: verifytest.Small(1), Raw: raw, Product: lowered.Netlist, Hint: lowered.Hint}
}

// everyValue returns one input for each of the 4096 values of the counted bits in seldomDesign.
func everyValue() verify.Stimuli {
	s := verify.AllInputs(seldomClasses * seldomBits)
	for w, word := range s.Words {
		var wide []uint64
		for _, v := range word {
			wide = append(wide, slices.Repeat([]uint64{v}, seldomInputs)...)
		}
		s.Words[w] = wide
	}
	return s
}

// TestExposed breaks the counters and the argmax in places where no random sample shows the fault. If some input
// shows the fault, the check must find such an input.
func TestExposed(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := seldomDesign(t)
	if r, err := Check(t.Context(), d); err != nil || !r.Proved {
		t.Fatalf("%+v, %v", r, err)
	}
	sound, every := d.Product, everyValue()
	found := map[string]int{}
	for _, c := range verifytest.CellsOf(sound, netlist.Function) {
		if sound.Origin(c).Layer > 0 {
			continue
		}
		for bit := range 1 << len(sound.Inputs(c)) {
			d.Product = verifytest.Rewire(sound, c, sound.Param(c)^1<<bit, sound.Inputs(c)...)
			if diff, err := verify.StimuliFor(d).Compare(t.Context(), d.Raw, d.Product); err != nil || diff != nil {
				continue
			}
			diff, err := every.Compare(t.Context(), d.Raw, d.Product)
			if err != nil {
				t.Fatal(err)
			}
			part := partOf(d)
			if diff == nil || found[part] == 4 {
				continue
			}
			found[part]++
			r, err := Check(t.Context(), d)
			if err != nil || r.Verdict != different || r.Proved || r.Mismatches == 0 {
				t.Errorf("%s, bit %d of cell %d: %+v, %v", part, bit, c, r, err)
				continue
			}
			one := verify.Stimuli{Words: [][]uint64{make([]uint64, len(d.Raw.InputPorts()[0].Nets))}, Samples: 1}
			for _, i := range r.Counterexample {
				one.Words[0][i] = 1
			}
			if diff, err := one.Compare(t.Context(), d.Raw, d.Product); err != nil || diff == nil {
				t.Errorf("%s, bit %d of cell %d: counterexample %v shows nothing (%v)", part, bit, c, r.Counterexample, err)
			}
		}
	}
	if found["counter"] < 4 || found["argmax"] < 4 {
		t.Errorf("faults that only some input shows: %v", found)
	}
}

// partOf returns which part of a broken product is wrong: a counter or the argmax.
func partOf(d verify.Design) string {
	for i := range d.Hint.Counts {
		if counts.Prove(d.Product, &d.Hint.Counts[i]) != nil {
			return "counter"
		}
	}
	return "argmax"
}

// TestNothingToExpose breaks the argmax for counts that no input produces. The result must be neither proved nor
// different, and its reason must name the broken part.
func TestNothingToExpose(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := constantClass(verifytest.Small(32), 0, 1) // the count of this class is 0
	d := verifytest.LoweredDesign(t, f, netlist.Core, "generic", 4, false)
	sound, unseen := d.Product, 0
	for _, c := range verifytest.CellsOf(sound, netlist.Function) {
		if sound.Origin(c).Layer > 0 || unseen == 3 {
			continue
		}
		for bit := range 1 << len(sound.Inputs(c)) {
			d.Product = verifytest.Rewire(sound, c, sound.Param(c)^1<<bit, sound.Inputs(c)...)
			if partOf(d) != "argmax" {
				break
			}
			if diff, err := verify.StimuliFor(d).Compare(t.Context(), d.Raw, d.Product); err != nil || diff != nil {
				continue
			}
			r, err := Check(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != unproved {
				continue
			}
			unseen++
			if !strings.Contains(r.Reason, "the argmax is wrong: of ") || !strings.Contains(r.Reason, "no input") {
				t.Errorf("bit %d of cell %d: %+v", bit, c, r)
			}
			break
		}
	}
	if unseen == 0 {
		t.Error("no fault that no input shows")
	}
}
