
  reg rst = 1, in_valid = 0, in_last = 0, out_ready = 0;
  integer pause = 0;  // clocks in which no result is taken: long enough at times for others to wait behind it
  reg [@UNIT@-1:0] in_data = 0;
  wire in_ready, out_valid;
  wire [@RESULT@-1:0] result;
@TAG@
  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
    running = 1;
  end

  // A reset, once every result is there.
  task restart;
    if (got == whole) begin
      running = 0;
      rst = 1;
      repeat (2) @(negedge clk);
      rst = 0;
      fails = 0;
      reset_done = 1;
      running = 1;
    end
  endtask

  always @(negedge clk)
    if (running) begin
      if (!in_valid && sent < UNITS) begin
        if (units[sent][RESET] && !reset_done) restart;
        else begin
          in_valid = $random(seed) % 4 != 0;
          in_data = units[sent][@UNIT@-1:0];
          in_last = units[sent][LAST];
@SEND@        end
      end
      if (pause > 0) pause = pause - 1;
      out_ready = pause == 0 && $random(seed) % 4 != 0;
    end

  always @(posedge clk)
    if (running) begin
      if (in_valid && in_ready === 1'b1) begin
        if (units[sent][WHOLE]) whole = whole + 1;
        fails <= fails | units[sent][FAILS];
        sent = sent + 1;
        reset_done = 0;
        in_valid <= #1 0;
      end
      if (out_valid === 1'b1 && out_ready) begin
        compare(result);
        if ($random(seed) % 8 == 0) pause = 4 * @EACH@ + 20;
      end
    end
