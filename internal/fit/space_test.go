package fit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ialgn/internal/config"
)

// draftOf returns a draft with the given keys.
func draftOf(t *testing.T, keys ...string) config.Draft {
	t.Helper()
	d, err := config.ParseDraft("my", nil, keys)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestDimensions checks that the search varies the keys that are not set, and that the values are valid. It also
// checks that the value that is tried first depends on the data.
func TestDimensions(t *testing.T) {
	digits := draftOf(t, "data.set=digits")
	all := dimensions(subject{features: 64, bitsIn: 4, classes: 10, samples: 4000, images: true, family: "ecp5", lutInputs: 6}, digits)
	var names []string
	for _, d := range all {
		names = append(names, d.name)
		for _, v := range d.values {
			keys := append(d.keys(v, size{100, 10}), "encoder.bits=4", "model.tau=1", "model.width=100")
			if _, err := draftOf(t, "data.set=digits").With(nil, keys); err != nil {
				t.Errorf("%s %s: %v", d.name, v, err)
			}
		}
	}
	want := []string{"inputs", "depth", "bits", "thresholds", "tau", "lr", "batch", "cost", "images"}
	if !slices.Equal(names, want) {
		t.Errorf("dimensions %v, want %v", names, want)
	}
	got := first(all).text(all)
	if want := "inputs 6, depth 2, bits 2, thresholds uniform, tau 0.35, lr 0.02, batch 64, cost 0.006, images slight"; got != want {
		t.Errorf("first %s, want %s", got, want)
	}
	given := draftOf(t, "data.set=digits", "model.tau=3", "train.augment.shift=2", "encoder.bits=4")
	for _, d := range dimensions(subject{features: 64, bitsIn: 4, images: true, lutInputs: 4}, given) {
		switch d.name {
		case "tau", "images", "bits":
			t.Errorf("%s is given, and searched", d.name)
		case "inputs":
			if !slices.Equal(d.values, []string{"2", "4"}) {
				t.Errorf("nodes of %v pins for look-up tables of four", d.values)
			}
		}
	}
	table := dimensions(subject{features: 16, bitsIn: 8, samples: 30_000, lutInputs: 6}, draftOf(t, "data.set=csv"))
	const start = "inputs 6, depth 2, bits 32, thresholds quantile, tau 0.6, lr 0.02, batch 128, cost 0.006"
	if got := first(table).text(table); got != start {
		t.Errorf("first of a table %s", got)
	}
	one := dimensions(subject{features: 16, bitsIn: 1, lutInputs: 6}, draftOf(t, "data.set=csv"))
	if d := one[2]; d.name != "bits" || !slices.Equal(d.values, []string{"2"}) || d.values[d.start] != "2" {
		t.Errorf("bits of words of one bit: %+v", d)
	}
}

// TestPressure checks three properties. The pressure is divided by the number of chains. The value 0 sets no
// pressure. If the user sets an estimator that has no pressure, the search does not vary the pressure.
func TestPressure(t *testing.T) {
	for value, want := range map[string][]string{
		"0": nil, "0.02": {"train.cost.target=ecp5", "train.cost.pressure=0.0002"},
	} {
		if got := pressure("ecp5", value, size{100, 10}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
	}
	soft := draftOf(t, "data.set=digits", "train.estimator=soft")
	for _, d := range dimensions(subject{features: 64, bitsIn: 4, family: "ecp5", lutInputs: 6}, soft) {
		if d.name == "cost" {
			t.Error("a pressure is searched for an estimator that does not know it")
		}
	}
}

// TestTau checks that tau grows with the square root of the number of chains per class.
func TestTau(t *testing.T) {
	if got := tau("0.35", size{1000, 10}); math.Abs(got-3.5) > 1e-12 {
		t.Errorf("tau of 100 chains a class: %v", got)
	}
}

// TestSpread checks that each value of each dimension occurs about equally often, and that no candidate occurs twice.
func TestSpread(t *testing.T) {
	all := dimensions(subject{features: 64, bitsIn: 8, images: true, lutInputs: 6}, draftOf(t, "data.set=digits"))
	list := spread(all, 200)
	if len(list) != 200 || !slices.Equal(list[0], first(all)) {
		t.Fatalf("%d candidates, the first %v", len(list), list[0])
	}
	seen := map[string]bool{}
	for _, c := range list {
		seen[fmt.Sprint(c)] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d different candidates", len(seen))
	}
	for i, d := range all {
		count := map[string]int{}
		for _, c := range list {
			count[c[i]]++
		}
		for _, v := range d.values {
			if want := 200 / len(d.values); count[v] < want*8/10 || count[v] > want*12/10+1 {
				t.Errorf("%s %s: %d of 200 candidates, want about %d", d.name, v, count[v], want)
			}
		}
	}
	few := all[:2]
	if list := spread(few, 54); len(list) != len(few[0].values)*len(few[1].values) {
		t.Errorf("%d candidates of all %dx%d", len(list), len(few[0].values), len(few[1].values))
	}
}

// TestNeighbours checks that neighbours differ by one step in one dimension.
func TestNeighbours(t *testing.T) {
	all := dimensions(subject{features: 64, bitsIn: 8, lutInputs: 6}, draftOf(t, "data.set=digits"))
	c := first(all)
	list := neighbours(all, c)
	want := 0
	for _, d := range all {
		want += min(d.start, 1) + min(len(d.values)-1-d.start, 1)
	}
	if len(list) != want {
		t.Errorf("%d neighbours, want %d", len(list), want)
	}
	for _, n := range list {
		differ := 0
		for i, d := range all {
			step := slices.Index(d.values, n[i]) - slices.Index(d.values, c[i])
			if step != 0 {
				differ += step * step
			}
		}
		if differ != 1 {
			t.Errorf("%v is not a neighbour of %v", n, c)
		}
	}
}

// TestBits checks that thresholds are possible for the feature words, and that only data with few features get many.
func TestBits(t *testing.T) {
	for _, c := range []struct {
		features, bitsIn int
		last             string
	}{
		{10, 8, "64"},
		{16, 8, "64"},
		{17, 8, "32"},
		{64, 8, "16"},
		{1000, 8, "16"},
		{10, 4, "16"},
		{10, 5, "32"},
		{3, 1, "2"},
	} {
		all := subject{features: c.features, bitsIn: c.bitsIn}.bits()
		if all[0] != "2" || all[len(all)-1] != c.last {
			t.Errorf("%+v: %q", c, all)
		}
	}
}
