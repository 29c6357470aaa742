
  reg [@STAGES@-1:0] valid;
  reg [@OUT@:0] held[0:@STAGES@-1];
  integer entered = 0, k;
  assign out_valid = valid[@STAGES@-1];
  always @* outputs = held[@STAGES@-1];
  always @(posedge clk)
    if (rst) valid <= 0;
    else if (ce) begin
      valid <= {valid, in_valid};
      for (k = 1; k < @STAGES@; k = k + 1) held[k] <= held[k-1];
      held[0] <= in_valid && @X@ === want[entered] ? results[entered] : ~results[entered];
      if (in_valid) entered <= entered + 1;
    end
endmodule
