package software

import (
	"fmt"
	"slices"

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
	return simulatePort(d, s, "optimised netlist", d.Product, port, verify.Trainers(want, d.Margin, port), r)
}

// uncertainOutput compares the output port uncertain of both netlists with the lead of the trainer's largest count.
func uncertainOutput(d verify.Design, s verify.Samples, want *model.Scores, r *Result) error {
	for _, of := range []struct {
		what string
		n    *netlist.Netlist
	}{{"raw netlist", d.Raw}, {"optimised netlist", d.Product}} {
		i := slices.IndexFunc(of.n.OutputPorts(), func(p netlist.Port) bool { return p.Name == netlist.UncertainPort })
		switch {
		case i < 0 && d.Margin == 0:
			continue
		case i < 0 || d.Margin == 0:
			r.Add(verify.Mismatch{
				Sample: -1, Gate: -1, What: fmt.Sprintf("%s: the margin is %d, and it has %d bits of the output %s", of.what,
					d.Margin, min(i+1, 1), netlist.UncertainPort),
			})
			continue
		}
		port := of.n.OutputPorts()[i]
		if err := simulatePort(d, s, of.what, of.n, port, verify.Trainers(want, d.Margin, port), r); err != nil {
			return err
		}
	}
	return nil
}

// simulatePort compares the bits of an output port of n with their expected values.
func simulatePort(d verify.Design, s verify.Samples, what string, n *netlist.Netlist, port netlist.Port,
	value func(sample, bit int) uint64, r *Result,
) error {
	simulator, err := sim.New(n)
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
						What: fmt.Sprintf("%s: %s[%d] is %d, the trainer says %d", what, port.Name, bit, got, value(i, bit)),
					})
				}
			}
		}
	}
	return nil
}
