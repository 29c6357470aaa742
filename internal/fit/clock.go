package fit

import (
	"context"
	"errors"
	"math"
	"time"
)

// Parts of the minutes. A reserve at the end is for finishing the best network, that is, to compile, route and verify
// it. Of the time before the reserve, the rounds take searchPart, and training the networks of the front takes the
// rest.
const (
	searchPart    = 0.6
	leastReserve  = 0.08
	mostReserve   = 0.45
	usualReserve  = 0.08 // until a rehearsal has shown how long finishing takes
	deviceReserve = 0.25 // the same if a device is routed
)

// leastSeconds is the least time that a call has before it is stopped, however few minutes were asked for. Tests
// change it.
var leastSeconds = 60.0

// now is the clock by which time is divided. Tests have one that does not depend on the load of the machine.
var now = time.Now

// errTime is the cause of contexts that ended because the minutes were over.
var errTime = errors.New("the minutes are over")

// timeOver reports whether a context ended because the minutes were over.
func timeOver(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTime) }

// asked returns the seconds that were asked for.
func (s *search) asked() float64 { return 60 * s.Minutes }

// begin sets the end of this call. A resumed search has the minutes that earlier calls have not used. If its rounds
// are over, it has all minutes again, to finish what there was no time for.
func (s *search) begin() {
	allowed := s.asked()
	if len(s.ledger.Finals) == 0 {
		allowed -= s.ledger.spent()
	}
	s.goal = s.ledger.spent() + allowed
	s.end = max(s.goal, s.ledger.spent()+leastSeconds)
}

// left returns the seconds to the end of this call.
func (s *search) left() float64 { return s.end - s.ledger.spent() }

// searchLeft returns the time until the end of the rounds.
func (s *search) searchLeft() time.Duration {
	return seconds(searchPart*(s.asked()-s.reserve()) - s.ledger.spent())
}

// trainingLeft returns the seconds left to train networks of the front.
func (s *search) trainingLeft() float64 { return s.goal - s.ledger.spent() - s.reserve() }

// reserve returns the seconds reserved for finishing: a prediction for a network that uses the whole budget.
func (s *search) reserve() float64 {
	share := usualReserve
	if s.device.Placeable() {
		share = deviceReserve
	}
	if known := s.ledger.finishing(s.budget); known > 0 {
		share = min(max(1.2*known/s.asked(), leastReserve), mostReserve)
	}
	return share * s.asked()
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// finishing records how long it took to compile, route and verify a network.
type finishing struct {
	Cells   int     `json:"cells"` // the part of the budget that the network uses
	Seconds float64 `json:"seconds"`
	Cut     bool    `json:"cut,omitempty"`  // stopped before it was done
	Used    int     `json:"used,omitempty"` // logic cells used on the device, including wrapper and registers
}

// Finishing time is assumed to grow with a power of the size. The power is above one for networks larger than the
// known one, because wires grow longer, and below one for smaller networks, because part of the time does not depend
// on the size. A finishing that was stopped is assumed to take longer than it did.
const (
	growth   = 1.2
	decline  = 0.6
	cutShort = 1.25
)

// foretell predicts the seconds to finish a network of the given size from the times of other networks; 0 if none are
// known. The network nearest in size counts, but the prediction is not below the prediction from a smaller network
// that was stopped.
func foretell(known []finishing, cells int) float64 {
	best, distance, least := 0.0, math.Inf(1), 0.0
	for _, f := range known {
		ratio := float64(max(cells, 1)) / float64(max(f.Cells, 1))
		power := growth
		if ratio < 1 {
			power = decline
		}
		took := f.Seconds * math.Pow(ratio, power)
		if f.Cut {
			took *= cutShort
		}
		if f.Cut && ratio >= 1 {
			least = max(least, took)
		}
		if d := math.Abs(math.Log(ratio)); d < distance || d == distance && took > best {
			best, distance = took, d
		}
	}
	return max(best, least)
}

// replan returns with how many epochs a training is started again, or 0 to continue it. It starts again only if the
// training would be far from its last epoch when its time is over. epoch is the seconds of one epoch, spent the
// seconds of this training so far.
func replan(epochs, done int, epoch, spent, allowed float64) int {
	foreseen := spent + float64(epochs-done)*epoch
	if foreseen <= allowed*tolerance || float64(done) > 0.7*float64(epochs) {
		return 0
	}
	if again := max(usualEpochs, int(planned*(allowed-spent)/epoch)); again < epochs {
		return again
	}
	return 0
}

// tolerance is the factor by which training a network of the front may exceed its time.
const tolerance = 1.15
