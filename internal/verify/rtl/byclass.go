package rtl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ialgn/internal/names"
	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// byClass simulates the logic for each count separately. Then it simulates the logic for each output port, with the
// trainer's counts as input.
func (c *rtlCheck) byClass(ctx context.Context, r *Run) error {
	counts := c.Product.Probes()
	if len(counts) == 0 {
		return fmt.Errorf("verify: a design of scope gates has no class counts: simulate it as a whole")
	}
	text, err := os.ReadFile(c.files.Design)
	if err != nil {
		return err
	}
	source, err := parseSource(text, c.files.Module)
	if err != nil {
		return err
	}
	outputs := c.Product.OutputPorts()
	for i, p := range counts {
		progress.Count(ctx, i, len(counts)+len(outputs), "parts")
		if err := c.simulatePart(ctx, p, source.part([]string{p.Name}, nil), "", r); err != nil {
			return err
		}
	}
	wires, drivers := c.wantedCounts()
	for i, p := range outputs {
		progress.Count(ctx, len(counts)+i, len(counts)+len(outputs), "parts")
		part := source.part([]string{p.Name}, wires)
		more := ""
		for _, d := range drivers {
			if part.needs(d.wire) { // a wire that is not needed is not declared in the part
				more += d.line
			}
		}
		if err := c.simulatePart(ctx, p, part, more, r); err != nil {
			return err
		}
	}
	return nil
}

// wantedDriver is a line of Verilog that drives a wire, or one bit of a wire, with the value that the testbench
// expects.
type wantedDriver struct{ wire, line string }

// simulatePart simulates a part of the design, with additional lines in its module, and compares one bus.
func (c *rtlCheck) simulatePart(ctx context.Context, bus netlist.Port, p part, more string, r *Run) error {
	ctx, end := progress.Begin(ctx, bus.Name)
	defer end()
	dir, err := os.MkdirTemp(c.dir, "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // remove it at once, because there may be a hundred such folders
	f := c.files
	f.Design, f.part = filepath.Join(dir, designName), true
	out, err := os.Create(f.Design)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := p.write(out, more); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if err := writeSources(c.Design, f, dir, []string{bus.Name}); err != nil {
		return err
	}
	simulator := c.simulator
	if c.auto {
		if simulator, err = pick("auto", p.cells(), len(c.index)); err != nil {
			return err
		}
	}
	one := &Run{Checked: len(c.index)}
	if err := c.simulate(ctx, f, dir, filepath.Join("..", vectorsName), simulator, one); err != nil {
		return err
	}
	r.merge(one)
	return nil
}

// merge adds the result for one part to r.
func (r *Run) merge(one *Run) {
	if !strings.Contains(r.Simulator, one.Simulator) {
		r.Simulator = strings.TrimPrefix(r.Simulator+", "+one.Simulator, ", ")
	}
	r.BuildCPU += one.BuildCPU
	r.RunCPU += one.RunCPU
	r.Mismatches += one.Mismatches
	r.First = append(r.First, one.First...)
	r.First = r.First[:min(len(r.First), verify.Shown)]
}

// wantedCounts returns the wires from which the argmax reads the counts, and lines of Verilog that drive these wires.
// In each pipeline stage, the lines drive the wires with the expected counts of the sample that is in this stage.
func (c *rtlCheck) wantedCounts() (wires map[string]bool, drivers []wantedDriver) {
	n := c.Product
	wires = map[string]bool{}
	words := make([][]netlist.Net, len(n.Probes()))
	for i, p := range n.Probes() {
		words[i] = p.Nets
	}
	if c.Hint != nil && len(c.Hint.Argmaxs) == 1 && len(c.Hint.Argmaxs[0].Words) == len(words) {
		words = c.Hint.Argmaxs[0].Words
	}
	names, stages := names.New(n), n.Stages()
	seen := map[netlist.Net]bool{}
	for i, p := range n.Probes() {
		for bit, v := range words[i][:min(len(words[i]), len(p.Nets))] {
			if _, _, driven := n.Driver(v); !driven || seen[v] {
				continue
			}
			seen[v] = true
			wire := string(names.AppendNet(nil, v))
			name, _, _ := strings.Cut(wire, "[")
			wires[name] = true
			wanted := verilog.WantedBit(n, c.files.Module, p.Name, bit, max(0, int(stages[v])))
			drivers = append(drivers, wantedDriver{name, fmt.Sprintf("  assign %s = %s;\n", wire, wanted)})
		}
	}
	return wires, drivers
}
