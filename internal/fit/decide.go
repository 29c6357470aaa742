package fit

// step is what is done next with one of the networks of the front.
type step int

const (
	finishIt  step = iota // compile, route and verify it
	shrinkIt              // train it again, smaller
	replaceIt             // nothing else is left: a candidate that was not trained takes its place
)

// nearly is how many times the errors of the best network one may have that takes its place for want of time.
const nearly = 1.25

// mostTries is how often a network is made smaller.
const mostTries = 6

// standing is a network of the front as [decide] sees it.
type standing struct {
	wrong  float64 // share of wrong samples that is to be expected
	cells  int     // what it takes of the budget; 0: it is not trained
	chains int     // of a class
	tries  int     // how often it was made smaller
	train  float64 // seconds to train it again
	finish float64 // seconds to finish it or, if it is too large, a network at the limit
}

// decide returns what is done next, and with which of the networks, none of which may take more than a limit:
//
//   - the best that fits is finished;
//   - without time for that, the best that there is time for is, if it is nearly as good, else the best one as far as
//     the time goes;
//   - a better one that is too large is made smaller first, if there is time for that and for finishing it;
//   - without any that fits, the best one that can be made smaller is.
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

// inTime returns the best network that there is time to finish, of those that fit and are nearly as good as the best of
// them; -1 if there is none.
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

// wrongWithin returns the share of wrong samples that is to be expected of a network that is made smaller until it
// fits.
func (o standing) wrongWithin(limit int) float64 {
	if o.cells <= limit {
		return o.wrong
	}
	return normalised(o.wrong, o.cells, float64(limit))
}

// expected returns the share of wrong samples that is to be expected of a network of the front: that of its trial, and
// more if it is smaller than that was, or was trained for fewer epochs. One that was not tried at its size comes after
// all others, the largest first.
func (f *final) expected() float64 {
	if f.Cost == nil || len(f.Wrong) == 0 {
		return 1 + 1/f.Budget
	}
	wrong := f.wrong()
	if cells := f.Cost.cells(); cells < f.Tried {
		wrong = normalised(wrong, f.Tried, float64(max(cells, 1)))
	}
	if f.Epochs < f.TriedFor { // fewer epochs are taken to cost what fewer look-up tables do
		wrong = normalised(wrong, f.TriedFor, float64(f.Epochs))
	}
	return wrong
}

// How much of a device is filled. Networks, whose wires go everywhere, route on two thirds of an iCE40, and on four
// fifths do not always (docs/FPGA.md). Until a design was synthesised, registers and the wrapper are taken for a
// quarter on top of the network.
const (
	routable   = 0.8
	usualExtra = 1.25
)

// room returns the most that a network may take of a device: its logic cells, of which a design uses more than the
// network is counted to take, as the designs that were synthesised did.
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
