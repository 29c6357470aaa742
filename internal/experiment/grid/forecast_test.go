package grid

import "testing"

// TestFitting checks cases in which all runs, some runs or no runs fit into memory, and the case of an unknown size.
func TestFitting(t *testing.T) {
	needs := func() []uint64 { return []uint64{10, 40, 20, 40} }
	for _, test := range []struct {
		most   int
		memory uint64
		want   int
	}{{4, 1000, 4}, {2, 1000, 2}, {4, 100, 2}, {4, 126, 3}, {4, 49, 1}, {4, 0, 1}, {0, 100, 1}} {
		if got := fitting(needs(), test.most, test.memory); got != test.want {
			t.Errorf("at most %d in %d bytes: %d, want %d", test.most, test.memory, got, test.want)
		}
	}
}

// TestUnknownSize checks that runs with unknown memory are trained one at a time.
func TestUnknownSize(t *testing.T) {
	p := &Plan{Options: Options{Threads: 2, Jobs: Fitting}}
	left := Ahead{Epochs: 2, Bytes: 1000}
	unknown := Ahead{Epochs: 2}
	for _, c := range []struct {
		runs []Ahead
		want int
	}{
		{[]Ahead{left, left}, 2},
		{[]Ahead{left, left, unknown}, 1},
		{[]Ahead{left, left, {Epochs: 2, Done: 2}}, 2},
	} {
		if got := p.sideBySide(c.runs); got != c.want {
			t.Errorf("%d of %+v side by side, want %d", got, c.runs, c.want)
		}
	}
}
