  // Convolution @N@: @KERNELS@ kernels on patches of @SIDE@ x @SIDE@ pixels of @PLANES@ planes of @ROWS@ x @COLUMNS@, @STRIDES@.
  // Steps go through the image row by row@PADS@.
  reg [@ROWBITS-1@:0] row_@N@;
  reg [@COLUMNBITS-1@:0] column_@N@;
@STATE@  wire padding_@N@ = @PADDING@;
  wire go_@N@ = @GO@;  // nothing waits for the next one
  wire step_@N@ = go_@N@ & @COMES@;
  wire end_of_row_@N@ = column_@N@ == @COLUMNBITS@'d@LASTCOLUMN@;
  wire last_row_@N@ = row_@N@ == @ROWBITS@'d@LASTROW@;
  wire at_position_@N@ = @WANTED@;  // with this step the patch is that of a position
  assign ready_@N@ = go_@N@ & ~padding_@N@;

  always @(posedge clk)
    if (rst) begin
      row_@N@ <= @ROWBITS@'d@FIRSTROW@;
      column_@N@ <= @COLUMNBITS@'d0;
@RESET@    end else if (step_@N@) begin
      column_@N@ <= end_of_row_@N@ ? @COLUMNBITS@'d0 : column_@N@ + @COLUMNBITS@'d1;
      if (end_of_row_@N@) row_@N@ <= last_row_@N@ ? @ROWBITS@'d0 : row_@N@ + @ROWBITS@'d1;
@STEP@    end

@SLICE@  // Bit (column x @SIDE@ + row) x @PLANES@ + plane of the patch.
  reg [@LASTELEMENT@:0] patch_@N@;
  reg found_@N@;
  always @(posedge clk) if (step_@N@) patch_@N@ <= @SHIFTED@;
  always @(posedge clk)
    if (rst) found_@N@ <= 1'b0;
    else if (go_@N@) found_@N@ <= step_@N@ & at_position_@N@;

  wire [@LASTOUTPUT@:0] h_@N@;
@INSTANCE@
  reg valid_@N@;
  reg [@LASTOUTPUT@:0] planes_@N@;
@POOL@
