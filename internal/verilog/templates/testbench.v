
  task tb_check;
@BIT@    begin
      tb_differs = 1'b0;
@COMPARE@      if (tb_differs) tb_failed = tb_failed + 1;
    end
  endtask

  initial begin
    if ($value$plusargs("vectors=%s", tb_path) == 0) tb_path = "@MODULE@_vectors.txt";
    if ($value$plusargs("count=%d", tb_count) == 0) tb_count = 0;
    tb_sample = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_file = $fopen(tb_path, "r");
    tb_stop = tb_file == 0;
    if (tb_stop) $display("FAIL: cannot open %0s", tb_path);
    while (!tb_stop) begin
      tb_vector;
      if (tb_read == @FIELDS@ && $fgetc(tb_file) == 10) begin
        #1;
        tb_check;
        tb_sample = tb_sample + 1;@TELL@
      end else begin
        tb_stop = 1'b1;
        if (tb_read > 0 || $feof(tb_file) == 0)
          $display("FAIL: %0s: vector %0d is not a line of @FIELDS@ numbers", tb_path, tb_sample);
        else if (tb_sample == 0 || tb_sample < tb_count)
          $display("FAIL: %0s ends after %0d vectors", tb_path, tb_sample);
        else tb_result;
      end
      if (!tb_stop && tb_sample == tb_count) begin
        tb_stop = 1'b1;
        tb_result;
      end
    end
    if (tb_file != 0) $fclose(tb_file);
    $finish;
  end

  task tb_result;
    if (tb_failed == 0) $display("PASS: %0d vectors", tb_sample);
    else $display("FAIL: %0d of %0d vectors", tb_failed, tb_sample);
  endtask
endmodule

`default_nettype wire
