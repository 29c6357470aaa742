package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ialgn/internal/tool"
	"ialgn/internal/verify"
)

// replayLimit is the maximum time for iverilog, and for a simulation.
const replayLimit = 2 * time.Minute

// confirm checks in iverilog that a mutant has an effect. It returns an error if the Verilog of the mutant has the
// same outputs as the original.
func (d *design) confirm(ctx context.Context, r *rand.Rand, dir string, c *change, values []uint16) error {
	text, err := d.verilog(c.netlist)
	if err != nil {
		return err
	}
	bench, err := d.bench(d.encoder.of([][]uint16{d.encoder.any(r), d.encoder.any(r), values, d.encoder.any(r)}))
	if err != nil {
		return err
	}
	original, err := d.replay(ctx, dir, d.text, bench)
	if err != nil {
		return err
	}
	mutated, err := d.replay(ctx, dir, text, bench)
	if err != nil {
		return err
	}
	if original == mutated {
		return errors.New("outputs differ in our simulator and not in iverilog")
	}
	return os.RemoveAll(dir)
}

// replay simulates a Verilog text for the design with a testbench, and returns the output.
func (d *design) replay(ctx context.Context, dir, text, bench string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"dut.v": text, "cells.v": d.cells, "replay.v": bench} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	var printed string
	for _, args := range [][]string{
		{"iverilog", "-g2001", "-o", "replay.vvp", "-s", "replay", "replay.v", "dut.v", "cells.v"},
		{"vvp", "-n", "replay.vvp"},
	} {
		t, err := tool.Find(args[0])
		if err != nil {
			return "", err
		}
		r, err := t.Run(ctx, tool.Command{Args: args[1:], Dir: dir, Limit: replayLimit})
		if err != nil {
			return "", err
		}
		printed = r.Stdout
	}
	return printed, nil
}

// lateClocks is a number of clocks after which every result of a pipeline has appeared.
const lateClocks = 100

// bench returns a testbench that gives samples to the design and prints its outputs. For a pipeline, the testbench
// prints outputs only in clocks with a result.
func (d *design) bench(s verify.Samples) (string, error) {
	n := d.out.Netlist
	x := n.DataInputs()[0]
	rows, err := s.Rows(d.encoder.enc, x)
	if err != nil {
		return "", err
	}
	p, err := n.Pipeline()
	if err != nil {
		return "", err
	}
	var wires, pins, steps strings.Builder
	var outs []string
	for _, p := range n.OutputPorts() {
		fmt.Fprintf(&wires, "  wire [%d:0] %s;\n", len(p.Nets)-1, p.Name)
		fmt.Fprintf(&pins, ", .%s(%s)", p.Name, p.Name)
		outs = append(outs, p.Name)
	}
	show := fmt.Sprintf("$display(\"%%b\", {%s});", strings.Join(outs, ", "))
	if p != nil {
		pins.WriteString(", .clk(clk), .rst(rst), .ce(1'b1), .in_valid(valid), .out_valid(out_valid)")
		show = "if (out_valid !== 1'b0) " + show + " clk = 1; #5 clk = 0;"
	}
	for i := range s.Levels.Len() {
		digits := ""
		for k := range x.Nets {
			digits = fmt.Sprint(rows[k]>>i&1) + digits // there are fewer than 64 samples, so each row has one word
		}
		fmt.Fprintf(&steps, "    x = %d'b%s; step;\n", len(x.Nets), digits)
	}
	return fmt.Sprintf(benchText, len(x.Nets)-1, wires.String(), d.options.Module, x.Name, pins.String(),
		show, steps.String(), lateClocks), nil
}

const benchText = `module replay;
  reg clk = 0, rst = 1, valid = 0;
  reg [%d:0] x;
  wire out_valid;
%s  %s dut (.%s(x)%s);
  task step;
    begin #5 %s end
  endtask
  initial begin
    step;
    step;
    rst = 0;
    valid = 1;
%s    valid = 0;
    repeat (%d) step;
  end
endmodule
`
