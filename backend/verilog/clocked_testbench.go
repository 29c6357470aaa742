package verilog

import (
	"fmt"

	"ialgn/netlist"
)

// depth returns the range of what is wanted of a port: in a pipeline, of each stage's sample.
func (t testbench) depth() string {
	if t.clock == nil {
		return ""
	}
	return fmt.Sprintf(" [0:%d]", t.last())
}

// last returns the latest stage, which is that of the outputs unless a probe is later.
func (t testbench) last() int {
	last := t.clock.Stages
	for _, p := range t.groups[probes].ports {
		last = max(last, t.stageOf(p))
	}
	return last
}

// want returns what is wanted of a port, in a pipeline of the sample in the given stage.
func (t testbench) want(p netlist.Port, stage int) string {
	if t.clock == nil {
		return "tb_want_" + p.Name
	}
	return fmt.Sprintf("tb_want_%s[%d]", p.Name, stage)
}

// WantedBit returns the bit of an output port or probe that the testbench of a module wants, as
// an expression for Verilog that is simulated with it: of the sample that is in the given stage
// between two edges of the clock; without a clock, of the sample at the inputs.
func WantedBit(n *netlist.Netlist, module, port string, bit, stage int) string {
	if p, err := n.Pipeline(); err != nil || p == nil {
		return fmt.Sprintf("%s_tb.tb_want_%s[%d]", module, port, bit)
	}
	return fmt.Sprintf("%s_tb.tb_want_%s[%d][%d]", module, port, stage, bit)
}

// wrong returns the signal that notes a difference.
func (t testbench) wrong(stage int) string {
	if t.clock == nil {
		return "tb_differs"
	}
	return fmt.Sprintf("tb_bad[%d]", stage)
}

func (t testbench) clockedDeclarations() {
	t.printf(`  reg  clk, rst, ce, in_valid;
  wire out_valid;

  // of the samples that are on their way, by stage; the one in stage 0 is offered
  reg  [%[1]d:0] tb_valid, tb_bad;
  integer tb_index [0:%[1]d];
  integer tb_position [0:%[1]d];
  integer tb_fed, tb_stage, tb_seek, tb_idle;
  reg  [31:0] tb_dice;
  reg  tb_known, tb_stalled, tb_full, tb_ended;
`, t.last())
}

// clockedMain writes the tasks that a clock is made of, and the loop over the clocks.
func (t testbench) clockedMain() {
	t.offerTask()
	t.drawTask()
	t.clockedCheck()
	t.moveTask()
	t.resetTask()
	t.loop()
	t.resultTask()
}

// offerTask writes the task that decides what is at the inputs in the next clock: still the
// sample that a stall has kept there, nothing known, or the next vector.
func (t testbench) offerTask() {
	t.text(`
  // draws a number
  task tb_draw;
    tb_dice = tb_dice * 32'd1664525 + 32'd1013904223;
  endtask

  // offers the next vector, or none
  task tb_offer;
    begin
      tb_draw;
      if (tb_dice[31:30] == 2'd0) begin
`)
	for _, p := range t.groups[inputs].ports {
		t.printf("        %s = %d'bx;\n", p.Name, len(p.Nets))
	}
	t.printf(`      end else begin
        tb_position[0] = $ftell(tb_file);
        tb_vector;
        if (tb_read == %[1]d && $fgetc(tb_file) == 10) begin
          tb_valid[0] = 1'b1;
          tb_index[0] = tb_fed;
          tb_fed = tb_fed + 1;
          tb_ended = tb_fed == tb_count;
        end else begin
          tb_ended = 1'b1;
          if (tb_read > 0 || $feof(tb_file) == 0) begin
            tb_stop = 1'b1;
            $display("FAIL: %%0s: vector %%0d is not a line of %[1]d numbers", tb_path, tb_fed);
          end else if (tb_fed == 0 || tb_fed < tb_count) begin
            tb_stop = 1'b1;
            $display("FAIL: %%0s ends after %%0d vectors", tb_path, tb_fed);
          end
        end
      end
    end
  endtask
`, t.fields())
}

// drawTask writes the task that draws stalls and resets. A reset comes about once in 64 times
// the clocks that a sample takes, so that most come through. The first comes in a stall.
func (t testbench) drawTask() {
	t.printf(`
  // draws ce and rst
  task tb_control;
    begin
      tb_draw;
      ce = tb_dice[31:30] != 2'd0 && tb_known;
      tb_draw;
      rst = tb_dice[31:8] < 24'd%d || !tb_known || (tb_valid[%d] && !tb_full);
      if (tb_valid[%[2]d]) tb_full = 1'b1;
    end
  endtask
`, (1<<24)/(64*(t.clock.Stages+1)), t.clock.Stages)
}

