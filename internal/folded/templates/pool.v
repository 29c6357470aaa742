  // Pooling: the OR of two by two positions. What is above waits in half a row.@CARRIED@
  reg [@XBITS-1@:0] x_@N@;
  reg [@YBITS-1@:0] y_@N@;
  reg [@LASTKERNEL@:0] left_@N@, above_@N@;
@HALF@  wire pair_@N@ = go_@N@ & @FOUND@;
  always @(posedge clk)
    if (rst) begin
      x_@N@ <= @XBITS@'d0;
      y_@N@ <= @YBITS@'d0;
      valid_@N@ <= 1'b0;
    end else if (go_@N@) begin
      valid_@N@ <= @FOUND@ & x_@N@[0] & y_@N@[0];
      if (@FOUND@) begin
        x_@N@ <= x_@N@ == @XBITS@'d@LASTX@ ? @XBITS@'d0 : x_@N@ + @XBITS@'d1;
        if (x_@N@ == @XBITS@'d@LASTX@) y_@N@ <= y_@N@ == @YBITS@'d@LASTY@ ? @YBITS@'d0 : y_@N@ + @YBITS@'d1;
      end
    end
  always @(posedge clk) begin
    if (pair_@N@ & ~x_@N@[0]) left_@N@ <= @POOLED@;
    if (pair_@N@ & x_@N@[0] & y_@N@[0]) planes_@N@ <= @JOINED@;
  end
