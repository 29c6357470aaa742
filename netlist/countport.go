package netlist

import (
	"fmt"
	"slices"
)

// CountsPort is the name of the output port that [WithCounts] adds.
const CountsPort = "counts"

// WithCounts returns n with the class counts as an output port, counts, behind the others: a
// word for each class, that of the first class lowest, made of the nets of the probes count_0,
// count_1 and so on, which stay. The words are labelled with the classes' names.
//
// It shares the cells with n and costs nothing. It returns an error if n has no counts, as
// many as there are classes and all of the same width: that is what package freeze makes for the
// scopes [Core] and [Full].
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
