package fit

import (
	"math"

	"ialgn/internal/config"
)

// LUTs holds the number of look-up tables (LUTs) in each part of a compiled network, as counted by compile.
type LUTs struct {
	Gates   int `json:"gates"`
	Head    int `json:"head"`
	Encoder int `json:"encoder"`
	Total   int `json:"total"`
}

// cost is the part of a budget that a network uses.
type cost struct {
	LUTs
	// Kept is the number of input bits that a wrapper keeps in registers. Each of these bits occupies the flip-flop
	// of a logic cell. Kept is used only if the budget is in logic cells.
	Kept int `json:"kept_bits,omitempty"`
}

// cells returns the number of LUTs or logic cells that count against the budget.
func (c cost) cells() int { return c.Total + c.Kept }

// measured is a compiled network with its shape and its cost.
type measured struct {
	shape
	cost
}

// shape is the part of a configuration that determines the cost of the network.
type shape struct {
	width, depth, inputs, bits int
	thresholds                 string
	pressure                   float64 // summed over all chains; 0 if the user sets the pressure
	features                   int
	keeps                      bool // the budget is in logic cells, including cells that keep input bits
}

func (s *search) shapeOf(cfg *config.Config) shape {
	pressure := 0.0
	if !s.draft.Given("train.cost.pressure") {
		pressure = cfg.Train.Cost.Pressure * float64(cfg.Model.Width)
	}
	return shape{
		width: cfg.Model.Width, depth: cfg.Model.Depth, inputs: cfg.Model.Inputs, bits: cfg.Encoder.Bits,
		thresholds: cfg.Encoder.Thresholds, pressure: pressure, features: s.features, keeps: s.keeps,
	}
}

func (p shape) nodes() float64 { return float64(p.width * p.depth) }

// read returns the expected number of different input bits that the network reads if every pin reads a random bit.
func (p shape) read() float64 {
	bits, pins := float64(p.features*(p.bits-1)), float64(p.width*(p.inputs+(p.depth-1)*(p.inputs-1)))
	return bits * (1 - math.Exp(-pins/bits))
}

// These are the costs, in LUTs, that are assumed before anything was compiled. usualGate is the cost of a node,
// usualHead the cost of a counted bit, and usualEncoder the cost of a comparison.
const (
	usualGate, usualHead, usualEncoder = 1.0, 1.3, 1.0
)

// sizer predicts costs from the networks that were compiled before.
type sizer []measured

// predict returns the predicted size of a network. The size of each part is assumed to be proportional to the number
// of nodes, of counted bits, or of input bits that are read. The factor is the mean over similar networks, or a
// default if there are no similar networks.
func (s sizer) predict(p shape) float64 {
	gates := s.ratio(usualGate, func(m measured) (bool, float64, float64) {
		return m.inputs == p.inputs && m.depth == p.depth, float64(m.Gates), m.nodes()
	})
	head := s.ratio(usualHead, func(m measured) (bool, float64, float64) {
		return true, float64(m.Head), float64(m.width)
	})
	free := p.bits == 2 && p.thresholds == "uniform" // the input bit is the highest bit of the word, so it needs no LUT
	usual := usualEncoder
	if free {
		usual = 0
	}
	same := func(m measured) bool { // reports whether m reads the same kind of bits under the same pressure
		return m.bits == p.bits && m.thresholds == p.thresholds && math.Abs(m.pressure-p.pressure) < leastPressure/2
	}
	encoder := s.ratio(usual, func(m measured) (bool, float64, float64) { return same(m), float64(m.Encoder), m.read() })
	kept := 0.0
	if p.keeps {
		kept = s.ratio(1, func(m measured) (bool, float64, float64) { return same(m), float64(m.Kept), m.read() })
	}
	return gates*p.nodes() + head*float64(p.width) + (encoder+kept)*p.read()
}

// For each network, ratio calls a callback that says whether the network is alike, and that returns two numbers, part
// and by. ratio returns the sum of part divided by the sum of by, both over the networks that are alike. If no
// network is alike, ratio returns usual.
func (s sizer) ratio(usual float64, of func(measured) (alike bool, part, by float64)) float64 {
	parts, bys := 0.0, 0.0
	for _, m := range s {
		if alike, part, by := of(m); alike {
			parts, bys = parts+part, bys+by
		}
	}
	if bys == 0 {
		return usual
	}
	return parts / bys
}

// width returns the largest width that should fit the budget. The width is a multiple of classes, with at least one
// chain for each class.
func (s sizer) width(p shape, classes int, budget float64) int {
	fits := func(n int) bool {
		p.width = n * classes
		return s.predict(p) <= budget
	}
	low, high := 1, 2
	for fits(high) && high*classes < mostWidth {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if mid := (low + high) / 2; fits(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return min(low, mostWidth/classes) * classes
}

// mostWidth limits the width that the search proposes.
const mostWidth = 1 << 20

// normalised returns the expected error of a network after its size is changed to the whole budget. In our
// measurements, doubling the number of LUTs leaves about four fifths of the errors (docs/evidence/results.md).
func normalised(wrong float64, cells int, budget float64) float64 {
	return wrong * math.Pow(float64(max(cells, 1))/budget, 0.32)
}
