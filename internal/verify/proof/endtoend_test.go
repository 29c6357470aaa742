package proof

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/spec"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// wholeDesign returns a mapped design with the reference from its model file.
func wholeDesign(t *testing.T, m *model.Model, scope netlist.Scope, target string, k int, assumed bool) verify.Design {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	d := verifytest.LoweredDesign(t, m.Freeze(), scope, target, k, assumed)
	var err error
	if d.Spec, err = spec.Read(path); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEndToEnd proves designs with up to 31 bits per class in one proof from the model to the class, for every
// method of counting. Designs with 32 bits per class are only proved in parts.
func TestEndToEnd(t *testing.T) {
	verifytest.Needs(t, "abc")
	for _, c := range []struct {
		target  string
		k       int
		scope   netlist.Scope
		group   int
		assumed bool
		want    cec.Verdict
	}{
		{"generic", 6, netlist.Full, 31, false, equivalent},
		{"generic", 4, netlist.Core, 31, true, equivalent},
		{"ice40", 4, netlist.Core, 31, false, equivalent},
		{"xilinx7", 6, netlist.Core, 23, true, equivalent},
		{"ecp5", 4, netlist.Full, 1, false, equivalent},
		{"generic", 6, netlist.Core, 32, false, ""},
		{"generic", 6, netlist.Gates, 31, false, ""},
	} {
		m := netgen.Model(netgen.ModelOptions{Seed: 9, Features: 9, Classes: 3, Width: 3 * c.group, Depth: 4})
		d := wholeDesign(t, m, c.scope, c.target, c.k, c.assumed)
		if r, err := Check(t.Context(), d); err != nil || !r.Proved || r.EndToEnd != c.want {
			t.Errorf("%+v: %+v, %v", c, r, err)
		}
	}
}

// TestEndToEndFaults breaks tables anywhere in a design but keeps the cuts and the hint of the sound design. The
// end-to-end proof must find by itself every fault that samples show.
func TestEndToEndFaults(t *testing.T) {
	verifytest.Needs(t, "abc")
	m := netgen.Model(netgen.ModelOptions{Seed: 9, Features: 9, Classes: 3, Width: 45, Depth: 4})
	d := wholeDesign(t, m, netlist.Core, "generic", 4, false)
	k, err := newCuts(d)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := k.align(t.Context()); err != nil {
		t.Fatal(err)
	}
	engine, err := cec.New()
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	r, sound, found := rand.New(rand.NewPCG(7, 7)), d.Product, [2]int{} // found: number of faults in the gates, and number of faults in the head
	for range 40 {
		cells := verifytest.CellsOf(sound, netlist.Function)
		c := cells[r.IntN(len(cells))]
		d.Product = verifytest.Rewire(sound, c, sound.Param(c)^1<<r.IntN(1<<len(sound.Inputs(c))), sound.Inputs(c)...)
		diff, err := verify.StimuliFor(d).Compare(t.Context(), d.Raw, d.Product)
		if err != nil {
			t.Fatal(err)
		}
		if diff == nil {
			continue
		}
		if verdict, err := endToEnd(d, prover{t.Context(), engine}, k); err != nil || verdict != different {
			t.Errorf("cell %d broken: %s, %v", c, verdict, err)
		}
		if sound.Origin(c).Layer > 0 {
			found[0]++
		} else {
			found[1]++
		}
	}
	if found[0] < 3 || found[1] < 3 {
		t.Errorf("faults that samples show, in gates and head: %v", found)
	}
}

// TestEndToEndLiars uses a fake abc that proves the parts and gives different answers about the whole design. If the
// answer is undecided, the design must stay proved. If the answer is a difference, the design must not be proved.
func TestEndToEndLiars(t *testing.T) {
	d := specifiedSmall(t, netlist.Core)
	for says, want := range map[string]Result{
		"Networks are equivalent":     {Proved: true, Verdict: equivalent, EndToEnd: equivalent},
		"Networks are NOT EQUIVALENT": {Verdict: unproved, EndToEnd: different},
		"Networks are UNDECIDED":      {Proved: true, Verdict: equivalent, EndToEnd: unproved},
	} {
		// Only the file of the whole design has the output class_index in its symbol table.
		verifytest.Fake(t, "berkeley-abc", fmt.Sprintf(`says='Networks are equivalent'
			case "$*" in *cec*) while read -r line; do case "$line" in *class_index*) says='%s';; esac; done < other.aig;; esac
			echo "$says"`, says))
		begin := time.Now()
		r, err := Check(t.Context(), d)
		if err != nil || r.Proved != want.Proved || r.Verdict != want.Verdict || r.EndToEnd != want.EndToEnd {
			t.Errorf("%s: %+v, %v", says, r, err)
		}
		if !want.Proved && (r == nil || !strings.Contains(r.Reason, "whole differs")) || time.Since(begin) > time.Minute {
			t.Errorf("%s: %+v", says, r)
		}
	}
}
