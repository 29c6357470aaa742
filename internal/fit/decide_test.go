package fit

import (
	"math"
	"testing"
	"time"
)

// recorded returns the front of a real search for an ice40-up5k, after its first training. The budget was 2640 logic
// cells. The trial of the best network used half of the budget, but the trained network took 1888 cells. An earlier
// version of ialgn limited the network to half of the budget, as in the trial. Therefore it shrank the network to 4
// chains and returned it as the best network.
func recorded() []standing {
	return []standing{
		{wrong: 0.0659, cells: 1888, chains: 142, train: 33, finish: 60},
		{wrong: 0.0681, cells: 2577, chains: 387, train: 38, finish: 100},
		{wrong: 0.0794, cells: 875, chains: 29, train: 20, finish: 20},
		{wrong: 0.0950, cells: 383, chains: 8, train: 9, finish: 6},
	}
}

func TestDecide(t *testing.T) {
	with := func(change func(all []standing)) []standing {
		all := recorded()
		change(all)
		return all
	}
	for _, c := range []struct {
		name  string
		all   []standing
		limit int
		left  float64
		do    step
		at    int
	}{
		{"the best fits the whole budget", recorded(), 2640, 100, finishIt, 0},
		{"there is no time for the best", recorded(), 2640, 30, finishIt, 2},
		{"there is time for the smallest alone, which is much worse", recorded(), 2640, 7, finishIt, 0},
		{"there is time for none", recorded(), 2640, 3, finishIt, 0},
		{"the best is too large by a little, and there is time", recorded(), 1850, 100, shrinkIt, 0},
		{"the best is too large by a little, and there is no time", recorded(), 1850, 90, finishIt, 2},
		{"the best is far too large, and the next is better than a part of it", recorded(), 900, 200, finishIt, 2},
		{
			"the best was made smaller often", with(func(all []standing) { all[0].tries = mostTries }), 1850, 200,
			shrinkIt, 1,
		},
		{
			"the best has a chain a class", with(func(all []standing) { all[0].chains, all[1].chains = 1, 1 }), 1850, 200,
			finishIt, 2,
		},
		{"nothing fits", recorded(), 300, 0, shrinkIt, 3},
		{
			"nothing fits and nothing can be smaller", with(func(all []standing) {
				for i := range all {
					all[i].chains = 1
				}
			}), 300, 100, replaceIt, 0,
		},
		{"the best was not trained", with(func(all []standing) { all[0].cells = 0 }), 2640, 200, finishIt, 1},
		{"nothing was trained", make([]standing, 4), 2640, 200, replaceIt, 0},
	} {
		if do, at := decide(c.all, c.limit, c.left); do != c.do || at != c.at {
			t.Errorf("%s: step %d with network %d, want step %d with %d", c.name, do, at, c.do, c.at)
		}
	}
}

// TestExpected checks the order of networks by expected error. A network that is far smaller than the network of its
// trial comes after networks whose size was tried. A network without a trial comes last.
func TestExpected(t *testing.T) {
	made := func(wrong float64, tried, cells int) *final {
		f := &final{Tried: tried, TriedFor: 20, Epochs: 20}
		f.Cost, f.Budget = &cost{LUTs: LUTs{Total: cells}}, float64(cells)
		if wrong > 0 {
			f.Wrong = []float64{wrong}
		}
		return f
	}
	order := []*final{
		made(0.0659, 1445, 1888), made(0.0659, 1445, 1320), made(0.0794, 640, 875), made(0.0659, 1445, 102),
		made(0, 0, 900), made(0, 0, 300),
	}
	for i := 1; i < len(order); i++ {
		if a, b := order[i-1].expected(), order[i].expected(); a >= b {
			t.Errorf("network %d: expected %v wrong, and the one after it %v", i-1, a, b)
		}
	}
	if got := order[0].expected(); got != 0.0659 {
		t.Errorf("larger than its trial: %v", got)
	}
	if order[0].Epochs = 5; order[0].expected() <= order[2].expected() {
		t.Errorf("trained for a quarter of the epochs of its trial: %v", order[0].expected())
	}
}

