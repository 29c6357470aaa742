package verilog

import (
	"fmt"
	"strings"

	"ialgn/internal/names"
	"ialgn/internal/ties"
	"ialgn/netlist"
)

// header writes the comment at the top. The comment says which program made the file, what each port bit means and
// how words of the input port are computed. It also explains the conventions that a reader needs.
func (d *design) header(lines, inputs []string) {
	if d.clock == nil {
		d.comment("Module %s: a logic gate network, without state and without a clock", d.module)
	} else {
		d.comment("Module %s: a logic gate network, pipelined", d.module)
	}
	if len(lines) > 0 || d.family != nil || d.version != 0 {
		d.comment("")
	}
	for _, s := range lines {
		d.comment("- %s", netlist.Printable(s))
	}
	if d.family != nil {
		d.comment("- LUTs of the target %s; %s says what they do, for simulators", d.family.Name, d.models)
		d.comment("- written in the style lut; the style gates has operators in place of LUTs, which people read more easily")
	}
	if d.version != 0 {
		d.comment("- version word of the build %08x, also the attribute ialgn_version and the local parameter %s", d.version,
			version)
	}
	titles := [...]string{
		"Input ports (of each word, the lowest bit is the least significant)", "Output ports",
		"Probes (internal buses that passes keep)",
	}
	d.clocking()
	for i, g := range d.groups {
		if len(g.ports) > 0 {
			d.comment("")
			d.comment("%s:", titles[i])
		}
		for _, p := range g.ports {
			d.describe(p)
			if d.clock != nil && i == probes {
				d.comment("    - in stage %d", d.stageOf(p))
			}
		}
	}
	d.realValues(inputs)
	d.conventions()
	d.text("\n")
}

// realValues writes lines that say how words of the input port are computed from real values.
func (d *design) realValues(lines []string) {
	if len(lines) > 0 {
		d.comment("")
		d.comment("Input words of real values:")
	}
	for _, s := range lines {
		d.comment("  - %s", netlist.Printable(strings.TrimSpace(s)))
	}
}

// clocking describes the ports of a pipeline that carry no data.
func (d *design) clocking() {
	if d.clock == nil {
		return
	}
	d.comment("")
	d.comment("Stages of registers: %d. A sample goes in and a result comes out in every clock.", d.clock.Stages)
	d.comment("  - clk        clock, rising edge")
	d.comment("  - rst        synchronous, active high, whatever ce is: forgets the samples that are on their way;")
	d.comment("               data registers have no reset, for nothing reads them where there is no sample")
	d.comment("  - ce         clock enable: 0 freezes all state")
	d.comment("  - in_valid   there is a sample at the input ports")
	d.comment("  - out_valid  there is a result at the output ports: of the sample %d enabled clocks ago", d.clock.Stages)
	d.comment("Register NAME_s2 holds, in stage 2, what NAME was before; NAME_7_s2, bit 7 of the bus NAME.")
}

// comment writes a line of the header. The line must not begin with a name or text from outside, because tools take
// "// verilator ..." and "// synopsys ..." for directives.
func (d *design) comment(format string, args ...any) {
	d.text(strings.TrimRight("// "+fmt.Sprintf(format, args...), " ") + "\n")
}

// describe writes the lines about one port. There is one line for the port, and one line for each group of words
// whose labels differ only in their last part.
func (d *design) describe(p netlist.Port) {
	name := fmt.Sprintf("%s[%d:0]", p.Name, len(p.Nets)-1)
	word := max(p.Word, 1)
	words := len(p.Nets) / word
	labels := p.Labels[:min(len(p.Labels), words)]
	switch {
	case words == 1 && len(labels) == 1:
		d.comment("  - %-20s %s", name, netlist.Printable(labels[0]))
		return
	case words == 1 || word == 1:
		d.comment("  - %s", name)
	default:
		d.comment("  - %-20s %d words of %d bits", name, words, word)
	}
	for low := 0; low < len(labels); {
		n, text := labelGroup(labels[low:])
		bits := appendRange([]byte(p.Name), (low+n)*word-1, low*word)
		d.comment("    - %-18s %s", bits, netlist.Printable(text))
		low += n
	}
}

