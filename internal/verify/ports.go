package verify

import (
	"fmt"
	"slices"

	"ialgn/netlist"
)

// CheckCounts checks the output port of the counts, if there is one. Its nets must be the nets of the probes count_0,
// count_1, … in this order. n must have no registers.
func CheckCounts(n *netlist.Netlist) error {
	port, ok := CountsPort(n)
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

// CountsPort returns the output port of the counts, if there is one.
func CountsPort(n *netlist.Netlist) (netlist.Port, bool) {
	i := slices.IndexFunc(n.OutputPorts(), func(p netlist.Port) bool { return p.Name == netlist.CountsPort })
	if i < 0 {
		return netlist.Port{}, false
	}
	return n.OutputPorts()[i], true
}
