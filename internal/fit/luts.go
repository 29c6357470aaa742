package fit

import (
	"math"

	"ialgn/internal/config"
)

// LUTs are the look-up tables of a compiled network, as compile counts them.
type LUTs struct {
	Gates   int `json:"gates"`
	Head    int `json:"head"`
	Encoder int `json:"encoder"`
	Total   int `json:"total"`
}

// cost is what a network takes of a budget.
type cost struct {
	LUTs
	// Kept are the input bits that a wrapper keeps, a logic cell's flip-flop each, where the budget is of logic cells.
	Kept int `json:"kept_bits,omitempty"`
}

// cells returns what counts against the budget.
func (c cost) cells() int { return c.Total + c.Kept }

// measured is a network that was compiled.
type measured struct {
	shape
	cost
}

// shape is what of a configuration decides about the cost of its network.
type shape struct {
	width, depth, inputs, bits int
	thresholds                 string
	pressure                   float64 // of all chains together, towards fewer look-up tables; 0 if it is given
	features                   int
	keeps                      bool // the budget is of logic cells, with the input bits that are kept
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

// read is how many different input bits the pins can read: each as many as there are, or fewer where there are few
// pins.
func (p shape) read() float64 {
	bits, pins := float64(p.features*(p.bits-1)), float64(p.width*(p.inputs+(p.depth-1)*(p.inputs-1)))
	return bits * (1 - math.Exp(-pins/bits))
}

// What parts take before anything was compiled: a look-up table a node, somewhat more a counted bit, one a comparison.
const (
	usualGate, usualHead, usualEncoder = 1.0, 1.3, 1.0
)

// sizer foretells costs by what was compiled before.
type sizer []measured

// predict returns what a network will take of the budget. Each part is in proportion to what makes it: nodes,
// counted bits, bits that are read; by the mean of the networks that are like it in this, else of all.
func (s sizer) predict(p shape) float64 {
	gates := s.ratio(usualGate, func(m measured) (bool, float64, float64) {
		return m.inputs == p.inputs && m.depth == p.depth, float64(m.Gates), m.nodes()
	})
	head := s.ratio(usualHead, func(m measured) (bool, float64, float64) {
		return true, float64(m.Head), float64(m.width)
	})
	free := p.bits == 2 && p.thresholds == "uniform" // a bit of the word itself
	usual := usualEncoder
	if free {
		usual = 0
	}
	same := func(m measured) bool { // reads bits of the same kind as willingly
		return m.bits == p.bits && m.thresholds == p.thresholds && math.Abs(m.pressure-p.pressure) < leastPressure/2
	}
	encoder := s.ratio(usual, func(m measured) (bool, float64, float64) { return same(m), float64(m.Encoder), m.read() })
	kept := 0.0
	if p.keeps {
		kept = s.ratio(1, func(m measured) (bool, float64, float64) { return same(m), float64(m.Kept), m.read() })
	}
	return gates*p.nodes() + head*float64(p.width) + (encoder+kept)*p.read()
}

// ratio returns the quotient of two sums over the networks that are alike, or what is usual without any.
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

// width returns the largest width, a multiple of the classes, that should fit within a budget, and at least one chain a
// class.
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

// mostWidth bounds what the search proposes.
const mostWidth = 1 << 20

// normalised returns the error of a network as it would be with a budget's look-up tables: over data sets and sizes
// that we have measured (docs/RESULTS.md), twice the look-up tables leave about four fifths of the errors.
func normalised(wrong float64, cells int, budget float64) float64 {
	return wrong * math.Pow(float64(max(cells, 1))/budget, 0.32)
}
