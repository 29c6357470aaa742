package sim_test

import (
	"context"
	"fmt"
	"log"

	"ialgn/netlist"
	"ialgn/sim"
)

// This example simulates a half adder. The four combinations of its inputs are four samples in one word.
func Example() {
	b := netlist.NewBuilder("half_adder")
	x := b.Input("x", 2, 1, nil)
	sum := b.Function(netlist.Table(6, 2), netlist.Origin{}, x...)
	carry := b.Function(netlist.Table(1, 2), netlist.Origin{}, x...)
	b.Output("y", 2, nil, []netlist.Net{sum, carry})

	s, err := sim.New(b.Netlist())
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Run(1, []uint64{0b1010, 0b1100}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("sum %04b, carry %04b\n", s.Net(sum)[0]&0b1111, s.Net(carry)[0]&0b1111)
	// Output: sum 0110, carry 1000
}

// This example has two classes of two chains each. The first sample sets all chains, and the second sample sets none.
func ExampleClassifier() {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 4, 1, nil)
	b.Classes([]uint16{0, 0, 1, 1})
	b.Output("h", 1, nil, []netlist.Net{x[0], x[1], x[2], b.Function(0b01, netlist.Origin{}, x[3])})

	c, err := sim.NewClassifier(b.Netlist(), 1)
	if err != nil {
		log.Fatal(err)
	}
	r, err := c.Classify(context.Background(), []uint64{0b01, 0b01, 0b01, 0b01}, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("classes", r.Class, "counts", r.Counts)
	// Output: classes [0 1] counts [2 1 0 1]
}