// TestRoom checks how many cells a network may use on a device. The check includes the measured numbers of cells for
// the wrapper and the registers.
func TestRoom(t *testing.T) {
	const up5k = 5280
	for _, c := range []struct {
		name  string
		known []finishing
		want  int
	}{
		{"nothing was synthesised", nil, 3379},
		{"no logic cells are known", []finishing{{Cells: 875, Seconds: 30}}, 3379},
		{"measured", []finishing{{Cells: 875, Used: 995}}, 3714},
		{"the most counts", []finishing{{Cells: 875, Used: 995}, {Cells: 1000, Used: 2000}}, 2112},
	} {
		if got := room(up5k, c.known); got != c.want {
			t.Errorf("%s: %d cells, want %d", c.name, got, c.want)
		}
	}
}

func TestForetell(t *testing.T) {
	whole := finishing{Cells: 1000, Seconds: 20}
	for _, c := range []struct {
		name  string
		known []finishing
		cells int
		want  float64
	}{
		{"nothing is known", nil, 500, 0},
		{"the same size", []finishing{whole}, 1000, 20},
		{"four times the size", []finishing{whole}, 4000, 20 * math.Pow(4, 1.2)},
		{"a quarter", []finishing{whole}, 250, 20 * math.Pow(4, -0.6)},
		{"the nearest counts", []finishing{whole, {Cells: 3000, Seconds: 200}}, 4000, 200 * math.Pow(4.0/3, 1.2)},
		{"cut off", []finishing{{Cells: 1000, Seconds: 20, Cut: true}}, 1000, 25},
		{"a smaller one was cut off", []finishing{{Cells: 900, Seconds: 100, Cut: true}, whole}, 1000, 125 * math.Pow(10.0/9, 1.2)},
		{"a larger one was cut off", []finishing{{Cells: 4000, Seconds: 100, Cut: true}, whole}, 1000, 20},
	} {
		if got := foretell(c.known, c.cells); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v s, want %v", c.name, got, c.want)
		}
	}
}

func TestReplan(t *testing.T) {
	for _, c := range []struct {
		name                  string
		epochs, done          int
		epoch, spent, allowed float64
		want                  int
	}{
		{"in time", 50, 2, 0.5, 1, 25, 0},
		{"a little late", 50, 2, 0.55, 1.1, 25, 0},
		{"twice as slow", 50, 2, 1, 2, 25, 19},
		{"late, but nearly done", 50, 40, 1, 40, 25, 0},
		{"no time", 50, 2, 10, 20, 5, usualEpochs},
		{"as few as can be", usualEpochs, 2, 10, 20, 5, 0},
	} {
		if got := replan(c.epochs, c.done, c.epoch, c.spent, c.allowed); got != c.want {
			t.Errorf("%s: %d epochs, want %d", c.name, got, c.want)
		}
	}
}

// TestClock checks the time that is reserved for finishing. If only finishing is left, a resumed search has all its
// minutes again.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		name          string
		known         []finishing
		before        float64
		finals        int
		reserve, left float64
	}{
		{"a new search", nil, 0, 0, 24, 300},
		{"finishing is fast", []finishing{{Cells: 1000, Seconds: 10}}, 0, 0, 24, 300},
		{"finishing is known", []finishing{{Cells: 1000, Seconds: 50}}, 0, 0, 60, 300},
		{"finishing takes longer than all", []finishing{{Cells: 1000, Seconds: 500}}, 0, 0, 135, 300},
		{"resumed during the search", nil, 100, 0, 24, 200},
		{"resumed after the minutes were over", nil, 500, 0, 24, leastSeconds},
		{"resumed to finish", nil, 500, 4, 24, max(300, leastSeconds)},
	} {
		s := &search{
			Options: Options{Minutes: 5}, budget: 1000,
			ledger: &ledger{Finishings: c.known, before: c.before, start: time.Now(), Finals: make([]*final, c.finals)},
		}
		s.begin()
		want := max(c.left, leastSeconds)
		if math.Abs(s.reserve()-c.reserve) > 1e-9 || math.Abs(s.left()-want) > 1 {
			t.Errorf("%s: %v s reserved, %v left, want %v and %v", c.name, s.reserve(), s.left(), c.reserve, want)
		}
		if got := s.searchLeft().Seconds(); math.Abs(got-(searchPart*(300-c.reserve)-c.before)) > 1 {
			t.Errorf("%s: %v s to search", c.name, got)
		}
	}
}
