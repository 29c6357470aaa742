package wrapper

import (
	"cmp"
	"math"

	"ialgn/netlist"
)

// Rate is the throughput and the latency of a wrapper with its default parameters.
//
// The latency is counted in clocks. It begins at the clock edge that takes the first word of a sample, and ends at
// the first edge that can take the result, or its last byte if its bytes are given one after another. This value is
// right if no other sample is being processed and words come in every clock. For a serial line and SPI, no latency is
// reported, because the other side determines the pace.
type Rate struct {
	Kind             string  `json:"kind"`
	SampleBytes      int     `json:"sample_bytes,omitempty"` // 0 for stream, which takes words
	ResultBytes      int     `json:"result_bytes,omitempty"`
	Cycles           float64 `json:"cycles"` // lower bound on the average number of clocks from one sample to the next
	Latency          int     `json:"latency_cycles,omitempty"`
	MHz              float64 `json:"clock_mhz,omitempty"` // clock frequency, if given
	SamplesPerSecond float64 `json:"samples_per_second,omitempty"`
}

// NewRate returns the rate of a wrapper of the given kind ([Kinds]). The clock is o.ClockHz, or the default of a
// serial line. NewRate returns the errors of the kind's write function.
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
	cycles, reply := k.Cycles(d, b, o), 1
	if k.Reply != nil {
		reply = k.Reply(b)
	}
	between := float64(reply + 1) // clocks from one result to the next, at least
	r := &Rate{Kind: kind, Cycles: max(float64(cycles), between)}
	if k.Bytes {
		r.SampleBytes, r.ResultBytes = b.words, b.resultBytes()
	}
	if !k.Paced {
		r.Latency = cycles + d.stages + reply - 1
	}
	switch {
	case o.Engine == nil:
	case k.Paced:
		r.Cycles = max(r.Cycles, o.Engine.Cycles)
	default: // the engine's own loader determines the rate
		r.Cycles, r.Latency = max(o.Engine.Cycles, between), o.Engine.Latency+reply-1
	}
	if k.Baud {
		o.ClockHz, _ = o.Line()
	}
	if o.ClockHz > 0 {
		r.MHz, r.SamplesPerSecond = float64(o.ClockHz)/1e6, float64(o.ClockHz)/r.Cycles
	}
	return r, nil
}

// beats returns the number of clocks in which the loader takes the given number of units and passes them on. Passing
// the units on takes one of these clocks.
func beats(units, beat int) int { return (units+beat-1)/beat + 1 }

// Line returns the clock and the bit rate of a serial line.
func (o Options) Line() (hz, baud int) {
	return cmp.Or(o.ClockHz, defaultClockHz), cmp.Or(o.Baud, defaultBaud)
}

// LineOptions returns options with a clock and a bit rate. The clock is the board's clock or, if b is nil, mhz. If
// mhz or baud is 0, the default applies.
func LineOptions(mhz float64, baud int, b *Board) Options {
	if b != nil {
		return Options{ClockHz: b.ClockHz, Baud: baud}
	}
	return Options{ClockHz: int(math.Round(mhz * 1e6)), Baud: baud}
}
