  // the number of bits of the numbers below limit, at least 2
  function integer bits_below;
    input integer limit;
    begin
      bits_below = 2;
      while (limit > (1 << bits_below)) bits_below = bits_below + 1;
    end
  endfunction
