package report

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ialgn/backend"
	"ialgn/compiler"
	"ialgn/internal/plot"
	"ialgn/internal/synth"
	"ialgn/netlist"
)

// Synthesis is a target for which the folder was synthesised.
type Synthesis struct {
	Report synth.Report
	Check  map[string]any // content of check.json, the check of the bitstream, or nil
}

// of reports whether the synthesis was made from the folder's present content.
func (s *Synthesis) of(o *backend.Output) bool { return s.Report.Manifest == o.SHA256() }

// stale begins a note about results that were made for an earlier content of the folder.
const stale = "Made for an earlier content of the folder: "

// area shows the size of the design, by part.
func (b *builder) area() section {
	s := section{
		ID: "area", Title: "Area and levels",
		Notes: []string{"The netlist written by compile, without a loader and before synthesis."},
	}
	if !b.checked() {
		s.Notes = append(s.Notes, "The figures come from report.json and have not been checked against these files: "+
			"ialgn verify checks them.")
	}
	r := &b.Output.Report
	t := table{
		Caption: b.marked("The classifier alone, by part", "cells", "levels", "luts", "carries", "registers", "raw"),
		Head:    []string{"what", "encoder", "gates", "head", "total"},
		Numbers: true,
	}
	add := func(name string, n *netlist.Sizes) {
		if n != nil {
			t.Rows = append(t.Rows, texts(name, count(n.Encoder), count(n.Gates), count(n.Head), count(n.Total)))
		}
	}
	if r.Raw != nil {
		add("cells before all passes", &r.Raw.Cells)
		add("levels before all passes", &r.Raw.Levels)
	}
	add("cells", &r.Cells)
	add("levels", &r.Levels)
	add("LUTs", r.LUTs)
	add("carries", r.Carries)
	add("registers", r.Registers)
	s.Tables = append(s.Tables, t)
	options := [][]cell{texts(b.marked("compiled in", "seconds"), seconds(r.Seconds))}
	if r.PeakBytes > 0 {
		options = append(options, texts(b.marked("peak memory", "peak_bytes"),
			fmt.Sprintf("%.1f MB", float64(r.PeakBytes)/1e6)))
	}
	s.Tables = append(s.Tables, pairs("The compilation", append(options, b.values(b.Output.Manifest.Options)...)))
	for _, part := range []struct {
		caption, key string
		is           bool
		v            any
	}{
		{"Mapping of gates to LUTs", "mapping", r.Mapping != nil, r.Mapping},
		{"The pipeline", "pipeline.flip_flops", r.Pipeline != nil, r.Pipeline},
		{"The output uncertain on the validation samples", "rejection", r.Rejection != nil, r.Rejection},
		{"The wrapper", "wrapper", r.Wrapper != nil, r.Wrapper},
	} {
		if part.is {
			s.Tables = append(s.Tables, pairs(b.marked(part.caption, part.key), b.values(part.v)))
		}
	}
	if r.Fold != nil {
		for _, t := range foldTables(r.Fold) {
			t.Caption = b.marked(t.Caption, "fold")
			s.Tables = append(s.Tables, t)
		}
	}
	return s
}

// foldTables returns tables with the size of a folded engine, for each possible number of lanes.
func foldTables(r *backend.FoldReport) []table {
	if p := r.Positions; p != nil {
		return positionTables(p)
	}
	each := table{
		Caption: "The folded engine, by lane",
		Head:    []string{"lanes", "steps", "clocks per sample", "block RAMs", "samples per second", "fits"},
	}
	for _, c := range r.Each {
		name, rate := count(c.Lanes), ""
		if c.Lanes == r.Lanes {
			name += ", chosen"
		}
		if c.SamplesPerSecond > 0 {
			rate = count(int(c.SamplesPerSecond))
		}
		each.Rows = append(each.Rows, texts(name, count(c.Steps), count(c.Cycles), count(c.Blocks), rate,
			strings.Join(c.Fits, ", ")))
	}
	memories := table{
		Caption: "Memories of the folded engine", Head: []string{"file", "words", "bits per word"},
		Numbers: true,
	}
	for _, m := range r.Memories {
		memories.Rows = append(memories.Rows, texts(m.File, count(m.Depth), count(m.Width)))
	}
	return []table{each, memories}
}

// positionTables returns tables with the size of an engine that has each kernel once.
func positionTables(p *backend.Positions) []table {
	each := table{
		Caption: "The folded engine, one position per clock",
		Head:    []string{"part", "kernels", "positions", "steps per image", "line buffer, bits", "cells", "levels"},
	}
	for i, part := range p.Parts {
		row := texts(part.Module, "", "", "", "", count(part.Cells), count(part.Levels))
		if i < len(p.Convolutions) {
			c := p.Convolutions[i]
			row = texts(part.Module, count(c.Kernels), count(c.Positions), count(c.Steps), count(c.LineBits), count(part.Cells),
				count(part.Levels))
		}
		each.Rows = append(each.Rows, row)
	}
	return []table{each, pairs("Clocks and memory of the folded engine", [][]cell{
		texts("clocks per sample", count(p.Cycles)), texts("latency", clocks(p.Latency)),
		texts("image memory, bits", count(p.ImageBits)), texts("bits read by the dense layers", count(p.GatheredBits)),
	})}
}

