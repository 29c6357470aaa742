// This file writes Verilog that clocks a design and prints its outputs. Tests use it to check that other tools read a
// format in the same way as the simulator.

package testkit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ialgn/netlist"
	"ialgn/sim"
)

// clocks is the number of clock cycles that a testbench runs.
const clocks = 20

// ClockedBench returns a testbench for a module with the name and the ports of n and an additional port clk. In each
// clock cycle the testbench applies random inputs and prints all outputs. The result want is the output of the
// testbench if the module behaves like n.
func ClockedBench(n *netlist.Netlist, r *rand.Rand) (bench, want string, err error) {
	s, err := sim.NewBlock(n, 1)
	if err != nil {
		return "", "", err
	}
	var steps, prints strings.Builder
	declare, connect, show := ports(n)
	for range clocks {
		rows := inputs(&steps, n, r)
		if err := s.Step(1, rows...); err != nil {
			return "", "", err
		}
		fmt.Fprintf(&steps, "%s clk = 1; #1 clk = 0;\n", show)
		for i, p := range n.OutputPorts() {
			if i > 0 {
				prints.WriteByte(' ')
			}
			for _, word := range slices.Backward(s.Port(p, nil)) {
				fmt.Fprint(&prints, word&1)
			}
		}
		prints.WriteByte('\n')
	}
	return fmt.Sprintf("module tb;\nreg clk;\n%s%s dut (.clk(clk)%s);\ninitial begin\nclk = 0;\n%send\nendmodule\n",
		declare, n.Name, connect, steps.String()), prints.String(), nil
}

// ports returns the declarations of the nets at the ports, the port connections, and the statement that prints the
// outputs.
func ports(n *netlist.Netlist) (declare, connect, show string) {
	var shown, formats []string
	for _, p := range n.InputPorts() {
		declare += fmt.Sprintf("reg [%d:0] %s;\n", len(p.Nets)-1, p.Name)
		connect += fmt.Sprintf(", .%s(%s)", p.Name, p.Name)
	}
	for _, p := range n.OutputPorts() {
		declare += fmt.Sprintf("wire [%d:0] %s;\n", len(p.Nets)-1, p.Name)
		connect += fmt.Sprintf(", .%s(%s)", p.Name, p.Name)
		shown, formats = append(shown, p.Name), append(formats, "%b")
	}
	return declare, connect, fmt.Sprintf("#1 $display(%q, %s);", strings.Join(formats, " "), strings.Join(shown, ", "))
}

// inputs writes assignments of random values to the input ports, and returns the values as rows.
func inputs(steps *strings.Builder, n *netlist.Netlist, r *rand.Rand) (rows [][]uint64) {
	for _, p := range n.InputPorts() {
		row, digits := make([]uint64, len(p.Nets)), ""
		for i := range row {
			row[i] = r.Uint64N(2)
			digits = fmt.Sprint(row[i]) + digits
		}
		rows = append(rows, row)
		fmt.Fprintf(steps, "%s = %d'b%s; ", p.Name, len(row), digits)
	}
	return rows
}
