package verify

import (
	"fmt"
	"slices"

	"ialgn/netlist"
	"ialgn/sim"
	"ialgn/trainer/model"
)

// comparePorts holds what the optimised netlist says of its ports to the raw netlist:
// names, widths, words and the meaning of each word, which tell a user what to wire
// where. It reports whether the ports have the same names and sizes, without which bits of the two
// cannot be compared.
func comparePorts(direction string, raw, product []netlist.Port, r *SoftwareResult) (same bool) {
	differ := func(format string, args ...any) {
		r.add(Mismatch{-1, 0, -1, "optimised netlist: " + fmt.Sprintf(format, args...)})
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

// comparable compares all ports and probes of both netlists.
func (d Design) comparable(r *SoftwareResult) bool {
	in := comparePorts("input", d.Raw.DataInputs(), d.Product.DataInputs(), r)
	out := comparePorts("output", d.Raw.OutputPorts(), d.Product.OutputPorts(), r)
	return comparePorts("probe", d.Raw.Probes(), d.Product.Probes(), r) && in && out
}

// checkCounts checks that the output port of the counts, if there is one, is made of the nets of
// the probes, in their order. n has no registers.
func checkCounts(n *netlist.Netlist) error {
	port, ok := countsPort(n)
	if !ok {
		return nil
	}
	var all []netlist.Net
	for _, p := range n.Probes() {
		if p.Name == fmt.Sprintf("count_%d", len(all)/port.Word) {
			all = append(all, p.Nets...)
		}
	}
	if !slices.Equal(all, port.Nets) {
		return fmt.Errorf("the output port %s is not made of the probes count_0 and so on", port.Name)
	}
	return nil
}

func countsPort(n *netlist.Netlist) (netlist.Port, bool) {
	i := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == netlist.CountsPort })
	if i < 0 {
		return netlist.Port{}, false
	}
	return n.OutputPorts()[i], true
}

// countsOutput compares the output port of the counts with the trainer's. Where it has the nets of
// the probes, which are compared anyhow, that is all there is to see.
func (d Design) countsOutput(s Samples, want *model.Scores, r *SoftwareResult) error {
	port, ok := countsPort(d.Product)
	if !ok {
		return nil
	}
	flat, _, err := netlist.Transparent(d.Product)
	if err != nil || checkCounts(flat) == nil {
		return err
	}
	if len(port.Nets) != want.Classes*port.Word { // which comparePorts says
		return nil
	}
	return d.simulatePort(s, port, trainers(want, port), r)
}

// simulatePort compares the bits of an output port with their values.
func (d Design) simulatePort(s Samples, port netlist.Port, value func(sample, bit int) uint64,
	r *SoftwareResult,
) error {
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	block := simulator.Block() * 64
	for from := 0; from < r.Checked; from += block {
		to := min(from+block, r.Checked)
		words := (to - from + 63) / 64
		x, err := s.rows(&d.Model.Encoder, d.input(), words, from, to)
		if err != nil {
			return err
		}
		if err := simulator.Settle(words, x); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			for bit, v := range port.Nets {
				if got := simulator.Net(v)[(i-from)/64] >> ((i - from) % 64) & 1; got != value(i, bit) {
					r.add(Mismatch{i, 0, -1, fmt.Sprintf("optimised netlist: %s[%d] is %d, the trainer says %d", port.Name, bit, got,
						value(i, bit))})
				}
			}
		}
	}
	return nil
}
