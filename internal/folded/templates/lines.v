  // The @ABOVE@ rows above that of the step, by columns.
  reg [@LASTLINE@:0] lines_@N@[0:@LASTCOLUMN@];
  reg [@LASTLINE@:0] line_@N@;
  wire [@LASTSLICE@:0] slice_@N@ = {@PIXEL@, line_@N@};  // a column of the patch
  always @(posedge clk)
    if (step_@N@) begin
      lines_@N@[column_@N@] <= slice_@N@[@LASTSLICE@:@PLANES@];
      line_@N@ <= lines_@N@[end_of_row_@N@ ? @COLUMNBITS@'d0 : column_@N@ + @COLUMNBITS@'d1];
    end

