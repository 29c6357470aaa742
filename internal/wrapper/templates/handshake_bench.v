
  localparam QUIET = LATE / 10;

  // looks at the pins: what moves at the next edge
  reg tb_moves, tb_comes;
  task tb_before;
    begin
      tb_moves = in_valid && in_ready === 1'b1;
      tb_comes = out_valid !== 1'b0 && out_ready;
      if (out_valid === 1'bx) tb_broken("out_valid is unknown");
      if (tb_comes) tb_result;
    end
  endtask

  // offers the next unit, or none
  task tb_offer;
    begin
      tb_draw;
      if (!in_valid && !tb_ended && tb_dice[31:30] != 2'd0) begin
        if (tb_unit == 0) tb_begin;
        if (!tb_ended) begin
          in_valid = 1'b1;
          in_data = tb_sample[tb_unit*@UNIT@+:@UNIT@];
          in_last = tb_unit == UNITS - 1;
@OFFERTAG@        end
      end
      tb_draw;
      out_ready = tb_dice[31:30] != 2'd0;
    end
  endtask

  task tb_play;
    begin
      tb_offer;
      tb_clock;
      if (tb_comes) tb_check;
      if (tb_moves) begin
        tb_unit = tb_unit == UNITS - 1 ? 0 : tb_unit + 1;
        in_valid = 1'b0;
        tb_late = 0;
      end
    end
  endtask

  task tb_reset;
    begin
      {in_valid, in_last, out_ready} = 3'd0;
      in_data = @UNIT@'d0;
      rst = 1'b1;
      repeat (4) tb_clock;
      rst = 1'b0;
    end
  endtask
