package freeze_test

import (
	"fmt"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// This example freezes a network of 30 chains and 5 layers in each scope.
func ExampleNetwork() {
	f := netgen.Frozen(1, netgen.FrozenOptions{Width: 30, Depth: 5, Classes: 3})
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		n, err := freeze.Network(f, scope)
		if err != nil {
			fmt.Println(err)
			return
		}
		m := netlist.Measure(n)
		x, y := n.InputPorts()[0], n.OutputPorts()[0]
		fmt.Printf("%v: %d gates, %d cells, %s[%d] -> %s[%d]\n",
			scope, m.Cells.Gates, m.Cells.Total, x.Name, len(x.Nets), y.Name, len(y.Nets))
	}
	// Output:
	// gates: 150 gates, 150 cells, x[18] -> h[30]
	// core: 150 gates, 154 cells, x[18] -> class_index[2]
	// full: 150 gates, 172 cells, x[48] -> class_index[2]
}
