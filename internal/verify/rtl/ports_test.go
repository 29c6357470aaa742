package rtl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// miswire returns n with changed nets at the output port of the counts.
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

// TestCountsPort verifies an output port of the counts at every level. It also checks that faults of such a port are
// found.
func TestCountsPort(t *testing.T) {
	verifytest.Needs(t, "abc", "iverilog", "vvp")
	f := netgen.Model(netgen.ModelOptions{Seed: 91, Features: 9, Width: 36, Depth: 4}).Freeze()
	s := verifytest.RandomSamples(f, 300)
	for _, c := range []struct {
		name string
		d    verify.Design
	}{
		{"operators", verifytest.WithCounts(t, verifytest.NewDesign(t, f, netlist.Full, 2))},
		{"lowered", verifytest.WithCounts(t, verifytest.LoweredDesign(t, f, netlist.Core, "ice40", 4, false))},
		{"pipelined", verifytest.Pipelined(t, verifytest.WithCounts(t, verifytest.NewDesign(t, f, netlist.Core, 2)),
			pipeline.Options{Auto: true, MaxLevels: 2})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := c.d
			if r, err := software.Check(t.Context(), d, s, 2); err != nil || r.Mismatches != 0 {
				t.Errorf("software: %+v, %v", r, err)
			}
			if r, err := proof.Check(t.Context(), d); err != nil || !r.Proved {
				t.Errorf("formal: %+v, %v", r, err)
			}
			files := emit(t, d)
			for _, byClass := range []bool{false, true} {
				files.ByClass = byClass
				if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 300 {
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

// finds checks that every level finds the fault in a design with a wrong output port.
func finds(t *testing.T, what string, d verify.Design, s verify.Samples) {
	t.Helper()
	soft, err := software.Check(t.Context(), d, s, 2)
	if err != nil || soft.Mismatches == 0 || !strings.Contains(soft.First[0].What, "counts[") {
		t.Errorf("%s: software: %+v, %v", what, soft, err)
	}
	for _, byClass := range []bool{false, true} {
		files := emit(t, d)
		files.ByClass = byClass
		if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches == 0 ||
			!strings.Contains(fmt.Sprint(r.First), "counts") {
			t.Errorf("%s: rtl, by class %v: %+v", what, byClass, r)
		}
	}
	r, err := proof.Check(t.Context(), d)
	if err != nil || r.Proved || r.Verdict != "different" || !strings.Contains(r.First[0].What, "counts") {
		t.Errorf("%s: formal: %+v, %v", what, r, err)
	}
}
