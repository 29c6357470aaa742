package software

import (
	"fmt"

	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/sim/verify"
	"ialgn/sim/verify/cut"
	"ialgn/sim/verify/expected"
	"ialgn/trainer/model"
)

// comparePorts holds what the optimised netlist says of its ports to the raw netlist:
// names, widths, words and the meaning of each word, which tell a user what to wire
// where. It reports whether the ports have the same names and sizes, without which bits of the two
// cannot be compared.
func comparePorts(direction string, raw, product []netlist.Port, r *Result) (same bool) {
	differ := func(format string, args ...any) {
		r.Add(verify.Mismatch{Sample: -1, Gate: -1, What: "optimised netlist: " + fmt.Sprintf(format, args...)})
	}
	if len(raw) != len(product) {
		differ("%d %s ports, the model has %d", len(product), direction, len(raw))
		return false
	}
	same = true
	for i, want := range raw {
		got := product[i]
		if got.Name != want.Name || len(got.Nets) != len(want.Nets) || got.Word != want.Word ||
			len(got.Labels) != len(want.Labels) {
			differ("%s port %s of %d bits in words of %d, the model has %s of %d in words of %d",
				direction, got.Name, len(got.Nets), got.Word, want.Name, len(want.Nets), want.Word)
			same = false
			continue
		}
		for k, label := range want.Labels {
			if got.Labels[k] != label {
				differ("%s port %s: word %d is called %q, the model says %q", direction, got.Name, k, got.Labels[k], label)
			}
		}
	}
	return same
}

// Comparable compares all ports and probes of both netlists.
func Comparable(d verify.Design, r *Result) bool {
	in := comparePorts("input", d.Raw.DataInputs(), d.Product.DataInputs(), r)
	out := comparePorts("output", d.Raw.OutputPorts(), d.Product.OutputPorts(), r)
	return comparePorts("probe", d.Raw.Probes(), d.Product.Probes(), r) && in && out
}

// countsOutput compares the output port of the class counts with the trainer's counts. If the port consists of the
// nets of the probes, that is already done.
func countsOutput(d verify.Design, s verify.Samples, want *model.Scores, r *Result) error {
	port, ok := cut.CountsPort(d.Product)
	if !ok {
		return nil
	}
	flat, _, err := netlist.Transparent(d.Product)
	if err != nil || cut.CheckCounts(flat) == nil {
		return err
	}
	if len(port.Nets) != want.Classes*port.Word { // comparePorts reports the difference
		return nil
	}
	return simulatePort(d, s, port, expected.Trainers(want, port), r)
}

// simulatePort compares the bits of an output port with their values.
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
