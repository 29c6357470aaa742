package proof

import (
	"path/filepath"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/spec"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// specified returns a model's design with the reference from the model's file.
func specified(t *testing.T, m *model.Model, scope netlist.Scope) verify.Design {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	d := verifytest.NewDesign(t, m.Freeze(), scope, 2)
	var err error
	if d.Spec, err = spec.Read(path); err != nil {
		t.Fatal(err)
	}
	return d
}

func specifiedSmall(t *testing.T, scope netlist.Scope) verify.Design {
	t.Helper()
	return specified(t, netgen.Model(netgen.ModelOptions{Seed: 41, Features: 9, Width: 36, Depth: 6}), scope)
}

// TestReference proves products against the network that the model's tensors specify.
func TestReference(t *testing.T) {
	verifytest.Needs(t, "abc")
	for _, topology := range []string{"ialgn", "rwlgn", "rwlgn-spine", "rwlgn-classwise"} {
		for _, scope := range verifytest.Scopes {
			d := specified(t, netgen.Model(netgen.ModelOptions{Seed: 3, Topology: topology, Features: 9, Width: 42, Depth: 4}),
				scope)
			if r, err := Check(t.Context(), d); err != nil || !r.Proved {
				t.Errorf("%s, scope %v: %+v, %v", topology, scope, r, err)
			}
		}
	}
}

// TestOneBitFeatures proves networks whose features each have one bit and one threshold. Some features never exceed
// their threshold. In these networks, words and thermometer bits have the same size but different meanings.
func TestOneBitFeatures(t *testing.T) {
	verifytest.Needs(t, "abc")
	m := netgen.Model(netgen.ModelOptions{Seed: 5, Features: 8, Width: 30, Depth: 3, Bits: 2, BitsIn: 1})
	for f := range m.Encoder.Thresholds {
		m.Encoder.Thresholds[f][0] = uint16(f % 2)
	}
	for _, scope := range verifytest.Scopes {
		d := specified(t, m, scope)
		if d.Words() != (scope == netlist.Full) {
			t.Errorf("scope %v: words: %t", scope, d.Words())
		}
		s := verifytest.RandomSamples(d.Model, 100)
		if r, err := software.Check(t.Context(), d, s, 1); err != nil || r.Mismatches > 0 {
			t.Errorf("scope %v: %+v, %v", scope, r, err)
		}
		if r, err := Check(t.Context(), d); err != nil || !r.Proved {
			t.Errorf("scope %v: %+v, %v", scope, r, err)
		}
	}
	d := specified(t, m, netlist.Full)
	never := verifytest.CellsOf(d.Raw, netlist.Compare)[1]
	if d.Raw.Param(never) != 1 {
		t.Fatalf("feature 1 is compared with %d", d.Raw.Param(never))
	}
	var err error
	if d.Product, _, err = compiler.Optimise(t.Context(), verifytest.Rewire(d.Raw, never, 0, d.Raw.Inputs(never)...),
		2); err != nil {
		t.Fatal(err)
	}
	if r, err := software.Check(t.Context(), d, verifytest.RandomSamples(d.Model, 100), 1); err != nil ||
		r.Mismatches == 0 {
		t.Errorf("a comparison that is another, on samples: %+v, %v", r, err)
	}
	if r, err := Check(t.Context(), d); err != nil || r.Proved || r.Verdict != different {
		t.Errorf("a comparison that is another: %+v, %v", r, err)
	}
}

// TestWrongFreezing breaks the raw netlist itself. A proof with the raw netlist as reference must find nothing. A
// proof with the model's tensors as reference must find the fault.
func TestWrongFreezing(t *testing.T) {
	verifytest.Needs(t, "abc")
	for _, scope := range verifytest.Scopes {
		d := specifiedSmall(t, scope)
		c := verifytest.CellsOf(d.Raw, netlist.Function)[200]
		d.Raw = verifytest.Rewire(d.Raw, c, ^d.Raw.Param(c)&0b1111, d.Raw.Inputs(c)...)
		var err error
		if d.Product, _, err = compiler.Optimise(t.Context(), d.Raw, 2); err != nil {
			t.Fatal(err)
		}
		if r, err := Check(t.Context(), d); err != nil || r.Proved || r.Verdict != unproved ||
			!strings.Contains(r.Reason, "does not show it") {
			t.Errorf("scope %v: %+v, %v", scope, r, err)
		}
		d.Spec = nil
		if r, err := Check(t.Context(), d); err != nil || !r.Proved {
			t.Errorf("scope %v, against the raw netlist: %+v, %v", scope, r, err)
		}
	}
}

// TestForeignGroups uses a reference whose classes differ from the classes of the netlists.
func TestForeignGroups(t *testing.T) {
	verifytest.Needs(t, "abc")
	for _, scope := range verifytest.Scopes {
		d := specifiedSmall(t, scope)
		d.Spec = specified(t, netgen.Model(netgen.ModelOptions{Seed: 41, Features: 9, Width: 36, Depth: 6, Classes: 4}),
			scope).Spec
		if r, err := Check(t.Context(), d); err != nil || r.Proved || !strings.Contains(r.Reason, "class") {
			t.Errorf("scope %v: %+v, %v", scope, r, err)
		}
	}
}
