package diagnose

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAverage checks the average of several seeds. The average of a statistic that is a maximum must be the mean of
// the seeds' maxima, not the greatest maximum ("Aggregation across seeds" in the paper's supplement). Each other
// statistic must be averaged in the same way.
func TestAverage(t *testing.T) {
	one := func(x float64) Analysis {
		a := Analysis{
			Width: 2, Depth: 1, Gates: 2, EffectiveDepth: []LayerDepth{{x, x + 1, x + 2, 3 * x}},
			Categories: Categories{Constants: x, PassThrough: 2 * x, Negation: 3 * x, Binary: 4 * x},
		}
		a.Operations[3] = x
		return a
	}
	want := one(2)
	want.Model, want.EffectiveDepth[0].Max = "mean of 2 models", 6
	if diff := cmp.Diff(want, average([]Analysis{one(1), one(3)})); diff != "" {
		t.Errorf("mean (-want +got):\n%s", diff)
	}
}
