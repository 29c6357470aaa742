package flow

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/progress"
)

// TestPhases follows logs of both routers of nextpnr. Unknown lines must not change the reported phase.
func TestPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		ctx := progress.With(t.Context(), progress.NewBoard(time.Second, func(all []progress.Status) {
			for _, s := range all {
				said = append(said, s.Doing...)
			}
		}))
		ctx, end := progress.Begin(ctx, "nextpnr, seed 1")
		tell := follow(ctx)
		for _, line := range []string{
			"Info: Packing constants..",
			"Info:     at initial placer iter 3, wirelen = 398",
			"Info:     at iteration #25, type ALL: wirelen solved = 6442, spread = 7531, legal = 7919; time = 0.08s",
			"Info: Running simulated annealing placer for refinement.",
			"Info:   at iteration #20: temp = 0.000000, timing cost = 177, wirelen = 6938",
			"Info: Routing..",
			"Info: Routing 5654 arcs.",
			"Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|",
			"Info:      10000 |     3260       6717 |  490   502 |       168|       0.65       4.30|",
			"Info:     iter=2 wires=3234 overused=123 overuse=145 archfail=NA",
			"Info: Routing complete.",
			"Warning: something else",
		} {
			tell(line)
			time.Sleep(time.Second)
			synctest.Wait()
		}
		end()
		want := []string{
			"packing", "placing", "placing, iteration 25", "placing, by annealing", "placing, by annealing, iteration 20",
			"routing", "routing, 5654 arcs left", "routing, 168 arcs left", "routing, 123 wires overused", "reporting",
		}
		if diff := cmp.Diff(want, slices.Compact(said)); diff != "" {
			t.Errorf("said (-want +got):\n%s", diff)
		}
	})
}
