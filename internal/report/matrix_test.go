package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShade(t *testing.T) {
	var got []int
	for _, share := range []float64{0, 0.001, 0.02, 0.021, 0.1, 0.11, 0.5, 0.51, 1} {
		got = append(got, shade(share))
	}
	if diff := cmp.Diff([]int{0, 1, 1, 2, 2, 3, 3, 4, 4}, got); diff != "" {
		t.Errorf("shades (-want +got):\n%s", diff)
	}
}

// TestClassesTable checks that the class with the lowest recall comes first, and that quotients of nothing are dashes.
func TestClassesTable(t *testing.T) {
	got := (&Test{Confusion: [][]int{{9, 1, 0}, {1, 1, 0}, {0, 0, 0}}}).classes([]string{"common", "rare", "absent"})
	want := [][]cell{
		texts("absent", "\u2013", "\u2013", "\u2013", "0"),
		texts("rare", "50.00 %", "50.00 %", "50.00 %", "2"),
		texts("common", "90.00 %", "90.00 %", "90.00 %", "10"),
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
