package software

import (
	"slices"
	"strings"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/runner"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestEngines checks that the result names the simulator and every instruction set of this machine.
func TestEngines(t *testing.T) {
	want := []string{simulator}
	sets, _ := runner.ISAs()
	for _, isa := range sets {
		want = append(want, isa.Name)
	}
	f := verifytest.Small(5)
	for _, scope := range verifytest.Scopes {
		r, err := Check(t.Context(), verifytest.NewDesign(t, f, scope, 2), verifytest.RandomSamples(f, 700), 2)
		if err != nil || r.Mismatches > 0 || !slices.Equal(r.Engines, want) {
			t.Errorf("scope %v: %+v, %v; want the engines %v", scope, r, err, want)
		}
	}
}

// TestLoopedEngine verifies a network of convolutions whose generated code contains each kernel only once. If the
// code is made from another network, the check must find a difference.
func TestLoopedEngine(t *testing.T) {
	sets, err := runner.ISAs()
	if err != nil {
		t.Skip(err)
	}
	form := netgen.Convolutions()[0]
	m, other := form.Model(1), form.Model(2)
	d := verifytest.NewDesign(t, m.Freeze(), netlist.Full, 2)
	for i, of := range []*model.Model{m, other} {
		if d.Looped, err = freeze.Positions(of.Compact()); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), d, verifytest.RandomSamples(d.Model, 700), 2)
		if err != nil || (r.Mismatches > 0) != (i > 0) || len(r.Engines) != 1+2*len(sets) ||
			r.Engines[2] != sets[0].Name+kernelsOnce {
			t.Errorf("network %d: %+v, %v", i, r, err)
		}
		if i > 0 && !strings.Contains(r.First[0].What, "network as "+sets[0].Name+" code with kernels once") {
			t.Errorf("the difference is called %q", r.First[0].What)
		}
	}
}

// TestEngineFaults checks that wrong classes and wrong counts from the generated code are found.
func TestEngineFaults(t *testing.T) {
	want := &sim.Result{Classes: 2, Class: []uint16{0, 1, 0}, Counts: []int32{2, 1, 0, 3, 5, 5}}
	got := &sim.Result{Classes: 2, Class: []uint16{0, 0, 0}, Counts: []int32{2, 1, 0, 3, 5, 4}}
	var r Result
	compareEngine("the code", got, want, &r)
	if r.Mismatches != 2 || r.First[0].Sample != 1 || r.First[1].Sample != 2 ||
		!strings.Contains(r.First[0].What, "the code: class 0, the simulator says 1") ||
		!strings.Contains(r.First[1].What, "count of class 1 is 4, the simulator says 5") {
		t.Errorf("%+v", r)
	}
}
