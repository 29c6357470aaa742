package encoding

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cutEncoder returns an encoder of two features with three cuts each. The first feature has two equal cuts.
func cutEncoder(t *testing.T) *Encoder {
	t.Helper()
	e, err := NewCuts([][]float64{{-1.5, 0.1, 0.1}, {0, 1e300, math.MaxFloat64}}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNewCuts(t *testing.T) {
	e := cutEncoder(t)
	want := &Encoder{
		Bits: 4, BitsIn: 2, Max: 3, Names: []string{"a", "b"}, Thresholds: [][]uint16{{0, 1, 2}, {0, 1, 2}},
		Quantiser: &Quantiser{Cuts: [][]float64{{-1.5, 0.1, 0.1}, {0, 1e300, math.MaxFloat64}}},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("encoder (-want +got):\n%s", diff)
	}
	if x, has := e.Cut(4); x != 1e300 || !has || e.Label(4) != "b > 1" || e.Quantiser.Features() != 2 {
		t.Errorf("input bit 4 is %s, its cut %g (%t); %d features", e.Label(4), x, has, e.Quantiser.Features())
	}
	if x, has := (&Encoder{Quantiser: &Quantiser{Offset: []float64{1}, Scale: []float64{1}}}).Cut(0); has {
		t.Errorf("a quantiser without cuts has the cut %g", x)
	}
	for _, n := range []int{1, 2, 255} {
		e, err := NewCuts([][]float64{make([]float64, n)}, nil)
		if err != nil || e.LevelBits() != e.BitsIn {
			t.Errorf("%d cuts: %+v, error %v", n, e, err)
		}
	}
	for _, test := range []struct {
		cuts [][]float64
		want string
	}{
		{nil, "no features"},
		{[][]float64{{}}, "encoder bits: 1"},
		{[][]float64{make([]float64, 256)}, "encoder bits: 257"},
		{[][]float64{{1}, {1, 2}}, "feature 1 has 2 cuts, want 1"},
	} {
		_, err := NewCuts(test.cuts, nil)
		wantError(t, err, test.want)
	}
}

// TestCuts encodes values that are equal to cuts or next to cuts.
func TestCuts(t *testing.T) {
	q, inf := cutEncoder(t).Quantiser, math.Inf(1)
	for _, test := range []struct {
		f    int
		x    float64
		want uint16
	}{
		{0, -1.5, 0},
		{0, math.Nextafter(-1.5, -inf), 0},
		{0, math.Nextafter(-1.5, inf), 1},
		{0, 0.1, 1},
		{0, math.Nextafter(0.1, -inf), 1},
		{0, math.Nextafter(0.1, inf), 3},
		{0, -inf, 0},
		{0, inf, 3},
		{0, math.NaN(), 0},
		{1, math.Copysign(0, -1), 0},
		{1, math.SmallestNonzeroFloat64, 1},
		{1, 1e300, 1},
		{1, math.MaxFloat64, 2},
		{1, inf, 3},
	} {
		if got := q.Apply(test.f, test.x, 3); got != test.want {
			t.Errorf("feature %d: %g becomes %d, want %d", test.f, test.x, got, test.want)
		}
	}
}

// TestCutsDefinition compares words with their definition, for any number of cuts. By definition, the level of a
// value is the number of cuts below the value.
func TestCutsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		cuts := make([]float64, 1+r.IntN(40))
		for j := range cuts {
			cuts[j] = float64(r.IntN(30)-15) / 7
		}
		slices.Sort(cuts)
		e, err := NewCuts([][]float64{cuts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cuts {
			for _, x := range []float64{c, math.Nextafter(c, math.Inf(-1)), math.Nextafter(c, math.Inf(1)), r.NormFloat64()} {
				word, want := e.Quantiser.Apply(0, x, e.Max), uint16(0)
				for _, c := range cuts {
					if x > c {
						want++
					}
				}
				if word != want || e.Level(0, word) != want {
					t.Fatalf("cuts %v: %g becomes %d, level %d, want %d", cuts, x, word, e.Level(0, word), want)
				}
			}
		}
	}
}

func TestCheckCuts(t *testing.T) {
	for name, test := range map[string]struct {
		change func(e *Encoder)
		want   string
	}{
		"good":             {func(*Encoder) {}, ""},
		"both ways":        {func(e *Encoder) { e.Quantiser.Scale = []float64{1, 1} }, "cuts and scales"},
		"an offset":        {func(e *Encoder) { e.Quantiser.Offset = []float64{} }, "cuts and scales"},
		"no way":           {func(e *Encoder) { e.Quantiser.Cuts = nil }, "0 offsets and 0 scales"},
		"no features":      {func(e *Encoder) { e.Quantiser.Cuts = [][]float64{} }, "cuts of 0 features, want 2"},
		"a feature less":   {func(e *Encoder) { e.Quantiser.Cuts = e.Quantiser.Cuts[:1] }, "cuts of 1 features, want 2"},
		"a cut less":       {func(e *Encoder) { e.Quantiser.Cuts[1] = []float64{1, 2} }, "feature 1 has 2 cuts, want 3"},
		"descending":       {func(e *Encoder) { e.Quantiser.Cuts[0][1] = -2 }, "feature 0: cut 2 (-2) is below the one before it (-1.5)"},
		"infinite":         {func(e *Encoder) { e.Quantiser.Cuts[1][2] = math.Inf(1) }, "feature 1: cut 3 is +Inf"},
		"infinite below":   {func(e *Encoder) { e.Quantiser.Cuts[0][0] = math.Inf(-1) }, "feature 0: cut 1 is -Inf"},
		"no number":        {func(e *Encoder) { e.Quantiser.Cuts[1][1] = math.NaN() }, "feature 1: cut 2 is NaN"},
		"larger words":     {func(e *Encoder) { e.Max, e.BitsIn = 4, 3 }, "words of 3 bits up to 4, but 3 cuts give words of 2 bits up to 3"},
		"wider words":      {func(e *Encoder) { e.BitsIn = 3 }, "words of 3 bits up to 3"},
		"other thresholds": {func(e *Encoder) { e.Thresholds[1] = []uint16{0, 1, 1} }, "feature 1: threshold 3 is 1, want 2"},
	} {
		e := cutEncoder(t)
		test.change(e)
		t.Run(name, func(t *testing.T) { wantError(t, e.Check(), test.want) })
	}
}

// TestCutsOfCategories checks that an encoder is refused if the cuts of a category do not separate its words.
func TestCutsOfCategories(t *testing.T) {
	e := tableEncoder(t)
	e.Bits, e.BitsIn, e.Max = 3, 2, 2
	e.Thresholds = [][]uint16{{0, 1}, {0, 1}, {0, 1}}
	e.Quantiser = &Quantiser{Cuts: [][]float64{{-7, 300}, {0, 0.5}, {0.25, 0.75}}}
	wantError(t, e.Check(), "")
	for _, c := range []float64{-0.5, 1} {
		e.Quantiser.Cuts[2] = []float64{c, c}
		wantError(t, e.Check(), "feature 2: cut 1 is")
	}
}

func TestQuantiserJSON(t *testing.T) {
	for _, test := range []struct {
		q    Quantiser
		want string
	}{
		{Quantiser{Offset: []float64{0}, Scale: []float64{2}}, `{"offset":[0],"scale":[2]}`},
		{Quantiser{Cuts: [][]float64{{0, 0.5}}}, `{"cuts":[[0,0.5]]}`},
	} {
		b, err := json.Marshal(test.q)
		if err != nil || string(b) != test.want {
			t.Errorf("JSON %s, error %v, want %s", b, err, test.want)
		}
	}
}
