  // Lane @L@: its program, its copy of the two samples, and the chain so far.
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

