package software

import (
	"fmt"

	"ialgn/internal/model"
	"ialgn/internal/verify"
	"ialgn/netlist"
	"ialgn/sim"
)

// countsOutput compares the output port of the class counts with the trainer's counts. It skips the port if it
// consists of the nets of the probes, because the probes are compared elsewhere.
func countsOutput(d verify.Design, s verify.Samples, want *model.Scores, r *Result) error {
	port, ok := verify.CountsPort(d.Product)
	if !ok {
		return nil
	}
	flat, _, err := netlist.Transparent(d.Product)
	if err != nil || verify.CheckCounts(flat) == nil {
		return err
	}
	if len(port.Nets) != want.Classes*port.Word { // Comparable reports the difference
		return nil
	}
	return simulatePort(d, s, port, verify.Trainers(want, port), r)
}

// simulatePort compares the bits of an output port with their expected values.
func simulatePort(d verify.Design, s verify.Samples, port netlist.Port, value func(sample, bit int) uint64,
	r *Result,
) error {
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	block := simulator.Block() * 64
	for from := 0; from < r.Checked; from += block {
		to := min(from+block, r.Checked)
		words := (to - from + 63) / 64
		x, err := s.Range(&d.Model.Encoder, d.Input(), words, from, to)
		if err != nil {
			return err
		}
		if err := simulator.Settle(words, x); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			for bit, v := range port.Nets {
				if got := simulator.Net(v)[(i-from)/64] >> ((i - from) % 64) & 1; got != value(i, bit) {
					r.Add(verify.Mismatch{
						Sample: i, Gate: -1,
						What: fmt.Sprintf("optimised netlist: %s[%d] is %d, the trainer says %d", port.Name, bit, got,
							value(i, bit)),
					})
				}
			}
		}
	}
	return nil
}
