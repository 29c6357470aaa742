package verilog

import (
	_ "embed" // templates
	"fmt"

	"ialgn/netlist"
)

// depth returns the range of what is wanted of a port: in a pipeline, of each stage's sample.
func (t testbench) depth() string {
	if t.clock == nil {
		return ""
	}
	return fmt.Sprintf(" [0:%d]", t.last())
}

// last returns the latest stage, which is that of the outputs unless a probe is later.
func (t testbench) last() int {
	last := t.clock.Stages
	for _, p := range t.groups[probes].ports {
		last = max(last, t.stageOf(p))
	}
	return last
}

// want returns what is wanted of a port, in a pipeline of the sample in the given stage.
func (t testbench) want(p netlist.Port, stage int) string {
	if t.clock == nil {
		return "tb_want_" + p.Name
	}
	return fmt.Sprintf("tb_want_%s[%d]", p.Name, stage)
}

// WantedBit returns the bit of an output port or probe that the testbench of a module wants, as
// an expression for Verilog that is simulated with it: of the sample that is in the given stage
// between two edges of the clock; without a clock, of the sample at the inputs.
func WantedBit(n *netlist.Netlist, module, port string, bit, stage int) string {
	if p, err := n.Pipeline(); err != nil || p == nil {
		return fmt.Sprintf("%s_tb.tb_want_%s[%d]", module, port, bit)
	}
	return fmt.Sprintf("%s_tb.tb_want_%s[%d][%d]", module, port, stage, bit)
}

// wrong returns the signal that notes a difference.
func (t testbench) wrong(stage int) string {
	if t.clock == nil {
		return "tb_differs"
	}
	return fmt.Sprintf("tb_bad[%d]", stage)
}

// clockDeclarations are the signals that only the testbench of a pipeline has.
//
//go:embed templates/testbench_clock.v
var clockDeclarations string

// clockedHoles returns what the templates of a pipeline leave out. A reset comes about once in 64
// times the clocks that a sample takes, so that most samples come through. After the last sample
// the testbench goes on for as long as one takes, in which nothing may come.
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

// unknownInputs writes the statements that make all inputs unknown.
func (t testbench) unknownInputs() {
	for _, p := range t.groups[inputs].ports {
		t.printf("        %s = %d'bx;\n", p.Name, len(p.Nets))
	}
}

// compareStages writes the comparisons of what stands at the outputs and the probes before a clock
// edge with what should.
func (t testbench) compareStages() {
	t.compareAll(func(p netlist.Port, signal string) {
		stage := t.clock.Stages
		if signal != p.Name {
			stage = t.stageOf(p)
		}
		t.compareSignal(signal, p, stage)
	})
}

// moveWanted writes the statements that let what is wanted move on by a stage.
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
