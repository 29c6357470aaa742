package netlist_test

import (
	"fmt"
	"os"
	"strings"

	"gonum.org/v1/gonum/graph/topo"

	"ialgn/netlist"
)

// This example builds a half adder by hand and writes it as text.
func Example() {
	b := netlist.NewBuilder("half_adder")
	x := b.Input("x", 2, 1, []string{"a", "b"})
	sum := b.Function(0b0110, netlist.Origin{}, x...)
	carry := b.Function(0b1000, netlist.Origin{}, x...)
	b.Output("y", 1, []string{"sum", "carry"}, []netlist.Net{sum, carry})
	n := b.Netlist()
	if err := n.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	if err := netlist.WriteText(os.Stdout, n); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ialgn netlist 1
	// name half_adder
	// input x word 1
	//   "a" 2
	//   "b" 3
	// cells
	//   4 = function(0x6) 2 3
	//   5 = function(0x8) 2 3
	// output y word 1
	//   "sum" 4
	//   "carry" 5
	// end
}

func ExampleParseText() {
	const text = `
		ialgn netlist 1
		name majority
		input x word 1
		  2 3 4
		cells
		  5 = carry 2 3 4   # of a full adder
		output y word 1
		  5
		end`
	n, err := netlist.ParseText("majority.netlist", strings.NewReader(text))
	fmt.Println(n.Cells(), n.Kind(0), n.Inputs(0), err)

	_, err = netlist.ParseText("majority.netlist", strings.NewReader(strings.Replace(text, "2 3 4  ", "2 3 5  ", 1)))
	fmt.Println(err)
	// Output:
	// 1 carry [2 3 4] <nil>
	// majority.netlist:7:19: the cell reads net 5, which is not driven before net 5: put cells in topological order
}

// A pass is a function that copies one netlist into another. This pass removes buffers.
func ExampleCopier() {
	b := netlist.NewBuilder("buffered")
	x := b.Input("x", 1, 1, nil)
	buffer := b.Function(0b10, netlist.Origin{}, x[0])
	b.Output("y", 1, nil, []netlist.Net{b.Function(0b01, netlist.Origin{}, buffer)})
	old := b.Netlist()

	c := netlist.NewCopier(old)
	for i := range netlist.Cell(old.Cells()) {
		if in := old.Inputs(i); old.Kind(i) == netlist.Function && len(in) == 1 && old.Param(i) == 0b10 {
			c.Set(old.Output(i), c.To(in[0]))
			continue
		}
		c.Copy(i)
	}
	fmt.Println(old.Cells(), "->", c.Finish().Cells())
	// Output:
	// 2 -> 1
}

// This example lists the cells in an order that gonum finds.
func ExampleGraph() {
	b := netlist.NewBuilder("chain")
	x := b.Input("x", 2, 1, nil)
	and := b.Function(0b1000, netlist.Origin{}, x...)
	b.Output("y", 1, nil, []netlist.Net{b.Function(0b1000, netlist.Origin{}, and, x[0])})
	order, err := topo.Sort(netlist.NewGraph(b.Netlist()))
	for _, v := range order {
		fmt.Print(v.(netlist.Node).DOTID(), " ")
	}
	fmt.Println(err)
	// Output:
	// in_x c0 c1 out_y <nil>
}
