
  // draws a number
  task tb_draw;
    tb_dice = tb_dice * 32'd1664525 + 32'd1013904223;
  endtask

  // offers the next vector, or none
  task tb_offer;
    begin
      tb_draw;
      if (tb_dice[31:30] == 2'd0) begin
@UNKNOWN@      end else begin
        tb_position[0] = $ftell(tb_file);
        tb_vector;
        if (tb_read == @FIELDS@ && $fgetc(tb_file) == 10) begin
          tb_valid[0] = 1'b1;
          tb_index[0] = tb_fed;
          tb_fed = tb_fed + 1;
          tb_ended = tb_fed == tb_count;
        end else begin
          tb_ended = 1'b1;
          if (tb_read > 0 || $feof(tb_file) == 0) begin
            tb_stop = 1'b1;
            $display("FAIL: %0s: vector %0d is not a line of @FIELDS@ numbers", tb_path, tb_fed);
          end else if (tb_fed == 0 || tb_fed < tb_count) begin
            tb_stop = 1'b1;
            $display("FAIL: %0s ends after %0d vectors", tb_path, tb_fed);
          end
        end
      end
    end
  endtask

  // draws ce and rst
  task tb_control;
    begin
      tb_draw;
      ce = tb_dice[31:30] != 2'd0 && tb_known;
      tb_draw;
      rst = tb_dice[31:8] < 24'd@RESETS@ || !tb_known || (tb_valid[@OUT@] && !tb_full);
      if (tb_valid[@OUT@]) tb_full = 1'b1;
    end
  endtask

  // compares wherever there is a sample
  task tb_check;
@BIT@    begin
      if (tb_known && out_valid !== tb_valid[@OUT@]) begin
        if (!(tb_stalled && tb_differs) && tb_shown < @SHOWN@)
          $display("sample %0d: out_valid: got %b, want %b", tb_sample, out_valid, tb_valid[@OUT@]);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
@COMPARE@    end
  endtask

  // lets what is wanted move on after a clock edge
  task tb_move;
    begin
      if (tb_valid[@OUT@]) begin
        if (tb_differs || tb_bad[@OUT@]) tb_failed = tb_failed + 1;
        tb_differs = 1'b0;
        tb_sample = tb_sample + 1;@TELL@
      end
      for (tb_stage = @LAST@; tb_stage > 0; tb_stage = tb_stage - 1) begin
        tb_index[tb_stage] = tb_index[tb_stage-1];
        tb_position[tb_stage] = tb_position[tb_stage-1];
@MOVE@    end
  endtask

  // goes back to the vectors that a reset has lost
  task tb_lose;
    begin
      tb_known = 1'b1;
      tb_seek = -1;
      for (tb_stage = 0; tb_stage <= @OUT@; tb_stage = tb_stage + 1)
        if (tb_valid[tb_stage]) begin
          tb_seek = tb_position[tb_stage];
          tb_fed = tb_index[tb_stage];
          tb_ended = 1'b0;
        end
      if (tb_seek >= 0) // apart from the next, for verilator calls a function on either side of &&
        if ($fseek(tb_file, tb_seek, 0) != 0) begin
          tb_stop = 1'b1;
          $display("FAIL: cannot read %0s again", tb_path);
        end
      if (tb_bad != {@DEPTH@{1'b0}}) tb_differs = 1'b1;
      tb_valid = {@DEPTH@{1'b0}};
      tb_bad = {@DEPTH@{1'b0}};
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", tb_path) == 0) tb_path = "@MODULE@_vectors.txt";
    if ($value$plusargs("count=%d", tb_count) == 0) tb_count = 0;
    {clk, rst, ce, in_valid} = 4'd0;
    {tb_known, tb_stalled, tb_full, tb_ended, tb_differs} = 5'd0;
    tb_valid = {@DEPTH@{1'b0}};
    tb_bad = {@DEPTH@{1'b0}};
    tb_sample = 0;
    tb_fed = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_idle = 0;
    tb_dice = 32'd1;
    tb_file = $fopen(tb_path, "r");
    tb_stop = tb_file == 0;
    if (tb_stop) $display("FAIL: cannot open %0s", tb_path);
    while (!tb_stop) begin
      if (!tb_valid[0] && !tb_ended) tb_offer;
      in_valid = tb_valid[0];
      tb_control;
      #1;
      tb_check;
      #1 clk = 1'b1;
      #1;
      if (rst) tb_lose;
      else if (ce) tb_move;
      tb_stalled = !ce && !rst;
      clk = 1'b0;
      tb_idle = tb_ended && tb_valid == {@DEPTH@{1'b0}} ? tb_idle + 1 : 0;
      if (!tb_stop && tb_idle > @QUIET@) begin
        tb_stop = 1'b1;
        tb_result;
      end
    end
    if (tb_file != 0) $fclose(tb_file);
    $finish;
  end

  task tb_result;
    begin
      if (tb_differs && tb_failed < tb_sample) tb_failed = tb_failed + 1;
      if (tb_failed == 0) $display("PASS: %0d vectors", tb_sample);
      else $display("FAIL: %0d of %0d vectors", tb_failed, tb_sample);
    end
  endtask
endmodule

`default_nettype wire
