package verify

// playerBench holds what comes of samples to what is expected. Inputs change while the clock is
// low, so that what moves at its edge is the same for all that look.
const playerBench = "`timescale 1ns / 1ps\n" + `
module player_tb;
  localparam UNITS = @UNITS@;  // of a sample
  localparam SAMPLES = @SAMPLES@;
  reg clk = 0;
  always #50 clk = ~clk;

  reg [@UNIT@-1:0] units[0:UNITS*SAMPLES-1];
  reg [@RESULT@-1:0] expected[0:SAMPLES-1];
  reg running = 0;  // the reset is over
  integer sent = 0, got = 0, differ = 0, late = 0, quiet = 0, seed = 1;  // of sent: units
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
      if (error !== 1'b0) broken("an error");
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
  reg [@UNIT@-1:0] in_data = 0;
  wire in_ready, out_valid;
  wire [@RESULT@-1:0] result;

  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
    running = 1;
  end

  always @(negedge clk)
    if (running) begin
      if (!in_valid && sent < UNITS * SAMPLES) begin
        in_valid = $random(seed) % 4 != 0;
        in_data = units[sent];
        in_last = sent % UNITS == UNITS - 1;
      end
      out_ready = $random(seed) % 4 != 0;
    end

  always @(posedge clk)
    if (running) begin
      if (in_valid && in_ready === 1'b1) begin
        sent = sent + 1;
        in_valid <= #1 0;
      end
      if (out_valid === 1'b1 && out_ready) compare(result);
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
  reg answers;
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

  // A frame of a command and count bytes: 0 reads, 1 sends a sample.
  task frame(input [7:0] command, input integer count);
    begin
      cs_n = 0;
      half;
      exchange(command);
      answers = back[0];
      if (back !== {7'd0, answers} || answers === 1'bx) broken("an unknown status");
      for (place = 0; place < count; place = place + 1) begin
        exchange(command[0] ? units[sent] : 8'd0);
        if (command[0]) sent = sent + 1;
        if (place < ANSWER) answer[8*place+:8] = back;
      end
      half;
      cs_n = 1;
      half;
      if (answers && count >= ANSWER) compare(answer);
    end
  endtask

  initial begin
    repeat (8) @(negedge clk);
    rst_n = 1;
    repeat (8) @(negedge clk);
    running = 1;
    while (got < SAMPLES) begin
      if (sent > got * UNITS) wait (ready === 1'b1);
      @(negedge clk);
      if (sent < UNITS * SAMPLES && (sent == got * UNITS || UNITS >= ANSWER)) frame(1, UNITS);
      else frame(0, ANSWER);
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

  integer b;
  initial begin
    repeat (8) @(negedge clk);
    rst_n = 1;
    repeat (8) @(negedge clk);
    running = 1;
    repeat (@IDLE@ + 4) #BIT;  // bytes before would be ignored
    while (sent < UNITS * SAMPLES) begin
      if (sent % UNITS == 0) begin
        wait (got * UNITS + UNITS >= sent);
        if ($random(seed) % 4 == 0) #(3 * BIT);
      end
      rx = 0;
      #BIT;
      for (b = 0; b < 8; b = b + 1) begin
        rx = units[sent][b];
        #BIT;
      end
      rx = 1;
      sent = sent + 1;
      #BIT;
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
      if (tx !== 1'b1 || frame_error !== 1'b0) broken("an answer without a stop bit");
      place = (place + 1) % (@RESULT@ / 8);
      if (place == 0) compare(answer);
    end
`
