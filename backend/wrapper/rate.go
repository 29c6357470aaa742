package wrapper

import (
	"fmt"

	"ialgn/netlist"
)

// Rate is how fast a wrapper can take samples one after the other, with the parameters that it
// is written with.
type Rate struct {
	Kind             string  `json:"kind"`
	SampleBytes      int     `json:"sample_bytes,omitempty"` // none with stream, which takes words
	ResultBytes      int     `json:"result_bytes,omitempty"`
	Cycles           int     `json:"cycles"`              // clocks from one sample to the next, at least
	MHz              float64 `json:"clock_mhz,omitempty"` // the clock that was named
	SamplesPerSecond float64 `json:"samples_per_second,omitempty"`
}

// spiHalf are the clocks of half a period of sck, at least.
const spiHalf = 4

// NewRate returns the rate of a wrapper of a kind: stream, axis, uart or spi. A clock is named
// by ClockHz, or by the default of a serial line. It returns the errors of the functions that
// write.
func NewRate(kind string, n *netlist.Netlist, o Options) (*Rate, error) {
	words := o
	words.Beat = 0
	d, err := newDesign(n, words, kind)
	if err != nil {
		return nil, err
	}
	b := d.asBytes()
	r := &Rate{Kind: kind, SampleBytes: b.words, ResultBytes: b.resultBytes()}
	beats := func(units, beat int) int { return (units+beat-1)/beat + 1 }
	switch kind {
	case "stream":
		r.SampleBytes, r.ResultBytes = 0, 0
		r.Cycles = beats(d.words, max(1, o.Beat))
	case "axis":
		if o.Beat == 0 {
			o.Beat = axisBytes
		}
		r.Cycles = beats(b.words, o.Beat)
	case "uart":
		o = o.withRate()
		clocks := (o.ClockHz + o.Baud/2) / o.Baud
		r.Cycles = max(10*clocks*r.SampleBytes, (10*clocks+1)*r.ResultBytes) // the transmitter has a clock between bytes
	case "spi":
		frame := 1 + max(r.SampleBytes, r.ResultBytes)
		r.Cycles = 2*spiHalf*8*frame + 2*spiHalf // cs_n after the last edge, and at 1
	default:
		return nil, fmt.Errorf("wrapper %q: no such wrapper, give stream, axis, uart or spi", kind)
	}
	if o.ClockHz > 0 {
		r.MHz, r.SamplesPerSecond = float64(o.ClockHz)/1e6, float64(o.ClockHz)/float64(r.Cycles)
	}
	return r, nil
}

// withRate returns the options with the clock and the rate of a serial line filled in.
func (o Options) withRate() Options {
	if o.ClockHz == 0 {
		o.ClockHz = defaultClockHz
	}
	if o.Baud == 0 {
		o.Baud = defaultBaud
	}
	return o
}
