package compiler_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"ialgn/compiler"
	"ialgn/netlist"
)

// The first gate copies its first input, and the second gate is an inverter. Both disappear into the third gate.
func ExampleOptimise() {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 2, 1, nil)
	h := b.Function(netlist.Table(3, 2), netlist.Origin{Layer: 1}, x[0], x[1]) // A
	h = b.Function(netlist.Table(12, 2), netlist.Origin{Layer: 2}, h, x[1])    // NOT A
	h = b.Function(netlist.Table(1, 2), netlist.Origin{Layer: 3}, h, x[1])     // AND
	b.Output("h", 1, nil, []netlist.Net{h})

	n, passes, err := compiler.Optimise(context.Background(), b.Netlist(), compiler.LevelSweep)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range passes {
		fmt.Printf("%-12s %d -> %d\n", p.Name, p.Before, p.After)
	}
	if err := netlist.WriteText(os.Stdout, n); err != nil {
		log.Fatal(err)
	}
	// Output:
	// constants    3 -> 3
	// pass-through 3 -> 2
	// inverters    2 -> 1
	// hashing      1 -> 1
	// dead         1 -> 1
	// ialgn netlist 1
	// name tiny
	// input x word 1
	//   2 3
	// cells
	//   4 = function(0x4) 2 3 @3.0
	// output h word 1
	//   4
	// end
}
