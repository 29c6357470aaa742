  // A result waits until the one before it is taken.
  reg waiting;
  reg [@INDEX@:0] result;
  wire show = waiting & ~out_valid;
  always @(posedge clk)
    if (rst) begin
      waiting <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      waiting <= decided | (waiting & ~show);
      out_valid <= show | (out_valid & ~out_ready);
    end
  always @(posedge clk) begin
    if (decided) result <= winner;
    if (show) class_index <= result;
  end
endmodule

`default_nettype wire
