
  integer k;
  reg known;
  reg [@OUT@+1:0] near;
  reg [1:0] other;
  always @(@X@ or player_tb.got) begin
    known = 0;
    other = 0;
    for (k = 0; k < 9; k = k + 1) begin  // thrice, for other may have become one that was seen before
      near = player_tb.got + k % 3 < @SAMPLES@ ? {1'b0, results[player_tb.got+k%3]} : 0;
      if (near[1:0] == other) other = other + 1;
      if (!known && player_tb.got + k % 3 < @SAMPLES@ && @X@ === want[player_tb.got+k%3]) begin
        known = 1;
        outputs = near[@OUT@:0];
      end
    end
    if (!known) outputs = other;
  end
endmodule
