
  localparam real BIT = 100.0 * @HZ@ / @BAUD@;  // ns
  reg rst_n = 0, rx = 1;
  wire tx, frame_error;
  @TOP@ @PARAMETERS@dut (.clk(clk), .rst_n(rst_n), .rx(rx), .tx(tx), .frame_error(frame_error), .error(error));

  reg begins = 1;  // the next byte begins a sample
  reg breaks = 0;  // frame_error must be 1
  integer b;

  // Bytes would be ignored until the line has been idle.
  task rest;
    repeat (@IDLE@ + 4) #BIT;
  endtask

  task restart;
    begin
      running = 0;
      rst_n = 0;
      repeat (8) @(negedge clk);
      rst_n = 1;
      repeat (8) @(negedge clk);
      fails = 0;
      breaks = 0;
      begins = 1;
      running = 1;
      rest;
    end
  endtask

  initial begin
    restart;
    while (sent < UNITS) begin
      if (units[sent][RESET]) begin
        wait (got == whole);
        restart;
      end
      if (begins) begin
        wait (got + (@AHEAD@ & !units[sent][ALONE]) >= whole);
        if ($random(seed) % 4 == 0) #(3 * BIT);
      end
      rx = 0;
      #BIT;
      for (b = 0; b < 8; b = b + 1) begin
        rx = units[sent][b];
        #BIT;
      end
      if (units[sent][FAILS]) sure = 0;
      if (units[sent][WHOLE]) whole = whole + 1;
      rx = !units[sent][BREAKS];
      #BIT;
      rx = 1;
      if (units[sent][FAILS]) begin
        rest;
        fails = 1;
        breaks = breaks | units[sent][BREAKS];
        sure = 1;
      end
      begins = units[sent][LAST];
      sent = sent + 1;
    end
  end

  reg [@RESULT@-1:0] answer;
  integer place = 0, k;
  always @(negedge tx)
    if (running) begin
      #(1.5 * BIT);
      for (k = 0; k < 8; k = k + 1) begin
        answer[8*place+k] = tx;
        #BIT;
      end
      if (tx !== 1'b1 || sure && frame_error !== breaks) broken("an answer without a stop bit");
      place = (place + 1) % (@RESULT@ / 8);
      if (place == 0) compare(answer);
    end
