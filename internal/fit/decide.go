package fit

// step is the next thing to do with a network of the front.
type step int

const (
	finishIt  step = iota // compile, route and verify it
	shrinkIt              // train it again, smaller
	replaceIt             // replace it by a candidate that was not trained, if nothing else is left
)

// nearly is how many times the errors of the best network another network may have to be finished in its stead, if time
// is short.
const nearly = 1.25

// mostTries is the largest number of times that a network is made smaller.
const mostTries = 6

// standing describes a network of the front to [decide].
type standing struct {
	wrong  float64 // expected share of wrong samples
	cells  int     // its part of the budget; 0: it is not trained
	chains int     // in each class
	tries  int     // number of times that it was made smaller
	train  float64 // seconds to train it again
	finish float64 // seconds to finish it or, if it is too large, to finish a network at the limit
}

// decide returns what to do next, and with which network. No network may use more than limit:
//
//   - The best network that fits is finished.
//   - If there is no time for that, the best network that can be finished in time is, if it is nearly as good.
//     Otherwise the best network is finished as far as the time allows.
//   - A better network that is too large is made smaller first, if there is time for that and for finishing it.
//   - If no network fits, the best network that can be made smaller is made smaller.
func decide(all []standing, limit int, left float64) (step, int) {
	fits, large := -1, -1
	better := func(i, than int) bool {
		return than < 0 || all[i].wrongWithin(limit) < all[than].wrongWithin(limit)
	}
	for i, o := range all {
		switch {
		case o.cells == 0:
		case o.cells > limit:
			if o.chains > 1 && o.tries < mostTries && better(i, large) {
				large = i
			}
		case better(i, fits):
			fits = i
		}
	}
	timely := inTime(all, fits, limit, left)
	switch {
	case large >= 0 && all[large].train+all[large].finish <= left && better(large, timely):
		return shrinkIt, large
	case timely >= 0:
		return finishIt, timely
	case fits >= 0:
		return finishIt, fits
	case large >= 0:
		return shrinkIt, large
	}
	return replaceIt, 0
}

// inTime returns the index of the best network that fits, is nearly as good as the best one and can be finished in
// time; -1 if there is none.
func inTime(all []standing, best, limit int, left float64) int {
	timely := -1
	for i, o := range all {
		if best < 0 || o.cells == 0 || o.cells > limit || o.wrong > nearly*all[best].wrong || o.finish > left {
			continue
		}
		if timely < 0 || o.wrong < all[timely].wrong {
			timely = i
		}
	}
	return timely
}

// wrongWithin returns the expected share of wrong samples after the network is made smaller until it fits.
func (o standing) wrongWithin(limit int) float64 {
	if o.cells <= limit {
		return o.wrong
	}
	return normalised(o.wrong, o.cells, float64(limit))
}

// expected returns the expected share of wrong samples of a network of the front. It is the share in the network's
// trial, and more if the network is smaller than the trial's or was trained for fewer epochs. Networks that were not
// tried at their size come after all others, the largest first.
func (f *final) expected() float64 {
	if f.Cost == nil || len(f.Wrong) == 0 {
		return 1 + 1/f.Budget
	}
	wrong := f.wrong()
	if cells := f.Cost.cells(); cells < f.Tried {
		wrong = normalised(wrong, f.Tried, float64(max(cells, 1)))
	}
	if f.Epochs < f.TriedFor { // fewer epochs are taken to cost as much as fewer LUTs
		wrong = normalised(wrong, f.TriedFor, float64(f.Epochs))
	}
	return wrong
}

// How much of a device is filled. The networks' wires go everywhere: they route on two thirds of an iCE40, but not
// always on four fifths (docs/guides/fpga.md). Until a design is synthesised, registers and the wrapper are taken to
// add a quarter to the network.
const (
	routable   = 0.8
	usualExtra = 1.25
)

// room returns the largest network that a device has room for. A design uses more logic cells than its network
// counts; the ratio comes from designs that were synthesised.
func room(deviceCells int, known []finishing) int {
	extra := 0.0
	for _, f := range known {
		if f.Used > 0 && f.Cells > 0 {
			extra = max(extra, float64(f.Used)/float64(f.Cells))
		}
	}
	if extra == 0 {
		extra = usualExtra
	}
	return int(routable * float64(deviceCells) / extra)
}