// labelGroup combines labels from the beginning of the list into one line, until a label does not fit. It returns
// the number of combined labels and the line. Comparisons of one feature with several thresholds are combined:
// "pixel 3 > 63" and "pixel 3 > 127" become "pixel 3 > 63, 127". Equal labels are combined, too.
func labelGroup(labels []string) (int, string) {
	feature, _ := splitLabel(labels[0])
	n := 1
	if feature == "" {
		for n < len(labels) && labels[n] == labels[0] {
			n++
		}
		return n, labels[0]
	}
	var line strings.Builder
	line.WriteString(labels[0])
	for ; n < len(labels); n++ {
		next, threshold := splitLabel(labels[n])
		if next != feature {
			break
		}
		line.WriteString(", " + threshold)
	}
	return n, line.String()
}

// splitLabel splits "pixel 3 > 63" into "pixel 3" and "63". The result feature is empty if the label is not a
// comparison.
func splitLabel(s string) (feature, threshold string) {
	const operator = " > "
	at := strings.LastIndex(s, operator)
	if at < 0 {
		return "", s
	}
	return s[:at], s[at+len(operator):]
}

// conventions writes the conventions about classes, ties and names that apply to this netlist.
func (d *design) conventions() {
	class := d.n.ChainClasses()
	argmax := false
	for c := range netlist.Cell(d.n.Cells()) {
		argmax = argmax || d.n.Kind(c) == netlist.Argmax
	}
	sorts := d.Sorts()
	if len(class) > 0 || argmax || len(sorts) > 0 {
		d.comment("")
	}
	if len(class) > 0 {
		d.comment("Wire c3_k17_l42 is the gate of chain 17 in layer 42; the chain belongs to class 3.")
		for _, run := range classRuns(class) {
			d.comment("  %s", run)
		}
	}
	if len(d.n.Positions()) > 0 {
		d.comment("Wire k17_y4_x5_l42 is node 17 of layer 42, which positions share, at row 4 and column 5.")
	}
	d.otherNames(sorts)
	if argmax {
		d.comment("Argmax: of equal counts, %s wins.", ties.Rule(d.n.Ties()))
	}
}

// otherNames explains those sorts of names of other cells (cells that are not gates) that occur in the file.
func (d *design) otherNames(sorts map[names.Sort]bool) {
	if d.chains != nil && d.chains.LUTs() > 0 {
		d.comment("Wire count_3_n5_o is the carry count_3_n5 as a LUT brings it out of its chain.")
	}
	for _, line := range []struct {
		of   names.Sort
		text string
	}{
		{names.OfGate, "Wire c3_k17_l42_n1 is a further cell of that gate."},
		{names.OfThreshold, "Wire x12_gt63 is 1 where word 12 of the port x is above 63."},
		{names.OfWord, "Wire x12_e0 depends on word 12 of the port x alone."},
		{names.OfBit, "Wire count_3_b2 is count_3[2]."},
		{
			names.OfBus,
			"Wire count_3_n5 is a cell on the way to count_3, class_index_n5 one between the counts and class_index.",
		},
		{names.OfSignal, "Register c3_k17_l42_s2 holds c3_k17_l42 in pipeline stage 2, x_5_s1 holds x[5] in stage 1."},
	} {
		if sorts[line.of] {
			d.comment("%s", line.text)
		}
	}
}

// maxRuns is the maximum number of lines that list the classes' chains in the header.
const maxRuns = 1024

// classRuns returns "chains 0 to 29: class 0" and so on, for each run of chains of one class. It returns nil if
// there are too many runs. The names of the wires always show the class.
func classRuns(class []uint16) []string {
	var runs []string
	for first := 0; first < len(class); {
		end := first + 1
		for end < len(class) && class[end] == class[first] {
			end++
		}
		if len(runs) == maxRuns {
			return nil
		}
		runs = append(runs, fmt.Sprintf("chains %d to %d: class %d", first, end-1, class[first]))
		first = end
	}
	return runs
}
