package proof

import (
	"fmt"
	"slices"
	"testing"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestProvesEveryForm checks every form of network on samples, in every scope and at every level of optimisation. It
// also proves each form in one scope. [TestLowered] uses a different scope for the form. The long tests prove each
// form in all scopes.
func TestProvesEveryForm(t *testing.T) {
	verifytest.Needs(t, "abc")
	for i, form := range netgen.Forms() {
		f := form.Model().Freeze()
		s := verifytest.RandomSamples(f, 200)
		for j, scope := range verifytest.Scopes {
			for level := range 3 {
				formal := level == 2 && (testkit.Whole() || (i+j)%3 == 0)
				t.Run(fmt.Sprintf("%s/%v/O%d", form.Name, scope, level), func(t *testing.T) {
					t.Parallel()
					passes(t, verifytest.NewDesign(t, f, scope, level), s, formal)
				})
			}
		}
	}
}

// passes checks that a correct design is verified.
func passes(t *testing.T, d verify.Design, s verify.Samples, formal bool) {
	t.Helper()
	soft, err := software.Check(t.Context(), d, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	if soft.Mismatches != 0 || soft.Checked != s.Levels.Len() || soft.HiddenBits != int64(s.Levels.Len()*d.Model.Gates()) {
		t.Errorf("software: %+v", soft)
	}
	x, err := s.Rows(&d.Model.Encoder, d.Product.InputPorts()[0])
	if err != nil {
		t.Fatal(err)
	}
	if o, err := verify.FindBlamed(t.Context(), d, verify.StimuliFromRows(x, soft.Checked)); o.Layer != 0 || err != nil {
		t.Errorf("a gate of a sound design is to blame, %+v (%v)", o, err)
	}
	if !formal {
		return
	}
	r, err := Check(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Proved || r.Verdict != equivalent || r.Outputs != d.Model.Width {
		t.Errorf("formal: %+v", r)
	}
}

// TestShapes verifies networks with a degenerate head or encoder.
func TestShapes(t *testing.T) {
	verifytest.Needs(t, "abc")
	base := func(o netgen.FrozenOptions) *model.Frozen { return netgen.Frozen(5, o) }
	for _, c := range []struct {
		name  string
		model *model.Frozen
	}{
		{"one chain a class", base(netgen.FrozenOptions{Width: 3})},
		{"two chains a class", base(netgen.FrozenOptions{Width: 6})},
		{"random wiring", base(netgen.FrozenOptions{Topology: netgen.Random})},
		{"as many thresholds as bits", base(netgen.FrozenOptions{Bits: 6, BitsIn: 5})},
		{"a class that is always full", constantClass(base(netgen.FrozenOptions{}), 15)},
		{"a class that is always empty", constantClass(base(netgen.FrozenOptions{}), 0)},
		{"all classes constant", constantClass(constantClass(constantClass(base(netgen.FrozenOptions{}), 15), 15, 1), 0, 2)},
		{"quantiles that repeat", withThresholds(base(netgen.FrozenOptions{}), 9, 9, 200)},
		{"thresholds that are bits", withThresholds(base(netgen.FrozenOptions{}), 63, 127, 191)},
		{"thresholds that nothing exceeds", withThresholds(base(netgen.FrozenOptions{}), 0, 255, 255)},
	} {
		s := verifytest.RandomSamples(c.model, 100)
		for _, scope := range verifytest.Scopes {
			for level := range 3 {
				t.Run(fmt.Sprintf("%s/%v/O%d", c.name, scope, level), func(t *testing.T) {
					t.Parallel()
					passes(t, verifytest.NewDesign(t, c.model, scope, level), s, level == 2)
				})
			}
		}
	}
}

// constantClass sets the operation of all gates in the last layer of a class to the given operation (op). If no class
// is given, it changes the first class.
func constantClass(f *model.Frozen, op uint8, class ...int) *model.Frozen {
	group, c := f.Width/len(f.Classes), 0
	if len(class) > 0 {
		c = class[0]
	}
	last := f.Layers[f.Depth()-1].Op.Narrow
	for i := c * group; i < (c+1)*group; i++ {
		last[i] = op
	}
	return f
}

func withThresholds(f *model.Frozen, thresholds ...uint16) *model.Frozen {
	for i := range f.Encoder.Thresholds {
		f.Encoder.Thresholds[i] = slices.Clone(thresholds)
	}
	return f
}

// TestSameSize checks a full design in which each feature has the same number of thresholds and word bits. The
// inputs of the design must be the feature words and not the thermometer bits.
func TestSameSize(t *testing.T) {
	e := netgen.Encoder(4, 6, 5)
	s := verify.Samples{Levels: encoding.NewPacked(4, e.LevelBits()), Words: encoding.NewPacked(4, 5)}
	word, level := []uint16{1, 17, 31, 8}, make([]uint16, 4)
	e.Levels(level, word)
	s.Words.Append(word, 0)
	s.Levels.Append(level, 0)
	for _, c := range []struct {
		what string
		word int
		want func(bit int) bool
	}{
		{"thermometer", 1, func(bit int) bool { return word[bit/5] > e.Thresholds[bit/5][bit%5] }},
		{"words", 5, func(bit int) bool { return word[bit/5]>>(bit%5)&1 == 1 }},
	} {
		x, err := s.Rows(&e, netlist.Port{Name: "x", Word: c.word, Nets: make([]netlist.Net, 20)})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			if v&1 == 1 != c.want(i) {
				t.Errorf("%s: bit %d is %d", c.what, i, v&1)
			}
		}
	}
	for _, p := range []netlist.Port{{Word: 1, Nets: make([]netlist.Net, 19)}, {Word: 4, Nets: make([]netlist.Net, 20)}} {
		if _, err := s.Rows(&e, p); err == nil {
			t.Errorf("a port of %d bits in words of %d was fed", len(p.Nets), p.Word)
		}
	}
}