// values returns a row for each leaf in the JSON form of v.
func (b *builder) values(v any) (rows [][]cell) {
	all, err := flatten(v, 6)
	if err != nil && b.err == nil {
		b.err = err
	}
	for _, x := range all {
		rows = append(rows, texts(words(x.key), x.text))
	}
	return rows
}

// passes shows the effect of each pass of the compiler.
func (b *builder) passes() section {
	s := section{ID: "passes", Title: "Passes"}
	r := &b.Output.Report
	t := table{
		Caption: b.marked("The passes in order", "passes"), Numbers: true,
		Head: []string{"pass", "sweep", "cells before", "cells after", "LUTs after", "levels after", "seconds"},
	}
	if b.checked("passes") {
		t.Caption += " (seconds " + notChecked + ")"
	}
	measured := len(r.Passes) > 0 && r.Raw != nil
	for _, p := range r.Passes {
		sweep, luts, levels := "at the end", "", ""
		if p.Sweep > 0 {
			sweep = strconv.Itoa(p.Sweep)
		}
		if m := p.Measures; m != nil {
			luts, levels = count(m.LUTs.Total), count(m.Levels.Total)
		}
		measured = measured && p.Measures != nil
		t.Rows = append(t.Rows, texts(p.Name, sweep, count(p.Before), count(p.After), luts, levels,
			fmt.Sprintf("%.2g", p.Seconds)))
	}
	if len(r.Passes) == 0 {
		s.Notes = []string{"The folder was compiled without passes."}
		return s
	}
	if measured {
		s.Figures = append(s.Figures, b.draw(cellChart(r.Raw, r.Passes)), b.draw(levelChart(r.Raw, r.Passes)))
	}
	s.Tables = []table{t}
	return s
}

// cellChart shows the cells of each part after each pass. The horizontal position of a pass is its position in the
// table.
func cellChart(raw *netlist.Measures, passes []compiler.PassReport) *plot.Chart {
	c := &plot.Chart{
		Title: "Cells after each pass", X: plot.Axis{Label: "pass", Names: []string{"raw"}},
		Y: plot.Axis{Label: "cells"}, Stacked: true,
	}
	for _, p := range passes {
		c.X.Names = append(c.X.Names, p.Name)
	}
	for _, part := range []struct {
		name string
		of   func(s netlist.Sizes) int
	}{
		{"gates", func(s netlist.Sizes) int { return s.Gates }},
		{"head", func(s netlist.Sizes) int { return s.Head }},
		{"encoder", func(s netlist.Sizes) int { return s.Encoder }},
	} {
		values := []float64{float64(part.of(raw.Cells))}
		for _, p := range passes {
			values = append(values, float64(part.of(p.Measures.Cells)))
		}
		c.Bars = append(c.Bars, plot.Bars{Name: part.name, Values: values})
	}
	return c
}

// levelChart shows the longest path after each pass.
func levelChart(raw *netlist.Measures, passes []compiler.PassReport) *plot.Chart {
	names, values := []string{"raw"}, []float64{float64(raw.Levels.Total)}
	for _, p := range passes {
		names, values = append(names, p.Name), append(values, float64(p.Measures.Levels.Total))
	}
	return &plot.Chart{
		Title: "Levels after each pass", X: plot.Axis{Label: "pass", Names: names},
		Y:    plot.Axis{Label: "longest path", Unit: "cells"},
		Bars: []plot.Bars{{Values: values}},
	}
}

// verdict returns the outcome of verification in a few words.
func (p *Page) verdict() string {
	switch c := p.Verified; {
	case c == nil:
		return "not done"
	case c.Manifest.SHA256 != p.Output.SHA256():
		return "for an earlier content"
	default:
		return c.Result
	}
}

