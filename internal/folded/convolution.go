package folded

import (
	"fmt"
	"strings"
)

// convolution returns the Verilog of convolution i, counted from 0.
func (s *PositionsShape) convolution(i int) string {
	c := &s.Convolutions[i]
	rows, columns := c.Rows+c.Padding, c.Columns+c.Padding // numbers of steps
	slice := c.Side * c.Planes
	pads, state, reset, step := "", "", "", ""
	padding, comes, firstRow := "1'b0", fmt.Sprintf("valid_%d", i), 0
	pixel := fmt.Sprintf("planes_%d", i)
	if c.Padding > 0 {
		pads = fmt.Sprintf("; %s of zeros follow each row and each image", plural(c.Padding))
		state = "  reg begun_@N@;  // the zeros before the first row are through\n"
		reset, step = "      begun_@N@ <= 1'b0;\n", "      if (end_of_row_@N@ & last_row_@N@) begun_@N@ <= 1'b1;\n"
		padding = fmt.Sprintf("~begun_@N@ | row_@N@ >= @ROWBITS@'d%d | column_@N@ >= @COLUMNBITS@'d%d", c.Rows, c.Columns)
		comes = fmt.Sprintf("(padding_@N@ | valid_%d)", i)
		pixel = fmt.Sprintf("{%d{~padding_@N@}} & planes_%d", c.Planes, i)
		firstRow = c.Rows - 1 // the zeros at the end of this row also belong to the first patches
	}
	if c.Stride > 1 {
		bits := Width(c.Stride)
		state += fmt.Sprintf("  reg [%d:0] row_phase_@N@, column_phase_@N@;  // of the stride\n", bits-1)
		reset += fmt.Sprintf("      row_phase_@N@ <= %d'd0;\n      column_phase_@N@ <= %[1]d'd0;\n", bits)
		step += phase("column", "end_of_row_@N@", bits, c) +
			"      if (end_of_row_@N@) begin\n" + indent(phase("row", "last_row_@N@", bits, c)) + "      end\n"
	}
	go_ := "1'b1"
	if i+1 < len(s.Convolutions) {
		go_ = fmt.Sprintf("~valid_@N@ | ready_%d", i+2)
	}
	buffer, shifted := fmt.Sprintf("  wire [%d:0] slice_@N@ = %s;\n\n", slice-1, pixel), "slice_@N@"
	if c.Side > 1 {
		buffer = lines
		shifted = fmt.Sprintf("{slice_@N@, patch_@N@[%d:%d]}", c.Side*slice-1, slice)
	}
	instance, found := c.instance()
	y, x := c.size()
	return Fill(convolution, "STATE", state, "RESET", reset, "STEP", step, "SLICE", buffer, "POOL", c.pooling(),
		"PADS", pads, "STRIDES", strides(c.Stride), "PADDING", padding, "COMES", comes, "PIXEL", pixel,
		"WANTED", c.wanted(), "GO", go_, "SHIFTED", shifted, "INSTANCE", instance, "FOUND", found,
		"N", i+1, "KERNELS", c.Kernels, "SIDE", c.Side, "PLANES", c.Planes, "ROWS", c.Rows, "COLUMNS", c.Columns,
		"ROWBITS", Width(rows), "ROWBITS-1", Width(rows)-1, "COLUMNBITS", Width(columns),
		"COLUMNBITS-1", Width(columns)-1, "LASTROW", rows-1, "LASTCOLUMN", columns-1, "FIRSTROW", firstRow,
		"LASTELEMENT", c.Side*slice-1, "LASTKERNEL", c.Kernels-1, "LASTOUTPUT", c.outputs()-1,
		"LASTLINE", slice-c.Planes-1, "LASTSLICE", slice-1, "ABOVE", c.Side-1,
		"XBITS", Width(x), "XBITS-1", Width(x)-1, "LASTX", x-1,
		"YBITS", Width(y), "YBITS-1", Width(y)-1, "LASTY", y-1)
}

func plural(n int) string {
	if n == 1 {
		return "a pixel"
	}
	return fmt.Sprintf("%d pixels", n)
}

func strides(n int) string {
	if n == 1 {
		return "at each pixel"
	}
	return fmt.Sprintf("%d pixels apart", n)
}

