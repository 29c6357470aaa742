@PORTS@  // Which word of which step comes next.
  reg [@PLACE@:0] place;
  reg [@MOMENT@:0] moment;
@AT@  reg skip;  // the packet is too long: its rest is dropped
  reg failed;
  reg [1:0] results;  // whole samples whose class is not taken
  wire take = in_valid & in_ready;
  wire last_place = place == @PLACES@'d@LASTPLACE@;
  wire last_moment = moment == @MOMENTS@'d@LASTMOMENT@;
  wire whole = last_place & last_moment;  // with this word
  wire fits = take & in_last & whole & ~skip;
  wire taken = out_valid & out_ready;

  assign in_ready = ~results[1];
  assign error = failed;

  always @(posedge clk)
    if (rst) begin
      place <= @PLACES@'d0;
      moment <= @MOMENTS@'d0;
@ATRESET@      skip <= 1'b0;
      failed <= 1'b0;
      results <= 2'd0;
    end else begin
      if (take) begin
        place <= in_last | last_place ? @PLACES@'d0 : place + @PLACES@'d1;
        if (in_last | (last_place & last_moment)) moment <= @MOMENTS@'d0;
        else if (last_place) moment <= moment + @MOMENTS@'d1;
@ATSTEP@        skip <= ~in_last & (skip | whole);
        if ((in_last ^ whole) & ~skip) failed <= 1'b1;
      end
      if (fits & ~taken) results <= results + 2'd1;
      if (taken & ~fits) results <= results - 2'd1;
@DROPPED@    end

  // A word becomes the number of thresholds that it exceeds.
  reg [@WORD@:0] word;
  reg [@LEVEL@:0] level;
  reg come, come_above, come_level;
  reg ends, ends_above, ends_level;  // the word is the last of a step
  reg begins, begins_above, begins_level;  // it is of the first step
  reg fit, fit_above, fit_level;  // the sample is whole
@ENCODER@  always @(posedge clk) begin
    word <= in_data;
    begins <= moment == @MOMENTS@'d0;
    begins_above <= begins;
    begins_level <= begins_above;
  end
  always @(posedge clk)
    if (rst) begin
      come <= 1'b0;
      come_above <= 1'b0;
      come_level <= 1'b0;
      ends <= 1'b0;
      ends_above <= 1'b0;
      ends_level <= 1'b0;
      fit <= 1'b0;
      fit_above <= 1'b0;
      fit_level <= 1'b0;
    end else begin
      come <= take;
      come_above <= come;
      come_level <= come_above;
      ends <= take & last_place;
      ends_above <= ends;
      ends_level <= ends_above;
      fit <= fits;
      fit_above <= fit;
      fit_level <= fit_above;
    end

  // The levels of a step, the first feature's lowest.
  reg [@LASTLEVEL@:0] levels;
  always @(posedge clk) if (come_level) levels <= @SHIFTED@;
  wire [@LASTBIT@:0] x;  // bit feature x @STEPS@ + j: the feature exceeds more than j thresholds
@BITS@
  // A step makes the next state of what it reads and the state, which begins with zeros.
  reg step, first, last;
  reg [@LASTSTATE@:0] state;
  wire [@LASTSTATE@:0] next;
  always @(posedge clk) first <= begins_level;
  always @(posedge clk)
    if (rst) begin
      step <= 1'b0;
      last <= 1'b0;
    end else begin
      step <= ends_level;
      last <= fit_level;
    end
  @CORE@ core (
      .x({state & {@STATES@{~first}}, x}),
      .h(next)
  );
  always @(posedge clk) if (step) state <= next;

  // After the last step the class follows from the state.
  reg decided;
  wire [@INDEX@:0] winner;
  always @(posedge clk)
    if (rst) decided <= 1'b0;
    else decided <= last;
  @HEAD@ head (
      .x(state),
      .class_index(winner)
  );

@RESULT@