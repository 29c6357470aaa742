package given

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	rows, err := Rows([]int{2, 2}, []float64{0.5, 1, float64(float32(0.1)), 3})
	if diff := cmp.Diff([][]float32{{0.5, 1}, {0.1, 3}}, rows); err != nil || diff != "" {
		t.Errorf("%v, rows (-want +got):\n%s", err, diff)
	}
	for name, test := range map[string]struct {
		shape  []int
		values []float64
		want   string
	}{
		"rounded":          {[]int{2, 2}, []float64{0.5, 1, 0.5, 0.1}, "threshold 1 of row 1 is 0.1, which float32 does not have"},
		"too large":        {[]int{1}, []float64{1e300}, "threshold 0 of row 0"},
		"a number":         {nil, []float64{1}, "0 dimensions"},
		"three dimensions": {[]int{1, 1, 1}, []float64{1}, "3 dimensions"},
		"none":             {[]int{0, 2}, nil, "has no thresholds"},
	} {
		if _, err := Rows(test.shape, test.values); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}
