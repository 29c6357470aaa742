
  reg [@HIGH@:0] x;
  reg skip, failed, pauses;
  reg [3:0] right;
  integer at, entered = 0, gone = 0, seed = 5;
  assign in_ready = entered - gone < 2 && !pauses;
  assign out_valid = entered > gone;
  assign error = failed;
  always @* outputs = right[gone%4] ? results[gone] : ~results[gone];
  wire whole = at == @WORDS@ - 1;
  always @(posedge clk) begin
    pauses <= @PAUSES@ && $random(seed) % 4 == 0;
    if (out_valid && out_ready) gone <= gone + 1;
    if (in_valid && in_ready) begin
      x[at%@WORDS@*@WORD@+:@WORD@] = in_data;
      at <= in_last ? 0 : at + 1;
      skip <= !in_last && (skip || whole);
      if (in_last != whole && !skip) failed <= 1;
      if (in_last && whole && !skip) begin
        right[entered%4] <= x === want[entered];
        entered <= entered + 1;
      end
    end
    if (rst || @DROPPED@) begin
      at <= 0;
      skip <= 0;
      failed <= !rst;
    end
  end
endmodule
