package fold

// engine is the module. A step takes eight clocks from pc to the best class; only v depends on
// itself. A sample is whole in its buffer three clocks after its last word, and its first step
// reads it one clock later.
const engine = "`default_nettype none\n" + `
module @MODULE@ (
    input  wire clk,
    input  wire rst,
    input  wire in_valid,
    output wire in_ready,
    input  wire [@WORD@:0] in_data,
    input  wire in_last,
@DROP@    output reg out_valid,
    input  wire out_ready,
    output reg [@INDEX@:0] class_index,
    output wire error
);
  // Samples are loaded into two buffers in turn.
  reg [@FEATURE@:0] at;  // words of this packet so far, if it is not too long
  reg skip;  // the packet is too long: its rest is dropped
  reg failed;
  reg loading;  // the buffer that is loaded
  reg [1:0] full;
  reg release_it;  // the last step of a sample was read
  reg released;  // its buffer
  wire take = in_valid & in_ready;
  wire whole = at == @FBITS@'d@LASTWORD@;  // with this word

  assign in_ready = ~full[loading];
  assign error = failed;

  always @(posedge clk)
    if (rst) begin
      at <= @FBITS@'d0;
      skip <= 1'b0;
      failed <= 1'b0;
      loading <= 1'b0;
      full <= 2'b00;
    end else begin
      if (release_it) full[released] <= 1'b0;
      if (take) begin
        at <= in_last ? @FBITS@'d0 : at + @FBITS@'d1;
        skip <= ~in_last & (skip | whole);
        if ((in_last ^ whole) & ~skip) failed <= 1'b1;
        if (in_last & whole & ~skip) begin
          full[loading] <= 1'b1;
          loading <= ~loading;
        end
      end
@DROPPED@    end

  // A word becomes the number of thresholds that it exceeds.
  reg [@WORD@:0] word;
  reg [@LEVEL@:0] level;
  reg [@PLACE@:0] place, place_above, place_level;  // buffer and feature, on the way
  reg write, write_above, write_level;
@ENCODER@  always @(posedge clk) begin
    word <= in_data;
    place <= {loading, at};
    place_above <= place;
    place_level <= place_above;
    write <= take;
    write_above <= write;
    write_level <= write_above;
  end

  // The program runs for each sample that is whole, if its result has a place: on the way, or
  // where it waits until it is taken.
  reg [@PC@:0] pc;
  reg running;
  reg current;  // the buffer that it reads
  reg next;  // the buffer of the next run
  reg [1:0] results;  // that were begun and are not taken
  wire last = pc == @PCBITS@'d@LASTSTEP@;
  wire start = full[next] & ~results[1] & (~running | last);
  wire taken = out_valid & out_ready;

  always @(posedge clk)
    if (rst) begin
      pc <= @PCBITS@'d0;
      running <= 1'b0;
      next <= 1'b0;
      results <= 2'd0;
    end else begin
      pc <= running & ~last ? pc + @PCBITS@'d1 : @PCBITS@'d0;
      running <= start | (running & ~last);
      if (start) next <= ~next;
      if (start & ~taken) results <= results + 2'd1;
      if (taken & ~start) results <= results - 2'd1;
    end

  always @(posedge clk) if (start) current <= next;

  // What goes with a step: read from the program, chosen among its memories, its bit read,
  // looked at, applied.
  reg valid_read, valid_step, valid_bit;
  reg last_read, buffer_read, buffer_step;
  always @(posedge clk)
    if (rst) begin
      valid_read <= 1'b0;
      valid_step <= 1'b0;
      valid_bit <= 1'b0;
      release_it <= 1'b0;
      last_read <= 1'b0;
    end else begin
      valid_read <= running;
      valid_step <= valid_read;
      valid_bit <= valid_step;
      last_read <= running & last;
      release_it <= last_read;
    end
  always @(posedge clk) begin
    buffer_read <= current;
    buffer_step <= buffer_read;
    released <= buffer_read;
  end

@SELECT@@LANES@  // The chains of a class are counted; the first class with the most of them wins.
  reg [@COUNT@:0] count, total, best;
  reg complete;  // total is that of a class
  reg [@INDEX@:0] number, winner;  // of this class, and of the best so far
  reg decided;
  wire first = number == @IBITS@'d0;
  wire highest = number == @IBITS@'d@LASTCLASS@;

  always @(posedge clk)
    if (rst) begin
      count <= @CBITS@'d0;
      number <= @IBITS@'d0;
      complete <= 1'b0;
      decided <= 1'b0;
    end else begin
      count <= close ? @CBITS@'d0 : count + @ENDED@;
      complete <= close;
      if (complete) number <= highest ? @IBITS@'d0 : number + @IBITS@'d1;
      decided <= complete & highest;
    end
  always @(posedge clk) begin
    total <= count + ones;
    if (complete & (first | total > best)) begin
      best <= total;
      winner <= number;
    end
  end

  // A result waits until the one before it is taken.
  reg waiting;
  reg [@INDEX@:0] result;
  wire show = waiting & ~out_valid;
  always @(posedge clk)
    if (rst) begin
      waiting <= 1'b0;
      out_valid <= 1'b0;
    end else begin
      waiting <= decided | (waiting & ~show);
      out_valid <= show | (out_valid & ~out_ready);
    end
  always @(posedge clk) begin
    if (decided) result <= winner;
    if (show) class_index <= result;
  end
endmodule

` + "`default_nettype wire\n"