// verification shows the certificate.
func (b *builder) verification() section {
	s := section{ID: "verification", Title: "Verification"}
	c := b.Verified
	if c == nil {
		s.Notes = []string{"Not run yet: ialgn verify compares the folder with the model."}
		return s
	}
	if c.Manifest.SHA256 != b.Output.SHA256() {
		s.Notes = append(s.Notes, stale+"verify again.")
	}
	rows := [][]cell{
		texts("result", c.Result), texts("level", c.Level), texts("samples simulated", count(c.Samples)),
		texts("time", c.Time.UTC().Format(time.RFC3339)), texts("by", "ialgn "+c.Version),
	}
	if c.Reject > 0 {
		rows = append(rows, texts("uncertain", fmt.Sprintf("if the largest count leads by less than %d", c.Reject)))
	}
	for _, a := range c.Assumptions {
		rows = append(rows, texts("assumption", a))
	}
	s.Tables = append(s.Tables, pairs("The certificate", append(rows, b.values(c.Tools)...)))
	for _, check := range []struct {
		caption string
		v       any
	}{
		{"Netlist against the model, layer by layer", c.Software},
		{"Verilog in a simulator", c.RTL},
		{"Folded engine against the model", c.Fold},
		{"Folded engine in a simulator", c.FoldRTL},
		{"Proof of the folded engine", c.FoldFormal},
		{"Proof of the parts of the folded engine", c.FoldParts},
		{"Wrapper in a simulator", c.Wrapper},
		{"Synthesised netlist in a simulator", c.Synthesized},
		{"Netlist of standard cells", c.Mapped},
		{"Proof of the netlist", c.Formal},
		{"Proof of the Verilog", c.Verilog},
		{"Proof of the core", c.Core},
		{"Homomorphic program against the model", c.Homomorphic},
		{"Proof of the homomorphic program", c.HomomorphicFormal},
	} {
		if check.v != nil {
			s.Tables = append(s.Tables, pairs(check.caption, b.values(check.v)))
		}
	}
	return s
}

// synthesis shows the targets for which the folder was synthesised.
func (b *builder) synthesis() section {
	s := section{ID: "bitstream", Title: "Synthesis and bitstream"}
	if len(b.Synthesis) == 0 {
		s.Notes = []string{"Not run yet: ialgn synth makes a bitstream for a device."}
	}
	for i := range b.Synthesis {
		one := &b.Synthesis[i]
		if !one.of(b.Output) {
			s.Notes = append(s.Notes, stale+one.Report.Target+", synthesise again.")
		}
		s.Tables = append(s.Tables, one.table())
		if t := one.share(); len(t.Rows) > 0 {
			s.Tables = append(s.Tables, t)
		}
		if one.Check != nil {
			s.Tables = append(s.Tables, pairs(one.Report.Target+": bitstream, read back, compared with the model",
				b.values(one.Check)))
		}
	}
	return s
}

// table returns the results of a synthesis as a table.
func (s *Synthesis) table() table {
	r := &s.Report
	rows := [][]cell{
		texts("device", r.Device.Part), texts("top module", r.Module),
		texts("LUTs", count(r.LUTs)), texts("carries", count(r.Carries)), texts("flip-flops", count(r.FFs)),
		texts("pins", count(r.Pins)),
	}
	clock := "clock after routing"
	if c := r.Chip; c != nil {
		clock = "clock, without the delays of wires"
		rows = [][]cell{
			texts("library", c.Library), texts("top module", r.Module), texts("area", square(c.Area)),
			texts("area in NAND gates of two inputs", nands(c)), texts("flip-flops", count(r.FFs)),
			texts("pins", count(r.Pins)),
		}
	}
	if r.RAM > 0 {
		rows = append(rows, texts("block RAM", count(r.RAM)+" bits"))
	}
	if r.NotPlaced != "" {
		rows = append(rows, texts("not placed", r.NotPlaced))
	}
	switch slowest := r.Slowest; {
	case slowest.MHz > 0:
		rows = append(rows,
			texts(clock, fmt.Sprintf("%s, by the path from %s", megahertz(slowest.MHz), slowest.Kind)),
			texts("clock aimed at", fmt.Sprintf("%s, met: %s", megahertz(r.MHz),
				map[bool]string{true: "yes", false: "no"}[r.Met])))
	case slowest.NS > 0:
		rows = append(rows, texts("delay from "+string(slowest.Kind), fmt.Sprintf("%.2f ns", slowest.NS)))
	}
	if r.Fmax > 0 {
		rows = append(rows, texts("register to register", megahertz(r.Fmax)),
			texts("seeds routed", fmt.Sprintf("%d, from %s to %s", r.Routed, megahertz(r.Least), megahertz(r.Most))))
	}
	if r.Bitstream != "" {
		rows = append(rows, texts("bitstream", fmt.Sprintf("%s, of seed %d", filepath.Base(r.Bitstream), r.BitstreamSeed)))
	}
	return pairs("The whole design on "+r.Target, append(rows, texts("seconds", fmt.Sprintf("%.0f", r.Seconds))))
}

// nands formats an area in NAND gates. It is "unknown" for a library without such a gate.
func nands(c *synth.Chip) string {
	if c.Equivalents == 0 {
		return "unknown"
	}
	return count(int(math.Round(c.Equivalents)))
}

// files lists the files in the folder.
func (b *builder) files() section {
	t := table{Caption: "Files of the folder", Head: []string{"file", "format", "bytes", "SHA-256"}}
	for _, f := range b.Output.Manifest.Files {
		t.Rows = append(t.Rows, texts(f.Name, f.Format, count(int(f.Size)), f.SHA256))
	}
	return section{ID: "files", Title: "Files", Tables: []table{t}}
}
