  reg  clk, rst, ce, in_valid;
  wire out_valid;

  // of the samples that are on their way, by stage; the one in stage 0 is offered
  reg  [@LAST@:0] tb_valid, tb_bad;
  integer tb_index [0:@LAST@];
  integer tb_position [0:@LAST@];
  integer tb_fed, tb_stage, tb_seek, tb_idle;
  reg  [31:0] tb_dice;
  reg  tb_known, tb_stalled, tb_full, tb_ended;