func indent(text string) string { return strings.ReplaceAll(text, "      ", "        ") }

// phase returns the statement that counts rows or columns modulo the stride. The count restarts at the first row or
// column that ends a patch of a position. It also restarts at the end of the image or row.
func phase(what, end string, bits int, c *Convolution) string {
	before := end
	if c.first() > 0 {
		before += fmt.Sprintf(" | %s_@N@ < @%sBITS@'d%d", what, strings.ToUpper(what), c.first())
	}
	return fmt.Sprintf("      if (%[1]s | %[2]s_phase_@N@ == %[3]d'd%[4]d) %[2]s_phase_@N@ <= %[3]d'd0;\n"+
		"      else %[2]s_phase_@N@ <= %[2]s_phase_@N@ + %[3]d'd1;\n", before, what, bits, c.Stride-1)
}

// wanted returns a condition for a step. The condition is true if the patch that ends with the step belongs to a
// position.
func (c *Convolution) wanted() string {
	var all []string
	for _, what := range []string{"row", "column"} {
		if c.first() > 0 {
			all = append(all, fmt.Sprintf("%s_@N@ >= @%sBITS@'d%d", what, strings.ToUpper(what), c.first()))
		}
		if c.Stride > 1 {
			all = append(all, fmt.Sprintf("%s_phase_@N@ == %d'd0", what, Width(c.Stride)))
		}
	}
	if c.Padding > 0 {
		all = append(all, "begun_@N@")
	}
	if len(all) == 0 {
		return "1'b1"
	}
	return strings.Join(all, " & ")
}

// instance returns the Verilog that instantiates the kernels. It also returns the name of the signal that is 1 if the
// kernels' output belongs to a position.
func (c *Convolution) instance() (text, found string) {
	if c.Stages == 0 {
		return fmt.Sprintf("  %s kernels_@N@ (\n      .x(patch_@N@),\n      .h(h_@N@)\n  );\n", c.Module), "found_@N@"
	}
	return fmt.Sprintf("  wire left_kernels_@N@;  // what does so is that of a position\n  %s kernels_@N@ (\n"+
		"      .clk(clk),\n      .rst(rst),\n      .ce(go_@N@),\n      .in_valid(found_@N@),\n"+
		"      .out_valid(left_kernels_@N@),\n      .x(patch_@N@),\n      .h(h_@N@)\n  );\n", c.Module), "left_kernels_@N@"
}

// pooling returns the Verilog that pools the outputs of the kernels.
func (c *Convolution) pooling() string {
	if c.Pool == 1 {
		return `  always @(posedge clk)
    if (rst) valid_@N@ <= 1'b0;
    else if (go_@N@) valid_@N@ <= @FOUND@;
  always @(posedge clk) if (go_@N@) planes_@N@ <= h_@N@;
`
	}
	_, columns := c.size()
	depth := halfDepth(columns)
	half := fmt.Sprintf(`  reg [@LASTKERNEL@:0] half_@N@[0:%[1]d];
  always @(posedge clk) begin
    if (pair_@N@ & x_@N@[0] & ~y_@N@[0]) half_@N@[x_@N@[@XBITS-1@:1]] <= left_@N@ | @POOLED@;
    if (pair_@N@ & ~x_@N@[0]) above_@N@ <= half_@N@[x_@N@[@XBITS-1@:1]];
  end
`, depth-1)
	if depth == 1 {
		half = "  always @(posedge clk) if (pair_@N@ & x_@N@[0] & ~y_@N@[0]) above_@N@ <= left_@N@ | @POOLED@;\n"
	}
	// The wire must be declared before its readers.
	text, after, _ := strings.Cut(pool, "@HALF@")
	wire, rest, _ := strings.Cut(after, "\n")
	pooled, joined, carried := "h_@N@", "left_@N@ | h_@N@ | above_@N@", ""
	if c.Carried > 0 {
		pooled = "h_@N@[@LASTKERNEL@:0]"
		joined = fmt.Sprintf("{h_@N@[@LASTOUTPUT@:%d], left_@N@ | %s | above_@N@}", c.Kernels, pooled)
		carried = " Input bits for later convolutions pass by."
	}
	return Fill(text+wire+"\n"+half+rest, "POOLED", pooled, "JOINED", joined, "CARRIED", carried)
}
