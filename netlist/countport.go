package netlist

import (
	"fmt"
	"slices"
)

// CountsPort is the name of the output port that [WithCounts] adds.
const CountsPort = "counts"

// WithCounts returns n with the class counts as an additional output port, named counts, after the other ports. The
// port has one word for each class, beginning with class 0 in the lowest bits. The words are labelled with the class
// names. The nets of the port are the nets of the probes count_0, count_1 and so on. These probes stay.
//
// The result shares its cells with n, so the call costs almost nothing. WithCounts returns an error if n does not
// have one count probe for each class, all of the same width. Package freeze makes these probes for the scopes
// [Core] and [Full].
func WithCounts(n *Netlist, classes []string) (*Netlist, error) {
	port := Port{Name: CountsPort}
	for c, class := range classes {
		name := fmt.Sprintf("count_%d", c)
		i := slices.IndexFunc(n.probes, func(p Port) bool { return p.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("netlist %q has no %s to make an output port of: use the scope core or full", shorten(n.Name),
				name)
		}
		count := n.probes[i].Nets
		if c > 0 && len(count) != port.Word {
			return nil, fmt.Errorf("netlist %q: %s has %d bits, count_0 has %d, need the same", shorten(n.Name), name,
				len(count), port.Word)
		}
		port.Word = len(count)
		port.Nets = append(port.Nets, count...)
		port.Labels = append(port.Labels, "count of class "+class)
	}
	with := *n
	with.outputs = append(slices.Clip(n.outputs), port)
	return &with, nil
}
