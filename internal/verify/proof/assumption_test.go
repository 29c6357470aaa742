package proof

import (
	"path/filepath"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/spec"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// assumedDesign returns a design together with the reference from its model file. If used is set, the compiler uses
// the order of thermometer bits. The design is to be proved for thermometer codes only.
func assumedDesign(t *testing.T, scope netlist.Scope, used bool) verify.Design {
	t.Helper()
	m := netgen.Model(netgen.ModelOptions{Seed: 7, Width: 60, Depth: 12, Features: 5, Bits: 6, Classes: 3})
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	d := verifytest.LoweredDesign(t, m.Freeze(), scope, "generic", 6, used)
	d.Assumed = true
	var err error
	if d.Spec, err = spec.Read(path); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestAssumption checks that a design that was simplified by the order of thermometer bits can be proved only under
// the assumption of thermometer codes. Without the assumption, an input that is not a thermometer code shows a
// difference. A second proof finds this difference. If no pass used the order, the second proof shows that the
// assumption is not needed.
func TestAssumption(t *testing.T) {
	verifytest.Needs(t, "abc")
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core} {
		d := assumedDesign(t, scope, true)
		if r, err := Check(t.Context(), d); err != nil || !r.Proved || r.WithoutAssumption != different {
			t.Errorf("%v: %+v, %v", scope, r, err)
		}
		for _, reference := range []*spec.Network{d.Spec, nil} {
			d.Spec = reference
			free := d
			free.Assumed = false
			r, err := Check(t.Context(), free)
			if err != nil || r.Verdict != different || r.WithoutAssumption != "" {
				t.Fatalf("%v without the assumption: %+v, %v", scope, r, err)
			}
			if isThermometer(d, r.Counterexample) {
				t.Errorf("%v: counterexample %v is a thermometer code", scope, r.Counterexample)
			}
		}
		unused := assumedDesign(t, scope, false)
		if r, err := Check(t.Context(), unused); err != nil || !r.Proved || r.WithoutAssumption != equivalent {
			t.Errorf("%v, compiled without the order: %+v, %v", scope, r, err)
		}
	}
}

// isThermometer reports whether the bits that are 1 form valid thermometer codes of the features.
func isThermometer(d verify.Design, ones []int) bool {
	x, bits := make([]bool, d.Model.Inputs()), d.Model.Encoder.Bits-1
	for _, i := range ones {
		x[i] = true
	}
	for i := range x {
		if x[i] && i%bits > 0 && !x[i-1] {
			return false
		}
	}
	return true
}

// TestAssumptionUndecided has abc give no answer to the second question. The result that was proved under the
// assumption must stay proved.
func TestAssumptionUndecided(t *testing.T) {
	d := assumedDesign(t, netlist.Gates, false) // samples show no difference
	verifytest.Fake(t, "berkeley-abc", `case "$*" in *cec*) [ -e "$0.asked" ] || echo 'Networks are equivalent.'; : > "$0.asked";; esac`)
	if r, err := Check(t.Context(), d); err != nil || !r.Proved || r.WithoutAssumption != unproved {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEveryWord checks that scope full is proved for every value of a feature's word, including values above the
// largest value that the encoder knows.
func TestEveryWord(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := withThresholds(verifytest.Small(42), 40, 100, 200)
	f.Encoder.Max = 1<<f.Encoder.BitsIn - 20
	d := verifytest.NewDesign(t, f, netlist.Full, 2)
	c := verifytest.CellsOf(d.Product, netlist.Compare)[0]
	word := d.Product.Inputs(c)
	k := netlist.NewCopier(d.Product)
	for i := range netlist.Cell(d.Product.Cells()) {
		k.Copy(i)
		if i == c { // also wrong for words above Max
			var in []netlist.Net
			for _, v := range word {
				in = append(in, k.To(v))
			}
			over := k.Cell(netlist.Compare, uint64(f.Encoder.Max), netlist.Origin{}, in...)
			k.Set(d.Product.Output(c), k.Function(0b0010, netlist.Origin{}, k.To(d.Product.Output(c)), over))
		}
	}
	d.Product = k.Finish()
	r, err := Check(t.Context(), d)
	if err != nil || r.Verdict != different {
		t.Fatalf("%+v, %v", r, err)
	}
	size, beyond, values := f.Encoder.BitsIn, false, map[int]uint32{}
	for _, i := range r.Counterexample {
		values[i/size] |= 1 << (i % size)
	}
	for _, v := range values {
		beyond = beyond || v > f.Encoder.Max
	}
	if !beyond {
		t.Errorf("counterexample %v has no word above %d", values, f.Encoder.Max)
	}
}
