package verify_test

import (
	"context"
	"fmt"
	"log"

	"ialgn/compiler"
	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/netlist"
)

// The example freezes and optimises a network, and compares it with the trainer's own forward pass. Then it breaks a
// gate of the product.
func Example() {
	ctx := context.Background()
	f := netgen.Model(netgen.ModelOptions{Seed: 1}).Freeze()
	raw, err := freeze.Network(f, netlist.Core)
	if err != nil {
		log.Fatal(err)
	}
	product, _, err := compiler.Optimise(ctx, raw, compiler.LevelRepeat)
	if err != nil {
		log.Fatal(err)
	}
	levels := netgen.Samples(&f.Encoder, 100, len(f.Classes), 1)
	samples := verify.Samples{Levels: levels, Words: encoding.NewPacked(f.Encoder.Features(), f.Encoder.BitsIn)}

	d := verify.Design{Model: f, Raw: raw, Product: product}
	r, err := software.Check(ctx, d, samples, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Checked, "samples,", r.HiddenBits, "hidden bits,", r.Mismatches, "differences")

	d.Product = breakFirst(product)
	if r, err = software.Check(ctx, d, samples, 1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.First[0])
	// Output:
	// 100 samples, 15000 hidden bits, 0 differences
	// sample 0: optimised netlist: class 2, the trainer says 0 (layer 1, gate 0)
}

// breakFirst inverts the first gate of the netlist.
func breakFirst(n *netlist.Netlist) *netlist.Netlist {
	c := netlist.NewCopier(n)
	c.Copy(0)
	c.Set(n.Output(0), c.Function(0b01, n.Origin(0), c.To(n.Output(0))))
	for i := netlist.Cell(1); int(i) < n.Cells(); i++ {
		c.Copy(i)
	}
	return c.Finish()
}
