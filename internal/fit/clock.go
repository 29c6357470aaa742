package fit

import (
	"context"
	"errors"
	"math"
	"time"
)

// Parts of the minutes. A reserve at the end is for finishing: to compile, route and verify the best network. Of the
// time before it the rounds take searchPart, and the rest trains the networks of the front.
const (
	searchPart    = 0.6
	leastReserve  = 0.08
	mostReserve   = 0.45
	usualReserve  = 0.08 // until a rehearsal has shown how long finishing takes
	deviceReserve = 0.25 // the same where a device is routed
)

// leastSeconds is the time that a call has before it is ended, however few minutes were asked for. Tests have more.
var leastSeconds = 60.0

// now is the clock by which time is shared out. Tests have one that the load of a machine does not change.
var now = time.Now

// errTime is the cause of contexts that the minutes have ended.
var errTime = errors.New("the minutes are over")

// timeOver reports whether the minutes have ended a context.
func timeOver(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errTime) }

// asked returns the seconds that were asked for.
func (s *search) asked() float64 { return 60 * s.Minutes }

// begin sets the end of this call. A search that is resumed has what earlier calls have left of the minutes, or all of
// them if its rounds are over: then it is to finish what there was no time for.
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

// searchLeft returns how long it is to the end of the rounds.
func (s *search) searchLeft() time.Duration {
	return seconds(searchPart*(s.asked()-s.reserve()) - s.ledger.spent())
}

// trainingLeft returns how many seconds there are to train networks of the front.
func (s *search) trainingLeft() float64 { return s.goal - s.ledger.spent() - s.reserve() }

// reserve returns the seconds that are kept for finishing: what a network that fills the budget is foretold to take.
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

// finishing is how long it took to compile, route and verify a network.
type finishing struct {
	Cells   int     `json:"cells"` // what the network takes of the budget
	Seconds float64 `json:"seconds"`
	Cut     bool    `json:"cut,omitempty"`  // it was not done by then
	Used    int     `json:"used,omitempty"` // logic cells of the device, wrapper and registers included
}

// The time goes with a power of the size: above one for a larger network than the one that is known, as wires grow
// longer, and below one for a smaller one, as some of the time goes with no size. What was cut off takes longer than it
// did.
const (
	growth   = 1.2
	decline  = 0.6
	cutShort = 1.25
)

// foretell returns the seconds that it takes to finish a network of a size, by what others took; 0 if nothing is known.
// The network nearest in size counts, and none takes less than a smaller one that was cut off.
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

// replan returns for how many epochs a network is trained anew, 0 if it goes on as it is: it does unless it will be far
// from its last epoch when its time is over. An epoch took so many seconds; spent are those of this training.
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

// tolerance is how much longer than its time a network of the front may be trained.
const tolerance = 1.15