// lane is what there is for each step of a clock.
const lane = `  // Lane @L@: its program, its copy of the two samples, and the chain so far.
@MEMORIES@  reg [@STEP@:0] step_@L@;
  always @(posedge clk) step_@L@ <= @READ@;

  (* ram_style = "block" *)
  reg [@LEVEL@:0] image_@L@[0:@PLACES@];
  reg [@LEVEL@:0] level_@L@;
  always @(posedge clk) begin
    if (write_level) image_@L@[place_level] <= level;
    level_@L@ <= image_@L@[{buffer_step, step_@L@[@ADDRESS@:@LBITS@]}];
  end

  reg [@LEVEL@:0] j_@L@;
  reg [3:0] do_@L@;  // the step whose bit that is: ends, inverted, operation
  reg x_@L@, v_@L@, ends_@L@, added_@L@;
  reg [1:0] op_@L@;
  wire add_@L@ = added_@L@ & v_@L@;
  always @(posedge clk) begin
    j_@L@ <= step_@L@[@LEVEL@:0];
    do_@L@ <= step_@L@[@END@:@OPLOW@];
    x_@L@ <= (level_@L@ > j_@L@) ^ do_@L@[2];
    op_@L@ <= do_@L@[1:0];
    case (op_@L@)
      2'd0: v_@L@ <= x_@L@;
      2'd1: v_@L@ <= v_@L@ & x_@L@;
      2'd2: v_@L@ <= v_@L@ | x_@L@;
      default: v_@L@ <= v_@L@ ^ x_@L@;
    endcase
  end
  always @(posedge clk)
    if (rst) begin
      ends_@L@ <= 1'b0;
      added_@L@ <= 1'b0;
    end else begin
      ends_@L@ <= do_@L@[3] & valid_bit;
      added_@L@ <= ends_@L@;
    end

`

// closing0 is what lane 0 has beside: it closes the classes.
const closing0 = `  reg closing, close;  // a class
  reg [@COUNT@:0] ones_read, ones_seen, ones;  // of its chains that are always 1
  always @(posedge clk)
    if (rst) begin
      closing <= 1'b0;
      close <= 1'b0;
    end else begin
      closing <= valid_bit & (do_0[2:0] == 3'b111);
      close <= closing;
    end
  always @(posedge clk) begin
    ones_read <= step_0[@COUNT@:0];
    ones_seen <= ones_read;
    ones <= ones_seen;
  end

`
