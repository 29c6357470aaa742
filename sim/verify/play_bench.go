package verify

// playerBench holds what comes of samples to what is expected. Inputs change while the clock is
// low, so that what moves at its edge is the same for all that look.
//
// Above its data, a unit says in this order whether it is the last of a packet, comes after a reset,
// makes error 1 from then on, ends a sample that has a result, is sent with a wrong stop bit, and begins
// a packet that comes when all results have been taken.
const playerBench = "`timescale 1ns / 1ps\n" + `
module player_tb;
  localparam UNITS = @UNITS@;  // of all samples
  localparam SAMPLES = @SAMPLES@;  // that have a result
  localparam LAST = @UNIT@, RESET = @UNIT@ + 1, FAILS = @UNIT@ + 2, WHOLE = @UNIT@ + 3, BREAKS = @UNIT@ + 4, ALONE = @UNIT@ + 5;
  reg clk = 0;
  always #50 clk = ~clk;

  reg [@UNIT@+5:0] units[0:UNITS-1];
  reg [@RESULT@-1:0] expected[0:SAMPLES-1];
  reg running = 0;  // the reset is over
  reg reset_done = 0;  // the one before the next unit
  reg fails = 0;  // error must be 1
  reg sure = 1;  // it is known whether
  integer sent = 0, whole = 0;  // units, and samples among them that have a result
  integer got = 0, differ = 0, late = 0, quiet = 0, seed = 1;
  wire error;

  initial begin
    $readmemb("units.txt", units);
    $readmemb("expected.txt", expected);
  end

  task verdict;
    begin
      if (differ == 0) $display("PASS: %0d vectors", got);
      else $display("FAIL: %0d of %0d vectors", differ, SAMPLES);
      $finish;
    end
  endtask

  // A result has come.
  task compare(input [@RESULT@-1:0] result);
    begin
      if (got >= SAMPLES) differ = differ + 1;
      else if (result !== expected[got]) begin
        differ = differ + 1;
        $display("sample %0d: %b, expected %b", got, result, expected[got]);
      end
      got = got + 1;
      $display("at %0d", got);
      $fflush;
      late = 0;
    end
  endtask

  // Nothing that comes later can be right.
  task broken(input [8*40-1:0] what);
    begin
      $display("sample %0d: %0s", got < SAMPLES ? got : SAMPLES - 1, what);
      differ = differ + 1;
      verdict;
    end
  endtask

  always @(posedge clk)
    if (running) begin
      late = late + 1;
      quiet = got >= SAMPLES ? quiet + 1 : 0;
      if (sure && error !== fails) broken(fails ? "no error" : "an error");
      else if (quiet == @QUIET@) verdict;
      else if (late == @LATE@ && got < SAMPLES) broken("no result");
    end
@PLAYER@endmodule
`

// The pins of the wrappers with which units and results move by valid and ready.
const (
	streamPins = `
  @TOP@ dut (
    .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .in_last(in_last),
    .out_valid(out_valid), .out_ready(out_ready), .error(error)@OUTPUTS@);
`
	axisPins = `
  wire out_last;
  @TOP@ dut (
    .aclk(clk), .aresetn(~rst), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready), .s_axis_tdata(in_data),
    .s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(result),
    .m_axis_tlast(out_last), .error(error));

  always @(posedge clk) if (running && out_valid !== 1'b0 && out_last !== 1'b1) broken("a result without tlast");
`
)

// handshake plays samples one after the other, each side pausing at times.
const handshake = `
  reg rst = 1, in_valid = 0, in_last = 0, out_ready = 0;
  integer pause = 0;  // clocks in which no result is taken: long enough at times for others to wait behind it
  reg [@UNIT@-1:0] in_data = 0;
  wire in_ready, out_valid;
  wire [@RESULT@-1:0] result;

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
        end
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
`

// spiPlayer has a frame for each sample, which reads the result of the one before; and where a
// result has more bytes than a sample, one for each result, too. Halves of a period of sck have
// the fewest clocks that there may be, or some more.
const spiPlayer = `
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
`

// uartPlayer sends as a sender does whose clock is its own, and begins a sample when no more than
// one answer is on its way; at times it pauses before.
const uartPlayer = `
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
`
