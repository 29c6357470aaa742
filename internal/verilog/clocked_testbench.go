package verilog

import (
	_ "embed" // templates
	"fmt"

	"ialgn/netlist"
)

// depth returns the array range of a port's expected values. In a pipeline, there is one value for each stage.
func (t testbench) depth() string {
	if t.clock == nil {
		return ""
	}
	return fmt.Sprintf(" [0:%d]", t.last())
}

// last returns the latest stage. It is the stage of the outputs, or the stage of a later probe.
func (t testbench) last() int {
	last := t.clock.Stages
	for _, p := range t.groups[probes].ports {
		last = max(last, t.stageOf(p))
	}
	return last
}

// want returns the expected value of a port. In a pipeline, it is the value for the sample in the given stage.
func (t testbench) want(p netlist.Port, stage int) string {
	if t.clock == nil {
		return "tb_want_" + p.Name
	}
	return fmt.Sprintf("tb_want_%s[%d]", p.Name, stage)
}

// WantedBit returns a Verilog expression for a bit that the testbench of a module expects at an output port or
// probe. The expression can be used by another module in the same simulation. In a pipeline, the bit belongs to the
// sample that is in the given stage between two clock edges. Without a clock, it belongs to the sample at the
// inputs.
func WantedBit(n *netlist.Netlist, module, port string, bit, stage int) string {
	if p, err := n.Pipeline(); err != nil || p == nil {
		return fmt.Sprintf("%s_tb.tb_want_%s[%d]", module, port, bit)
	}
	return fmt.Sprintf("%s_tb.tb_want_%s[%d][%d]", module, port, stage, bit)
}

// wrong returns the signal that records a difference.
func (t testbench) wrong(stage int) string {
	if t.clock == nil {
		return "tb_differs"
	}
	return fmt.Sprintf("tb_bad[%d]", stage)
}

// clockDeclarations declares the signals that only a pipeline's testbench has.
//
//go:embed templates/testbench_clock.v
var clockDeclarations string

// clockedHoles returns the values of a pipeline's template marks. On average, there is one reset in the time of 64
// samples, so that most samples are not lost. After the last sample, the testbench runs for the time of one more
// sample. In this time, no result may come.
func (t testbench) clockedHoles() map[string]func() {
	last, out := t.last(), t.clock.Stages
	holes := t.holes()
	holes["LAST"] = t.put(last)
	holes["DEPTH"] = t.put(last + 1)
	holes["OUT"] = t.put(out)
	holes["CLOCK"] = func() { t.fill(clockDeclarations, holes) }
	holes["UNKNOWN"] = t.unknownInputs
	holes["RESETS"] = t.put((1 << 24) / (64 * (out + 1)))
	holes["SHOWN"] = t.put(maxShown)
	holes["COMPARE"] = t.compareStages
	holes["MOVE"] = t.moveWanted
	holes["QUIET"] = t.put(2*last + 2)
	return holes
}

// unknownInputs writes statements that set all inputs to unknown.
func (t testbench) unknownInputs() {
	for _, p := range t.groups[inputs].ports {
		t.printf("        %s = %d'bx;\n", p.Name, len(p.Nets))
	}
}

// compareStages writes comparisons with the expected values, for the outputs and probes before a clock edge.
func (t testbench) compareStages() {
	t.compareAll(func(p netlist.Port, signal string) {
		stage := t.clock.Stages
		if signal != p.Name {
			stage = t.stageOf(p)
		}
		t.compareSignal(signal, p, stage)
	})
}

// moveWanted writes the statements that move the expected values on by one stage.
func (t testbench) moveWanted() {
	last := t.last()
	for _, g := range t.groups[outputs:] {
		for _, p := range g.ports {
			t.printf("        tb_want_%[1]s[tb_stage] = tb_want_%[1]s[tb_stage-1];\n", p.Name)
		}
	}
	t.text("      end\n")
	for _, name := range []string{"tb_valid", "tb_bad"} {
		if last == 0 {
			t.printf("      %s = 1'b0;\n", name)
		} else {
			t.printf("      %s = {%[1]s[%d:0], 1'b0};\n", name, last-1)
		}
	}
}
