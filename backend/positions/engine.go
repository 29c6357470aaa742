package positions

import (
	"fmt"
	"io"
	"strings"

	"ialgn/backend/ports"
	"ialgn/netlist"
)

// WriteVerilog writes the engine's module, which has the ports and the protocol of package ports: a packet is a
// sample, of a word for each feature, plane by plane and row by row.
//
// Kernels and dense layers are modules with an input x and an output h, or class_index.
func (s *Shape) WriteVerilog(w io.Writer, header []string) error {
	if err := s.Check(); err != nil {
		return err
	}
	var convolutions strings.Builder
	for i := range s.Convolutions {
		convolutions.WriteString(s.convolution(i))
	}
	text := strings.NewReplacer(append(s.loader(), "@ENCODER@", s.encoder().Verilog(), "@READY@", s.readies(), "@IMAGES@",
		s.images(), "@CONVOLUTIONS@", convolutions.String(), "@GATHER@", s.gather(), "@DENSE@", s.dense())...).Replace(engine)
	_, err := io.WriteString(w, s.head(header)+s.values(text))
	return err
}

// head returns the comment at the top.
func (s *Shape) head(header []string) string {
	var b strings.Builder
	cost := s.Cost()
	fmt.Fprintf(&b, "// Module %s: a classifier with convolutions, a position in a clock\n//\n", s.Module)
	for _, line := range header {
		fmt.Fprintf(&b, "// - %s\n", line)
	}
	fmt.Fprintf(&b, "// - %d planes of %d x %d features of %d bits with %d thresholds each, %d classes\n",
		s.Planes, s.Rows, s.Columns, s.WordBits, s.steps(), s.Classes)
	for i, c := range cost.Convolutions {
		v := &s.Convolutions[i]
		fmt.Fprintf(&b, "// - convolution %d: %d kernels (%s) at %d positions, %d steps an image; line buffer %d bits", i+1,
			v.Kernels, v.Module, c.Positions, c.Steps, c.LineBits)
		if v.Pool > 1 {
			fmt.Fprintf(&b, "; pooled two by two, %d bits wait", c.PoolBits)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "// - dense layers (%s) on %d bits\n", s.Dense.Module, cost.GatheredBits)
	fmt.Fprintf(&b, "// - a sample every %d clocks at most, its class %d clocks after its first word at least\n",
		cost.Cycles,
		cost.Latency)
	b.WriteString(`//
// A sample is a packet of a word for each feature, plane by plane and row by row, a word in a clock in
// which in_valid and in_ready are both 1; in_last is 1 with the last. A packet of another length is
// dropped and error is 1 until a reset. The class stays on class_index, with out_valid, until a clock
// in which out_ready is 1. rst is synchronous and active high.

`)
	return b.String()
}

// values fills numbers in.
func (s *Shape) values(text string) string {
	index := netlist.ClassBits(s.Classes)
	return strings.NewReplacer(
		"@WORD@", fmt.Sprint(s.WordBits-1), "@INDEX@", fmt.Sprint(index-1),
		"@PIXEL@", fmt.Sprint(s.pixelBits()-1), "@PIXELS@", fmt.Sprint(s.pixelBits()), "@LASTPIXEL@",
		fmt.Sprint(s.Rows*s.Columns-1), "@LEVEL@", fmt.Sprint(s.levelBits()-1),
		"@FBITS@", fmt.Sprint(width(len(s.Thresholds))), "@FEATURE@", fmt.Sprint(width(len(s.Thresholds))-1),
		"@PBITS@", fmt.Sprint(width(s.Planes)), "@LASTPLANE@", fmt.Sprint(s.Planes-1),
		"@KERNELS@", fmt.Sprint(s.last().Kernels), "@LASTBIT@", fmt.Sprint(s.Gathered()-1),
	).Replace(text)
}

// loader returns what the loader has for several planes, for thresholds that differ from feature to feature, and to
// drop packets.
func (s *Shape) loader() []string {
	var declared, reset, step, placed, moved string
	whole := "last_pixel"
	if s.Planes > 1 {
		whole = "last_pixel & plane == @PBITS@'d@LASTPLANE@"
		declared = fmt.Sprintf("  reg [%d:0] plane;\n", width(s.Planes)-1)
		reset = "      plane <= @PBITS@'d0;\n"
		step = "        if (in_last | whole) plane <= @PBITS@'d0;\n" +
			"        else if (last_pixel) plane <= plane + @PBITS@'d1;\n"
		placed = fmt.Sprintf("  reg [%d:0] plane_word, plane_above, plane_level;\n", width(s.Planes)-1)
		moved = "    plane_word <= plane;\n    plane_above <= plane_word;\n    plane_level <= plane_above;\n"
	}
	if s.encoder().Uniform == nil {
		declared += "  reg [@FEATURE@:0] at;  // words of this packet so far, if it is not too long\n"
		reset += "      at <= @FBITS@'d0;\n"
		step += "        at <= in_last | whole ? @FBITS@'d0 : at + @FBITS@'d1;\n"
	}
	outside := ports.Ports{Module: s.Module, WordBits: s.WordBits, Classes: s.Classes, Drop: s.Drop}
	return append(outside.Replacements("      pixel <= @PIXELS@'d0;\n"+reset),
		"@WHOLE@", whole, "@PLANE@", declared, "@PLANERESET@", reset, "@PLANESTEP@", step, "@PLANEPLACE@", placed,
		"@PLANEMOVE@", moved)
}

// readies declares what says that a convolution takes a pixel.
func (s *Shape) readies() string {
	var all []string
	for i := range s.Convolutions {
		all = append(all, fmt.Sprintf("ready_%d", i+1))
	}
	return strings.Join(all, ", ")
}

// images returns the memories of the planes, and the bits of a pixel.
func (s *Shape) images() string {
	var b strings.Builder
	var pixel []string
	for p := range s.Planes {
		condition := "write_level"
		if s.Planes > 1 {
			condition = fmt.Sprintf("write_level & plane_level == @PBITS@'d%d", p)
		}
		fmt.Fprintf(&b, `  reg [@LEVEL@:0] image_%[1]d[0:%[2]d];
  reg [@LEVEL@:0] level_%[1]d;
  always @(posedge clk) begin
    if (%[3]s) image_%[1]d[place_level] <= level;
    if (advance) level_%[1]d <= image_%[1]d[{current, scan}];
  end

`, p, 2<<s.pixelBits()-1, condition)
		for j := range s.steps() {
			pixel = append(pixel, fmt.Sprintf("level_%d > %d'd%d", p, s.levelBits(), j))
		}
	}
	fmt.Fprintf(&b, "  wire [%d:0] planes_0;  // bit plane x %d + j: the feature exceeds more than j thresholds\n",
		len(pixel)-1, s.steps())
	for i, bit := range pixel {
		fmt.Fprintf(&b, "  assign planes_0[%d] = %s;\n", i, bit)
	}
	return b.String() + "\n"
}

// gather returns what collects the bits of the last convolution.
func (s *Shape) gather() string {
	c := s.last()
	rows, columns := c.pooled()
	n, positions := len(s.Convolutions), rows*columns
	if positions == 1 {
		return fmt.Sprintf(`  always @(posedge clk) if (valid_%[1]d) gathered <= planes_%[1]d;
  always @(posedge clk)
    if (rst) complete <= 1'b0;
    else complete <= valid_%[1]d;
`, n)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  reg [%d:0] position;\n  always @(posedge clk) begin\n", width(positions)-1)
	for p := range positions {
		fmt.Fprintf(&b, "    if (valid_%d & position == %d'd%d) gathered[%d:%d] <= planes_%[1]d;\n", n, width(positions), p,
			(p+1)*c.Kernels-1, p*c.Kernels)
	}
	b.WriteString("  end\n")
	return b.String() + fmt.Sprintf(`  wire last_position = position == %[2]d'd%[3]d;
  always @(posedge clk)
    if (rst) begin
      position <= %[2]d'd0;
      complete <= 1'b0;
    end else begin
      if (valid_%[1]d) position <= last_position ? %[2]d'd0 : position + %[2]d'd1;
      complete <= valid_%[1]d & last_position;
    end
`, n, width(positions), positions-1)
}

// dense returns the instance of the dense layers.
func (s *Shape) dense() string {
	if s.Dense.Stages == 0 {
		return fmt.Sprintf("  wire decided = complete;\n  %s dense (\n      .x(gathered),\n"+
			"      .class_index(winner)\n  );\n", s.Dense.Module)
	}
	return fmt.Sprintf("  wire decided;\n  %s dense (\n      .clk(clk),\n      .rst(rst),\n      .ce(1'b1),\n"+
		"      .in_valid(complete),\n      .out_valid(decided),\n      .x(gathered),\n      .class_index(winner)\n  );\n",
		s.Dense.Module)
}
