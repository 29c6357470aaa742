@PORTS@  // Samples are loaded into two buffers in turn.
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
@ORDER@  reg [@INDEX@:0] number, winner;  // of this class, and of the best so far
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
      winner <= @NUMBERED@;
    end
  end

@RESULT@