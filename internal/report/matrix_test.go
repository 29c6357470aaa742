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
