package rtl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"ialgn/internal/verify"
	"ialgn/netlist"
	"ialgn/sim"
)

// These are the names of the file with the tracing module, and of the file into which this module writes the values
// of all wires.
const (
	traceName = "trace.v"
	dumpFile  = "trace.vcd"
)

// traceModule is a second top module next to the testbench.
const traceModule = `module %[1]s_trace;
  initial begin
    $dumpfile("` + dumpFile + `");
    $dumpvars(1, %[1]s_tb.dut);
  end
endmodule
`

// blameRTL simulates the first wrong sample again, in iverilog with a dump of all wires. It names the first gate
// whose wire differs from our simulator. A pipeline's testbench holds the sample at the end of the run, so that all
// stages contain this sample. blameRTL names no gate if iverilog is missing or if no gate's wire differs.
func blameRTL(ctx context.Context, d verify.Design, s verify.Samples, f Files, dir string, r *Run) error {
	index := []int32{int32(r.First[0].Sample)}
	if err := writeVectors(d, s, index, nil, filepath.Join(dir, vectorsName)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, traceName), fmt.Appendf(nil, traceModule, f.Module), 0o666); err != nil {
		return err
	}
	sources, err := f.sources(dir)
	if err != nil {
		return err
	}
	tops := []string{f.Module + "_tb", f.Module + "_trace"}
	if _, err := (Simulation{
		Dir: dir, Sources: append(sources, traceName), Tops: tops, vectors: vectorsName,
		Count: 1,
	}).Iverilog(ctx); err != nil {
		return ctx.Err() // the difference is reported without a gate
	}
	dump, err := os.Open(filepath.Join(dir, dumpFile))
	if err != nil {
		return nil
	}
	defer dump.Close()
	wires, err := readDump(dump)
	if err != nil {
		return err
	}
	if f.part { // wires outside the part have no driver
		maps.DeleteFunc(wires, func(_, value string) bool { return value == "z" })
	}
	return firstWrong(d, s, index, wires, r)
}

// firstWrong names the first cell whose wire has a wrong value for the sample.
func firstWrong(d verify.Design, s verify.Samples, index []int32, wires map[string]string, r *Run) error {
	simulator, err := sim.NewBlock(d.Product, 1)
	if err != nil {
		return err
	}
	in, err := inputRows(d, s, 1, index, 0)
	if err != nil {
		return err
	}
	if err := simulator.Settle(1, in...); err != nil {
		return err
	}
	values := gateWires(d.Product, wires)
	for c := range netlist.Cell(d.Product.Cells()) {
		want := strconv.FormatUint(simulator.Net(d.Product.Output(c))[0]&1, 2)
		if got, ok := values[c]; !ok || got == want {
			continue
		}
		o := d.Product.Origin(c)
		for i := range r.First {
			r.First[i].Layer, r.First[i].Gate = int(o.Layer), verify.GateOf(o)
		}
		return nil
	}
	return nil
}

// gateWire matches the name of a gate's wire. The name has the class, the chain and the layer. If several cells come
// from the gate, the name also has the number of the cell. The header of the Verilog describes this form.
var gateWire = regexp.MustCompile(`^(?:c\d+_)?k(\d+)_l(\d+)(?:_n(\d+))?$`)

// gateWires returns the values of the cells' wires.
func gateWires(n *netlist.Netlist, wires map[string]string) map[netlist.Cell]string {
	first := map[netlist.Origin]netlist.Cell{}
	for c := range netlist.Cell(n.Cells()) {
		if _, ok := first[n.Origin(c)]; !ok {
			first[n.Origin(c)] = c
		}
	}
	values := map[netlist.Cell]string{}
	for name, value := range wires {
		m := gateWire.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		chain, _ := strconv.ParseUint(m[1], 10, 32)
		layer, _ := strconv.ParseUint(m[2], 10, 16)
		c, ok := first[netlist.Origin{Layer: uint16(layer), Chain: uint32(chain)}]
		if m[3] != "" {
			cell, err := strconv.ParseUint(m[3], 10, 32)
			c, ok = netlist.Cell(cell), err == nil && int(cell) < n.Cells()
		}
		if ok {
			values[c] = value
		}
	}
	return values
}

// readDump returns the last values of the single-bit wires in a VCD file (IEEE 1364-2001, clause 18) with one
// scope.
func readDump(r io.Reader) (map[string]string, error) {
	names := map[string][]string{} // names of the wires that share an identifier code
	values := map[string]string{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if f := strings.Fields(line); len(f) >= 5 && f[0] == "$var" && f[2] == "1" {
			names[f[3]] = append(names[f[3]], f[4])
		} else if len(line) > 1 && strings.ContainsRune("01xz", rune(line[0])) {
			for _, name := range names[line[1:]] {
				values[name] = line[:1]
			}
		}
	}
	return values, lines.Err()
}
