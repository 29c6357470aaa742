@PORTS@  // Samples are loaded into two buffers in turn, plane by plane.
  reg [@PIXEL@:0] pixel;  // of this plane
@PLANE@  reg skip;  // the packet is too long: its rest is dropped
  reg failed;
  reg loading;  // the buffer that is loaded
  reg [1:0] full;  // all words of the sample have come
  reg [1:0] stored;  // and are in the buffer
  reg current;  // the buffer that is scanned
  wire ended;  // with this clock, its scan
  wire take = in_valid & in_ready;
  wire last_pixel = pixel == @PIXELS@'d@LASTPIXEL@;
  wire whole = @WHOLE@;  // with this word
  wire fits = take & in_last & whole & ~skip;

  assign in_ready = ~full[loading];
  assign error = failed;

  always @(posedge clk)
    if (rst) begin
      pixel <= @PIXELS@'d0;
@PLANERESET@      skip <= 1'b0;
      failed <= 1'b0;
      loading <= 1'b0;
      full <= 2'b00;
    end else begin
      if (ended) full[current] <= 1'b0;
      if (take) begin
        pixel <= in_last | last_pixel ? @PIXELS@'d0 : pixel + @PIXELS@'d1;
@PLANESTEP@        skip <= ~in_last & (skip | whole);
        if ((in_last ^ whole) & ~skip) failed <= 1'b1;
      end
      if (fits) begin
        full[loading] <= 1'b1;
        loading <= ~loading;
      end
@DROPPED@    end

  // A word becomes the number of thresholds that it exceeds.
  reg [@WORD@:0] word;
  reg [@LEVEL@:0] level;
  reg [@PIXELS@:0] place, place_above, place_level;  // buffer and pixel, on the way
@PLANEPLACE@  reg write, write_above, write_level;
  reg fit, fit_above, fit_level;  // the sample is whole
@ENCODER@  always @(posedge clk) begin
    word <= in_data;
    place <= {loading, pixel};
    place_above <= place;
    place_level <= place_above;
@PLANEMOVE@    write <= take;
    write_above <= write;
    write_level <= write_above;
  end
  always @(posedge clk)
    if (rst) begin
      fit <= 1'b0;
      fit_above <= 1'b0;
      fit_level <= 1'b0;
      stored <= 2'b00;
    end else begin
      fit <= fits;
      fit_above <= fit;
      fit_level <= fit_above;
      if (fit_level) stored[place_level[@PIXELS@]] <= 1'b1;
      if (ended) stored[current] <= 1'b0;
    end

  // Each sample that is whole is scanned, all planes of a pixel in a clock, if its result has a place:
  // on the way, or where it waits until it is taken.
  reg [@PIXEL@:0] scan;
  reg scanning;
  reg valid_0;  // there is a pixel
  reg next;  // the buffer of the next scan
  reg [1:0] results;  // that were begun and are not taken
  wire @READY@;  // each convolution takes what comes before it
  wire advance = ~valid_0 | ready_1;
  wire last = scan == @PIXELS@'d@LASTPIXEL@;
  wire start = stored[next] & ~results[1] & (~scanning | ended);
  wire taken = out_valid & out_ready;
  assign ended = scanning & advance & last;

  always @(posedge clk)
    if (rst) begin
      scan <= @PIXELS@'d0;
      scanning <= 1'b0;
      valid_0 <= 1'b0;
      next <= 1'b0;
      results <= 2'd0;
    end else begin
      if (scanning & advance) scan <= last ? @PIXELS@'d0 : scan + @PIXELS@'d1;
      scanning <= start | (scanning & ~ended);
      if (advance) valid_0 <= scanning;
      if (start) next <= ~next;
      if (start & ~taken) results <= results + 2'd1;
      if (taken & ~start) results <= results - 2'd1;
    end

  always @(posedge clk) if (start) current <= next;

@IMAGES@@CONVOLUTIONS@  // What leaves the last convolution: bit position x @KERNELS@ + kernel, the positions row by row.
  reg [@LASTBIT@:0] gathered;
  reg complete;
@GATHER@
  wire [@INDEX@:0] winner;
@DENSE@
@RESULT@