// clockedCheck writes the task that compares what stands at the outputs and the probes before
// a clock edge with what should.
func (t testbench) clockedCheck() {
	t.text("\n  // compares wherever there is a sample\n  task tb_check;\n")
	if t.wide() {
		t.text("    integer tb_bit;\n")
	}
	last := t.clock.Stages
	t.printf(`    begin
      if (tb_known && out_valid !== tb_valid[%[1]d]) begin
        if (!(tb_stalled && tb_differs) && tb_shown < %[2]d)
          $display("sample %%0d: out_valid: got %%b, want %%b", tb_sample, out_valid, tb_valid[%[1]d]);
        tb_shown = tb_shown + 1;
        tb_differs = 1'b1;
      end
`, last, maxShown)
	t.compareAll(func(p netlist.Port, signal string) {
		stage := last
		if signal != p.Name {
			stage = t.stageOf(p)
		}
		t.compareSignal(signal, p, stage)
	})
	t.text("    end\n  endtask\n")
}

// moveTask writes the task that lets the samples move on as the design should.
func (t testbench) moveTask() {
	last, out := t.last(), t.clock.Stages
	t.printf(`
  // lets what is wanted move on after a clock edge
  task tb_move;
    begin
      if (tb_valid[%[2]d]) begin
        if (tb_differs || tb_bad[%[2]d]) tb_failed = tb_failed + 1;
        tb_differs = 1'b0;
        tb_sample = tb_sample + 1;%[3]s
      end
      for (tb_stage = %[1]d; tb_stage > 0; tb_stage = tb_stage - 1) begin
        tb_index[tb_stage] = tb_index[tb_stage-1];
        tb_position[tb_stage] = tb_position[tb_stage-1];
`, last, out, t.telling())
	for _, g := range t.groups[outputs:] {
		for _, p := range g.ports {
			t.printf("        tb_want_%[1]s[tb_stage] = tb_want_%[1]s[tb_stage-1];\n", p.Name)
		}
	}
	t.text("      end\n")
	for _, name := range []string{"tb_valid", "tb_bad"} {
		if last == 0 {
			t.printf("      %s = 1'b0;\n", name)
		} else {
			t.printf("      %s = {%[1]s[%d:0], 1'b0};\n", name, last-1)
		}
	}
	t.text("    end\n  endtask\n")
}

// resetTask writes the task that goes back to the oldest sample that a reset has lost.
func (t testbench) resetTask() {
	t.printf(`
  // goes back to the vectors that a reset has lost
  task tb_lose;
    begin
      tb_known = 1'b1;
      tb_seek = -1;
      for (tb_stage = 0; tb_stage <= %[1]d; tb_stage = tb_stage + 1)
        if (tb_valid[tb_stage]) begin
          tb_seek = tb_position[tb_stage];
          tb_fed = tb_index[tb_stage];
          tb_ended = 1'b0;
        end
      if (tb_seek >= 0) // apart from the next, for verilator calls a function on either side of &&
        if ($fseek(tb_file, tb_seek, 0) != 0) begin
          tb_stop = 1'b1;
          $display("FAIL: cannot read %%0s again", tb_path);
        end
      if (tb_bad != {%[2]d{1'b0}}) tb_differs = 1'b1;
      tb_valid = {%[2]d{1'b0}};
      tb_bad = {%[2]d{1'b0}};
    end
  endtask
`, t.clock.Stages, t.last()+1)
}

// loop writes the loop over the clocks. After the last sample it goes on for as long as one
// takes, in which nothing may come.
func (t testbench) loop() {
	t.printf(`
  initial begin
    if ($value$plusargs("vectors=%%s", tb_path) == 0) tb_path = "%[1]s_vectors.txt";
    if ($value$plusargs("count=%%d", tb_count) == 0) tb_count = 0;
    {clk, rst, ce, in_valid} = 4'd0;
    {tb_known, tb_stalled, tb_full, tb_ended, tb_differs} = 5'd0;
    tb_valid = {%[2]d{1'b0}};
    tb_bad = {%[2]d{1'b0}};
    tb_sample = 0;
    tb_fed = 0;
    tb_failed = 0;
    tb_shown = 0;
    tb_idle = 0;
    tb_dice = 32'd1;
    tb_file = $fopen(tb_path, "r");
    tb_stop = tb_file == 0;
    if (tb_stop) $display("FAIL: cannot open %%0s", tb_path);
    while (!tb_stop) begin
      if (!tb_valid[0] && !tb_ended) tb_offer;
      in_valid = tb_valid[0];
      tb_control;
      #1;
      tb_check;
      #1 clk = 1'b1;
      #1;
      if (rst) tb_lose;
      else if (ce) tb_move;
      tb_stalled = !ce && !rst;
      clk = 1'b0;
      tb_idle = tb_ended && tb_valid == {%[2]d{1'b0}} ? tb_idle + 1 : 0;
      if (!tb_stop && tb_idle > %[3]d) begin
        tb_stop = 1'b1;
        tb_result;
      end
    end
    if (tb_file != 0) $fclose(tb_file);
    $finish;
  end
`, t.module, t.last()+1, 2*t.last()+2)
}

func (t testbench) resultTask() {
	t.text(`
  task tb_result;
    begin
      if (tb_differs && tb_failed < tb_sample) tb_failed = tb_failed + 1;
      if (tb_failed == 0) $display("PASS: %0d vectors", tb_sample);
      else $display("FAIL: %0d of %0d vectors", tb_failed, tb_sample);
    end
  endtask
`)
}
