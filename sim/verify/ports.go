package verify

import (
	"fmt"

	"ialgn/netlist"
)

// comparePorts holds what the optimised netlist says of its ports to the raw netlist:
// names, widths, words and the meaning of each word, which tell a user what to wire
// where.
func comparePorts(direction string, raw, product []netlist.Port, r *SoftwareResult) {
	differ := func(format string, args ...any) {
		r.add(Mismatch{-1, 0, -1, "optimised netlist: " + fmt.Sprintf(format, args...)})
	}
	if len(raw) != len(product) {
		differ("%d %s ports, the model has %d", len(product), direction, len(raw))
		return
	}
	for i, want := range raw {
		got := product[i]
		if got.Name != want.Name || len(got.Nets) != len(want.Nets) || got.Word != want.Word || len(got.Labels) != len(want.Labels) {
			differ("%s port %s of %d bits in words of %d, the model has %s of %d in words of %d",
				direction, got.Name, len(got.Nets), got.Word, want.Name, len(want.Nets), want.Word)
			continue
		}
		for k, label := range want.Labels {
			if got.Labels[k] != label {
				differ("%s port %s: word %d is called %q, the model says %q", direction, got.Name, k, got.Labels[k], label)
			}
		}
	}
}
