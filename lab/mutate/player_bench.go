package main

// playerText is a testbench that plays a file of operations to a wrapper or an engine and prints what comes
// of it. What it prints does not depend on how long anything takes: results in their order, and what is
// read when nothing is on its way.
const playerText = `module player;
  reg clk = 0;
  always #5 clk = ~clk;
  reg [@OPERATION@-1:0] operations[0:@MOST@-1];
  reg [@OPERATION@-1:0] now;
  reg [3:0] operation;
  integer i, k, n, seed = 7, waited;
  wire error;
@PLAYER@
  initial begin
    if ($value$plusargs("operations=%d", n) == 0) n = 0;
    $readmemb("operations.txt", operations, 0, n - 1);
    start;
    for (i = 0; i < n; i = i + 1) begin
      now = operations[i];
      operation = now[@OPERATION@-1:@OPERATION@-4];
      play;
    end
    $finish;
  end
endmodule
`

// streamText plays beats by valid and ready, with pauses on both sides. Operations: 0 a beat, 1 a beat that is
// the last, 2 a reset, 3 wait for what is on its way, and show the error.
const streamText = `
  reg rst = 0, in_valid = 0, in_last = 0, out_ready = 0, kept = 0, begun = 0;
  wire in_ready, out_valid;
  wire [@UNIT@-1:0] in_data = now[@UNIT@-1:0];
  wire [@RESULT@-1:0] result;
  reg [@RESULT@-1:0] before;
@DUT@
  always @(posedge clk) begin
    if (out_valid === 1'b1 && !begun) $display("a result before the reset");
    if (out_valid === 1'b1 && out_ready) $display("result %b@ALSO@", result@ALSOVALUE@);
    if (kept && !(out_valid === 1'b1 && result === before)) $display("a result is withdrawn");
    kept <= begun && !rst && out_valid === 1'b1 && !out_ready;
    before <= result;
  end
  always @(negedge clk) out_ready = begun && $random(seed) % 4 != 0;

  task start;
    repeat (3) @(negedge clk);
  endtask

  task beat;
    begin
      while ($random(seed) % 4 == 0) @(negedge clk);
      in_valid = 1;
      in_last = operation[0];
      waited = 0;
      @(posedge clk);
      while (in_ready !== 1'b1) begin
        if (waited == @LATE@) begin
          $display("stuck");
          $finish;
        end
        waited = waited + 1;
        @(posedge clk);
      end
      @(negedge clk);
      in_valid = 0;
    end
  endtask

  task play;
    case (operation)
      4'd2: begin
        begun = 1;
        rst = 1;
        repeat (2) @(negedge clk);
        rst = 0;
      end
      4'd3: begin
        repeat (@LATE@) @(negedge clk);
        $display("error %b", error);
      end
      default: beat;
    endcase
  endtask
`

// uartText sends bytes and prints those that come back. Operations: 0 a byte, 1 a byte without a stop bit, 2 a
// reset, 3 wait for what is on its way, and show the errors, 4 idle bits, 5 and 6 a slow and a fast sender.
const uartText = `
  reg rst_n = 1, rx = 1;
  wire tx, frame_error;
  real bit_time = 10.0 * @CLOCKS@, sent_time = 10.0 * @CLOCKS@;
@DUT@
  reg [7:0] answer;
  integer b;
  always @(negedge tx) begin
    #(1.5 * bit_time);
    for (b = 0; b < 8; b = b + 1) begin
      answer[b] = tx;
      #(bit_time);
    end
    $display("byte %b stop %b", answer, tx);
  end

  task start;
    repeat (3) @(negedge clk);
  endtask

  task send;
    begin
      rx = 0;
      #(sent_time);
      for (k = 0; k < 8; k = k + 1) begin
        rx = now[k];
        #(sent_time);
      end
      rx = ~operation[0];
      #(sent_time);
      rx = 1;
      if (operation[0]) #(sent_time);
    end
  endtask

  task play;
    case (operation)
      4'd2: begin
        rst_n = 0;
        repeat (6) @(negedge clk);
        rst_n = 1;
      end
      4'd3: begin
        #(bit_time * @LATE@);
        $display("error %b frame_error %b", error, frame_error);
      end
      4'd4: repeat (now[7:0]) #(bit_time * @IDLES@);
      4'd5: sent_time = 1.015 * bit_time;
      4'd6: sent_time = 0.985 * bit_time;
      default: send;
    endcase
  endtask
`

// spiText has frames. Operations: 0 the begin of a frame, 1 a byte in exchange for one, 2 the end of a frame, 3 three
// bits of a byte, 4 a reset, 5 wait until ready is 1, 6 wait for what is on its way, and show the error.
const spiText = `
  reg rst_n = 1, sck = 0, mosi = 0, cs_n = 1;
  wire miso, ready;
@DUT@
  reg [7:0] back;

  task start;
    repeat (3) @(negedge clk);
  endtask

  task half;
    repeat (4) @(negedge clk);
  endtask

  task exchange(input integer last);
    begin
      back = 0;
      for (k = 7; k >= last; k = k - 1) begin
        mosi = now[k];
        half;
        back[k] = miso;
        sck = 1;
        half;
        sck = 0;
      end
      $display("byte %b", back);
    end
  endtask

  task play;
    case (operation)
      4'd0: begin
        cs_n = 0;
        half;
      end
      4'd1: exchange(0);
      4'd2: begin
        half;
        cs_n = 1;
        half;
      end
      4'd3: exchange(5);
      4'd4: begin
        rst_n = 0;
        repeat (6) @(negedge clk);
        rst_n = 1;
        repeat (6) @(negedge clk);
      end
      4'd5: begin
        for (waited = 0; waited < @LATE@ && ready !== 1'b1; waited = waited + 1) @(negedge clk);
        $display("ready %b", ready);
      end
      default: begin
        repeat (@LATE@) @(negedge clk);
        $display("ready %b error %b", ready, error);
      end
    endcase
  endtask
`
