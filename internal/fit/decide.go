package fit

// step is the next action for a network of the front.
type step int

const (
	finishIt  step = iota // compile, route and verify the network
	shrinkIt              // train the network again, smaller
	replaceIt             // replace the network by an untrained candidate, if nothing else is left
)

// If time is short, another network may be finished instead of the best network. nearly is the largest allowed ratio
// of its errors to the errors of the best network.
const nearly = 1.25

// mostTries is the largest number of times that a network is made smaller.
const mostTries = 6

// standing describes a network of the front for [decide].
type standing struct {
	wrong  float64 // expected share of wrong samples
	cells  int     // part of the budget that the network uses; 0 if it is not trained
	chains int     // number of chains in each class
	tries  int     // number of times that the network was made smaller
	train  float64 // seconds to train the network again
	finish float64 // seconds to finish the network or, if it is too large, a network at the limit
}

// decide returns the next action and the index of the network to which it applies. A network fits if it uses at most
// limit cells. The rules are:
//
//   - The best network that fits is finished.
//   - If there is no time for this, the best network that can be finished in time is finished instead, provided that
//     it is nearly as good. If there is no such network, the best network is finished as far as the time allows.
//   - If a better network is too large, it is made smaller first, provided that there is time for this and for
//     finishing it.
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

// inTime returns the index of the best network that fits, is nearly as good as the best one, and can be finished in
// time. It returns -1 if there is no such network.
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

// wrongWithin returns the expected share of wrong samples of a network after it is made smaller to fit the limit.
func (o standing) wrongWithin(limit int) float64 {
	if o.cells <= limit {
		return o.wrong
	}
	return normalised(o.wrong, o.cells, float64(limit))
}

// expected returns the expected share of wrong samples of a network of the front. It starts from the share in the
// network's trial. The result is larger if the network is smaller than the trial's network or was trained for fewer
// epochs. Networks that were not tried at their size come last, the largest first.
func (f *final) expected() float64 {
	if f.Cost == nil || len(f.Wrong) == 0 {
		return 1 + 1/f.Budget
	}
	wrong := f.loss()
	if cells := f.Cost.cells(); cells < f.Tried {
		wrong = normalised(wrong, f.Tried, float64(max(cells, 1)))
	}
	if f.Epochs < f.TriedFor { // fewer epochs are assumed to have the same effect as fewer LUTs
		wrong = normalised(wrong, f.TriedFor, float64(f.Epochs))
	}
	return wrong
}

// A device can be filled only up to a share of its cells, which is the constant routable. The wires of the networks
// connect distant cells: networks route on two thirds of an iCE40, but not always on four fifths
// (docs/guides/fpga.md). Until a design was synthesised, usualExtra is the assumed ratio between all logic cells of a
// design and the logic cells of its network.
const (
	routable   = 0.8
	usualExtra = 1.25
)

// room returns the size of the largest network for which a device has room. A design uses more logic cells than its
// network alone. The ratio between the two numbers is taken from designs that were synthesised.
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
