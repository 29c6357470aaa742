package fit

import (
	"context"
	"errors"
	"math"
	"time"
)

// These constants divide the search's minutes. A reserve at the end is for finishing the best network, that is, for
// compiling, routing and verifying it. searchPart is the share of the remaining time that the rounds may take. The
// rest of that time is for training the networks of the front.
const (
	searchPart    = 0.6
	leastReserve  = 0.08
	mostReserve   = 0.45
	usualReserve  = 0.08 // reserve until a rehearsal has shown how long finishing takes
	deviceReserve = 0.25 // like usualReserve, for designs that are routed on a device
)

// leastSeconds is the minimum time of a call before it is stopped, even if fewer minutes were asked for. Tests change
// it.
var leastSeconds = 60.0

// now is the clock of a search. Tests replace it by a clock that does not depend on the load of the machine.
var now = time.Now

// errTime is the cause of contexts that were cancelled because the minutes were over.
var errTime = errors.New("the minutes are over")

// timeOver reports whether a context was cancelled because the minutes were over.
func timeOver(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTime) }

// asked returns the number of seconds that the user asked for.
func (s *search) asked() float64 { return 60 * s.Minutes }

// begin sets the end of this call. A resumed search has the minutes that earlier calls have not used. If the rounds
// of the search are over, a resumed search has all its minutes again, for the work that is left.
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

// reserve returns the seconds reserved for finishing. It is a prediction for a network that uses the whole budget.
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
	Cut     bool    `json:"cut,omitempty"`  // whether finishing was stopped before it was complete
	Used    int     `json:"used,omitempty"` // logic cells used on the device, including wrapper and registers
}

// These constants predict how long finishing takes. The time is assumed to grow with a power of the network's size.
// For networks larger than the known network, the power is above one, because wires grow longer. For smaller
// networks, it is below one, because part of the time does not depend on the size. If finishing was stopped, it is
// assumed to take cutShort times longer than it did.
const (
	growth   = 1.2
	decline  = 0.6
	cutShort = 1.25
)

// foretell predicts the seconds to finish a network of the given size from the times of other networks. It returns 0
// if no times are known. The prediction follows from the network nearest in size. It is never below the prediction
// from a smaller network whose finishing was stopped.
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

// replan returns 0 if a training should continue, or the number of epochs with which to start it again. A training
// starts again only if it would otherwise be far from its last epoch when its time is over. epoch is the time of one
// epoch in seconds, and spent is the time of this training so far.
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
