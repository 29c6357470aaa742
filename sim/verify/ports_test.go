package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler/pipeline"
	"ialgn/internal/modelgen"
	"ialgn/netlist"
)

// withCounts returns a design whose netlists have the counts as an output port.
func withCounts(t *testing.T, d Design) Design {
	t.Helper()
	for _, n := range []**netlist.Netlist{&d.Raw, &d.Product} {
		with, err := netlist.WithCounts(*n, d.Model.Classes)
		if err != nil {
			t.Fatal(err)
		}
		*n = with
	}
	return d
}

// miswire returns n with other nets at the output port of the counts.
func miswire(n *netlist.Netlist, change func([]netlist.Net)) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	port := 0
	return k.FinishWith(func(p netlist.Port, v netlist.Net) netlist.Net {
		if p.Name != netlist.CountsPort {
			return k.To(v)
		}
		nets := slices.Clone(p.Nets)
		change(nets)
		port++
		return k.To(nets[port-1])
	}, func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(v) })
}

// TestCountsPort verifies an output port of the counts at every level, and finds what is wrong
// with one.
func TestCountsPort(t *testing.T) {
	needs(t, "abc", "iverilog", "vvp")
	f := modelgen.New(modelgen.Options{Seed: 91, Features: 9, Width: 36, Depth: 4}).Freeze()
	s := randomSamples(f, 300)
	for _, c := range []struct {
		name string
		d    Design
	}{
		{"operators", withCounts(t, newDesign(t, f, netlist.Full, 2))},
		{"lowered", withCounts(t, loweredDesign(t, f, netlist.Core, "ice40", 4, false))},
		{"pipelined", pipelined(t, withCounts(t, newDesign(t, f, netlist.Core, 2)),
			pipeline.Options{Auto: true, MaxLevels: 2})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := c.d
			if r, err := d.Software(t.Context(), s, 2); err != nil || r.Mismatches != 0 {
				t.Errorf("software: %+v, %v", r, err)
			}
			if r, err := d.Formal(t.Context()); err != nil || !r.Proved {
				t.Errorf("formal: %+v, %v", r, err)
			}
			files := emit(t, d)
			for _, byClass := range []bool{false, true} {
				files.ByClass = byClass
				if r := rtl(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 300 {
					t.Errorf("by class %v: %+v", byClass, r)
				}
			}
			for what, change := range map[string]func([]netlist.Net){
				"classes exchanged": func(v []netlist.Net) {
					word := len(v) / len(f.Classes)
					for i := range word {
						v[i], v[word+i] = v[word+i], v[i]
					}
				},
				"a bit missing": func(v []netlist.Net) { v[1] = netlist.False },
			} {
				bad := d
				bad.Product = miswire(d.Product, change)
				finds(t, what, bad, s)
			}
		})
	}
}

// finds checks that every level finds the wrong output port of a design.
func finds(t *testing.T, what string, d Design, s Samples) {
	t.Helper()
	soft, err := d.Software(t.Context(), s, 2)
	if err != nil || soft.Mismatches == 0 || !strings.Contains(soft.First[0].What, "counts[") {
		t.Errorf("%s: software: %+v, %v", what, soft, err)
	}
	for _, byClass := range []bool{false, true} {
		files := emit(t, d)
		files.ByClass = byClass
		if r := rtl(t, d, s, files, "iverilog"); r.Mismatches == 0 || !strings.Contains(fmt.Sprint(r.First), "counts") {
			t.Errorf("%s: rtl, by class %v: %+v", what, byClass, r)
		}
	}
	r, err := d.Formal(t.Context())
	if err != nil || r.Proved || r.Verdict != different || !strings.Contains(r.First[0].What, "counts") {
		t.Errorf("%s: formal: %+v, %v", what, r, err)
	}
}
