package folded

import (
	"fmt"
	"io"
	"strings"
)

// WriteVerilog writes the engine's module, with the ports and the protocol of [Engine]. A packet is
// a sample, with one word for each feature, plane by plane and row by row.
//
// Kernels and dense layers are modules with an input x and an output h (kernels) or class_index
// (dense layers).
func (s *PositionsShape) WriteVerilog(w io.Writer, header []string) error {
	if err := s.Check(); err != nil {
		return err
	}
	var convolutions strings.Builder
	for i := range s.Convolutions {
		convolutions.WriteString(s.convolution(i))
	}
	declared, reset, step := s.Counter()
	whole, placed, moved := "last_pixel", "", ""
	if s.Planes > 1 {
		whole = "last_pixel & plane == @PBITS@'d@LASTPLANE@"
		declared = "  reg [@PLANEBIT@:0] plane;\n" + declared
		reset = "      plane <= @PBITS@'d0;\n" + reset
		step = "        if (in_last | whole) plane <= @PBITS@'d0;\n" +
			"        else if (last_pixel) plane <= plane + @PBITS@'d1;\n" + step
		placed = "  reg [@PLANEBIT@:0] plane_word, plane_above, plane_level;\n"
		moved = "    plane_word <= plane;\n    plane_above <= plane_word;\n    plane_level <= plane_above;\n"
	}
	planes := Width(s.Planes)
	_, err := io.WriteString(w, s.head(header)+s.Fill(positionsTemplate, "      pixel <= @PIXELS@'d0;\n"+reset,
		"ENCODER", s.Encoder(s.FeatureBits()).Verilog(), "READY", s.readies(), "IMAGES", s.images(),
		"CONVOLUTIONS", convolutions.String(), "GATHER", s.gather(), "DENSE", s.dense(),
		"WHOLE", whole, "PLANE", declared, "PLANERESET", reset, "PLANESTEP", step, "PLANEPLACE", placed, "PLANEMOVE", moved,
		"PIXEL", s.pixelBits()-1, "PIXELS", s.pixelBits(), "LASTPIXEL", s.Rows*s.Columns-1, "LEVEL", s.LevelBits()-1,
		"PBITS", planes, "PLANEBIT", planes-1, "LASTPLANE", s.Planes-1,
		"KERNELS", s.last().Kernels, "LASTBIT", s.Gathered()-1))
	return err
}

// head returns the comment at the top.
func (s *PositionsShape) head(header []string) string {
	cost := s.Cost()
	facts := []string{fmt.Sprintf("%d planes of %d x %d features of %d bits with %d thresholds each, %d classes",
		s.Planes, s.Rows, s.Columns, s.WordBits, s.PerFeature(), s.Classes)}
	for i, c := range cost.Convolutions {
		v := &s.Convolutions[i]
		fact := fmt.Sprintf("convolution %d: %d kernels (%s) at %d positions, %d steps an image; line buffer %d bits", i+1,
			v.Kernels, v.Module, c.Positions, c.Steps, c.LineBits)
		if v.Pool > 1 {
			fact += fmt.Sprintf("; pooled two by two, %d bits wait", c.PoolBits)
		}
		facts = append(facts, fact)
	}
	facts = append(facts, fmt.Sprintf("dense layers (%s) on %d bits", s.Dense.Module, cost.GatheredBits),
		fmt.Sprintf("a sample every %d clocks at most, its class %d clocks after its first word at least", cost.Cycles,
			cost.Latency))
	return s.Head("classifier with convolutions, a position in a clock", header, facts...) + `//
// A sample is a packet of a word for each feature, plane by plane and row by row, a word in a clock in
// which in_valid and in_ready are both 1; in_last is 1 with the last. A packet of another length is
// dropped and error is 1 until a reset. The class stays on class_index, with out_valid, until a clock
// in which out_ready is 1. rst is synchronous and active high.

`
}

// For each convolution, readies declares a wire that is 1 if the convolution takes a pixel.
func (s *PositionsShape) readies() string {
	var all []string
	for i := range s.Convolutions {
		all = append(all, fmt.Sprintf("ready_%d", i+1))
	}
	return strings.Join(all, ", ")
}

// images returns the image memories of the planes, and the bits of the current pixel.
func (s *PositionsShape) images() string {
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
		for j := range s.PerFeature() {
			pixel = append(pixel, fmt.Sprintf("level_%d > %d'd%d", p, s.LevelBits(), j))
		}
	}
	fmt.Fprintf(&b, "  wire [%d:0] planes_0;  // bit plane x %d + j: the feature exceeds more than j thresholds\n",
		len(pixel)-1, s.PerFeature())
	for i, bit := range pixel {
		fmt.Fprintf(&b, "  assign planes_0[%d] = %s;\n", i, bit)
	}
	return b.String() + "\n"
}

// gather returns the logic that collects the output bits of the last convolution.
func (s *PositionsShape) gather() string {
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
	fmt.Fprintf(&b, "  reg [%d:0] position;\n  always @(posedge clk) begin\n", Width(positions)-1)
	for p := range positions {
		fmt.Fprintf(&b, "    if (valid_%d & position == %d'd%d) gathered[%d:%d] <= planes_%[1]d;\n", n, Width(positions), p,
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
`, n, Width(positions), positions-1)
}

// dense returns the instance of the dense layers.
func (s *PositionsShape) dense() string {
	if s.Dense.Stages == 0 {
		return fmt.Sprintf("  wire decided = complete;\n  %s dense (\n      .x(gathered),\n"+
			"      .class_index(winner)\n  );\n", s.Dense.Module)
	}
	return fmt.Sprintf("  wire decided;\n  %s dense (\n      .clk(clk),\n      .rst(rst),\n      .ce(1'b1),\n"+
		"      .in_valid(complete),\n      .out_valid(decided),\n      .x(gathered),\n      .class_index(winner)\n  );\n",
		s.Dense.Module)
}
