package plot

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// labels returns the texts of the labelled ticks.
func labels(s scale) (all []string) {
	for _, t := range s.ticks {
		if t.Label != "" {
			all = append(all, t.Label)
		}
	}
	return all
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name   string
		axis   Axis
		values []float64
		round  bool
		want   []string
	}{
		{"layers", Axis{}, Upto(6), false, []string{"1", "2", "3", "4", "5", "6"}},
		{"hundred layers", Axis{}, Upto(100), false, []string{"20", "40", "60", "80", "100"}},
		{"whole numbers have no halves", Axis{}, []float64{1, 3}, false, []string{"1", "2", "3"}},
		{"accuracy", Axis{}, []float64{48.3, 56.4}, true, []string{"48", "50", "52", "54", "56", "58"}},
		{"percent", Axis{Include: []float64{0, 100}}, []float64{48.3}, true, []string{"0", "20", "40", "60", "80", "100"}},
		{"shares", Axis{}, []float64{0, 0.5}, true, []string{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5"}},
		{"both signs", Axis{}, []float64{-0.012, 0.01}, true, []string{
			"-0.015", "-0.010", "-0.005", "0.000", "0.005",
			"0.010",
		}},
		{"one value", Axis{}, []float64{7.5}, true, []string{"6.5", "7.0", "7.5", "8.0", "8.5"}},
		{
			"equal but for rounding",
			Axis{},
			[]float64{10, 10.000000000000002, 10.000000000000004},
			true,
			[]string{"9.0", "9.5", "10.0", "10.5", "11.0"},
		},
		{"none", Axis{}, []float64{math.NaN()}, true, []string{"0", "1"}},
		{"large", Axis{}, []float64{48e3, 1.9e6}, true, []string{"0", "500000", "1.0e6", "1.5e6", "2.0e6"}},
		{"small", Axis{}, []float64{0, 3e-7}, true, []string{"0", "5e-8", "1.0e-7", "1.5e-7", "2.0e-7", "2.5e-7", "3.0e-7"}},
		{"close", Axis{}, []float64{1000000, 1000003}, true, []string{
			"1.000000e6", "1.000001e6", "1.000002e6",
			"1.000003e6",
		}},
		{"decades", Axis{Log: true}, []float64{3e-5, 20}, true, []string{
			"1e-5", "1e-4", "1e-3", "0.01", "0.1", "1", "10",
			"100",
		}},
		{"decades and zeros", Axis{Log: true}, []float64{0, 0.5, 20}, true, []string{"0.1", "1", "10", "100", "0"}},
		{
			"many decades",
			Axis{Log: true},
			[]float64{1e-12, 1},
			true,
			[]string{"1e-12", "1e-10", "1e-8", "1e-6", "1e-4", "0.01", "1"},
		},
		{"one decade", Axis{Log: true}, []float64{100}, true, []string{"100", "1000"}},
		{"zeros alone", Axis{Log: true}, []float64{0, 0}, true, []string{"1", "10", "0"}},
		{"doubled", Axis{Log: true}, []float64{4, 8, 32, 4}, false, []string{"4", "8", "16", "32"}},
		{"doubled upwards", Axis{Log: true}, []float64{4, 8, 32}, true, []string{"1", "10", "100"}},
		{"not all doubled", Axis{Log: true}, []float64{4, 8, 12}, false, []string{"1", "10", "100"}},
		{"doubled too often", Axis{Log: true}, []float64{1, 1024}, false, []string{"1", "10", "100", "1000", "10000"}},
		{"doubled, one value", Axis{Log: true}, []float64{4, 4}, false, []string{"1", "10"}},
		{"names", Axis{Names: []string{"a", "b"}}, nil, false, []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, labels(newScale(c.axis, c.values, c.round))); diff != "" {
				t.Errorf("ticks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTicksOfAnyRange checks that all values lie on the axis, whatever their range is. The axis must have a few ticks
// with different labels.
func TestTicksOfAnyRange(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 5000 {
		size := math.Pow(10, 40*r.Float64()-20)
		lo := size * (r.Float64() - 0.5)
		hi := lo + size*math.Pow(10, -5*r.Float64())
		for _, a := range []Axis{{}, {Log: true}} {
			from := lo
			if a.Log {
				from = math.Abs(lo)
			}
			to := from + hi - lo
			s := newScale(a, []float64{from, to}, true)
			if s.at(from) < s.min-1e-9*size || s.at(to) > s.max+1e-9*size {
				t.Fatalf("%+v: %v to %v lie at %v to %v on an axis of %v to %v", a, from, to, s.at(from), s.at(to), s.min, s.max)
			}
			seen := map[string]bool{}
			for _, l := range labels(s) {
				if seen[l] {
					t.Fatalf("%+v: %v to %v has two ticks %s", a, from, to, l)
				}
				seen[l] = true
			}
			if n := len(seen); n < 2 || n > 10 {
				t.Fatalf("%+v: %v to %v has %d ticks", a, from, to, n)
			}
		}
	}
}
