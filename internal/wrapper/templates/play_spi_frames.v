
  localparam ANSWER = @RESULT@ / 8;  // bytes
  reg rst_n = 0, sck = 0, mosi = 0, cs_n = 1;
  wire miso, ready;
  @TOP@ dut (.clk(clk), .rst_n(rst_n), .sck(sck), .mosi(mosi), .miso(miso), .cs_n(cs_n), .ready(ready), .error(error));

  reg [7:0] back;
  reg [@RESULT@-1:0] answer;
  reg answers, more, bad;
  integer k, place;

  task half;
    repeat ($random(seed) % 8 == 0 ? 7 : 4) @(negedge clk);
  endtask

  task exchange(input [7:0] value);
    for (k = 7; k >= 0; k = k - 1) begin
      mosi = value[k];
      half;
      back[k] = miso;
      sck = 1;
      half;
      sck = 0;
    end
  endtask

  // The command of a frame and the status that answers it.
  task open(input [7:0] command);
    begin
      cs_n = 0;
      half;
      exchange(command);
      answers = back[0];
      if (back !== {6'd0, fails, answers} || answers === 1'bx) broken("an unknown status");
      place = 0;
    end
  endtask

  task next(input [7:0] value);
    begin
      exchange(value);
      if (place < ANSWER) answer[8*place+:8] = back;
      place = place + 1;
    end
  endtask

  task close;
    begin
      half;
      cs_n = 1;
      half;
      if (answers && place >= ANSWER) compare(answer);
    end
  endtask

  // A frame that sends the units up to the last of a packet.
  task send;
    begin
      open(1);
      more = 1;
      bad = 0;
      while (more) begin
        more = !units[sent][LAST];
        bad = bad | units[sent][FAILS];
        if (units[sent][FAILS]) sure = 0;
        next(units[sent][7:0]);
        if (units[sent][WHOLE]) whole = whole + 1;
        sent = sent + 1;
      end
      close;
      repeat (8) @(negedge clk);
      fails = fails | bad;
      sure = 1;
      reset_done = 0;
    end
  endtask

  task restart;
    begin
      running = 0;
      rst_n = 0;
      repeat (8) @(negedge clk);
      rst_n = 1;
      repeat (8) @(negedge clk);
      fails = 0;
      reset_done = 1;
      running = 1;
    end
  endtask

  initial begin
    restart;
    while (got < SAMPLES) begin
      if (whole > got) wait (ready === 1'b1);
      @(negedge clk);
      if (sent == UNITS || whole > got && (units[sent][ALONE] || units[sent][RESET] || @EACH@ < ANSWER)) begin
        open(0);
        while (place < ANSWER) next(8'd0);
        close;
      end else begin
        if (units[sent][RESET] && !reset_done) restart;
        send;
      end
    end
    repeat (@QUIET@ / 2) @(negedge clk);
    if (ready !== 1'b0) broken("a result too many");
  end
