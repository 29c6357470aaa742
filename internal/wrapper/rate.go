package wrapper

import (
	"cmp"
	"math"

	"ialgn/netlist"
)

// Rate is how fast a wrapper can take samples one after the other, and how soon it gives a result,
// with the parameters that it is written with.
//
// The latency is that of a sample that comes when no other is on its way and whose words follow
// each other in every clock: the clocks from the edge that takes its first word to the first edge
// that can take the result. A serial line and SPI have none: there the other side decides how
// fast the bits come.
type Rate struct {
	Kind             string  `json:"kind"`
	SampleBytes      int     `json:"sample_bytes,omitempty"` // 0 for stream, which takes words
	ResultBytes      int     `json:"result_bytes,omitempty"`
	Cycles           float64 `json:"cycles"` // clocks from one sample to the next, at least, on average
	Latency          int     `json:"latency_cycles,omitempty"`
	MHz              float64 `json:"clock_mhz,omitempty"` // the clock that was named
	SamplesPerSecond float64 `json:"samples_per_second,omitempty"`
}

// NewRate returns the rate of a wrapper of a kind ([Kinds]). A clock is named
// by ClockHz, or by the default of a serial line. It returns the errors of the functions that
// write.
func NewRate(kind string, n *netlist.Netlist, o Options) (*Rate, error) {
	k, err := Find(kind)
	if err != nil {
		return nil, err
	}
	words := o
	words.Beat = 0
	d, err := newDesign(n, words, k)
	if err != nil {
		return nil, err
	}
	b := d.asBytes()
	cycles := k.Cycles(d, b, o)
	r := &Rate{Kind: kind, Cycles: float64(cycles)}
	if k.Bytes {
		r.SampleBytes, r.ResultBytes = b.words, b.resultBytes()
	}
	if !k.Paced {
		r.Latency = cycles + d.stages
	}
	switch {
	case o.Engine == nil:
	case k.Paced:
		r.Cycles = max(r.Cycles, o.Engine.Cycles)
	default: // the engine's own loader takes what comes
		r.Cycles, r.Latency = o.Engine.Cycles, o.Engine.Latency
	}
	if k.Baud {
		o.ClockHz, _ = o.Line()
	}
	if o.ClockHz > 0 {
		r.MHz, r.SamplesPerSecond = float64(o.ClockHz)/1e6, float64(o.ClockHz)/r.Cycles
	}
	return r, nil
}

// beats returns the clocks of so many units, and of the one in which the loader hands them over.
func beats(units, beat int) int { return (units+beat-1)/beat + 1 }

// Line returns the clock and the rate of a serial line.
func (o Options) Line() (hz, baud int) {
	return cmp.Or(o.ClockHz, defaultClockHz), cmp.Or(o.Baud, defaultBaud)
}

// LineOptions returns options for a clock in MHz, 0 for none in particular, or for that of a board
// unless that is nil, and for a rate, 0 for the usual one.
func LineOptions(mhz float64, baud int, b *Board) Options {
	if b != nil {
		return Options{ClockHz: b.ClockHz, Baud: baud}
	}
	return Options{ClockHz: int(math.Round(mhz * 1e6)), Baud: baud}
}
