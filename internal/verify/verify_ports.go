package verify

import (
	"fmt"

	"ialgn/netlist"
)

// comparePorts compares the ports of the optimised netlist with the ports of the raw netlist. It compares names,
// widths, words and the label of each word, because users wire the circuit by these labels. It reports whether names
// and sizes are equal. If they are not, the bits of the two netlists cannot be compared.
func comparePorts(direction string, raw, product []netlist.Port, f *Findings) (same bool) {
	differ := func(format string, args ...any) {
		f.Add(Mismatch{Sample: -1, Gate: -1, What: "optimised netlist: " + fmt.Sprintf(format, args...)})
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

// Comparable compares all ports and probes of both netlists, and adds the differences to f. It reports whether
// names and sizes are equal.
func (d Design) Comparable(f *Findings) bool {
	in := comparePorts("input", d.Raw.DataInputs(), d.Product.DataInputs(), f)
	out := comparePorts("output", d.Raw.OutputPorts(), d.Product.OutputPorts(), f)
	return comparePorts("probe", d.Raw.Probes(), d.Product.Probes(), f) && in && out
}
