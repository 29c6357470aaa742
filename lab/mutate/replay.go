package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/tool"
	"ialgn/internal/verify"
)

// replayLimit bounds one run of a simulator, or of yosys.
const replayLimit = 2 * time.Minute

// stimulus is what a replay feeds a design with, one line of bits a clock, or a sample.
type stimulus []string

// bitsOf returns the bits of the port x for sample i, most significant first.
func bitsOf(rows []uint64, width, w, i int) string {
	b := make([]byte, width)
	for k := range width {
		b[width-1-k] = '0' + byte(rows[k*w+i/64]>>(i%64)&1)
	}
	return string(b)
}

// stimulus makes lines of samples; of a pipeline, clocks with resets, gaps and stalls.
func (d *design) stimulus(r *rand.Rand, s verify.Samples) (stimulus, error) {
	port := d.out.Netlist.DataInputs()[0]
	rows, err := s.Rows(d.encoder.enc, port)
	if err != nil {
		return nil, err
	}
	var lines stimulus
	if !d.clocked() {
		for i := range s.Levels.Len() {
			lines = append(lines, bitsOf(rows, len(port.Nets), words(s), i))
		}
		return lines, nil
	}
	clock := func(control string, i int) {
		lines = append(lines, control+bitsOf(rows, len(port.Nets), words(s), i))
	}
	n := s.Levels.Len()
	clock("110", r.IntN(n))
	clock("110", r.IntN(n))
	for i := range n {
		for r.IntN(4) == 0 {
			clock([]string{"010", "000", "001"}[r.IntN(3)], r.IntN(n))
		}
		if i == n*2/3 {
			clock([]string{"100", "111"}[r.IntN(2)], r.IntN(n))
		}
		clock("011", i)
	}
	for range 12 {
		clock("010", r.IntN(n))
	}
	return lines, nil
}

func (d *design) clocked() bool {
	p, err := d.out.Netlist.Pipeline()
	return p != nil && err == nil
}

// mostLines bounds the lines of a stimulus.
const mostLines = 1024

// replayBench returns Verilog that prints the outputs of the design for the stimulus: a
// line a sample, or a line a clock, with zeros where there is no result.
func (d *design) replayBench() string {
	n := d.out.Netlist
	x := n.DataInputs()[0]
	var outs, wires, pins []string
	for _, p := range n.OutputPorts() {
		wires = append(wires, fmt.Sprintf("  wire [%d:0] %s;\n", len(p.Nets)-1, p.Name))
		outs = append(outs, p.Name)
		pins = append(pins, fmt.Sprintf(".%s(%s)", p.Name, p.Name))
	}
	control, body := 0, "#5 $display(\"%b\", {"+strings.Join(outs, ", ")+"});"
	if d.clocked() {
		control = 3
		pins = append(pins, ".clk(clk), .rst(c[2]), .ce(c[1]), .in_valid(c[0]), .out_valid(v)")
		body = "#2 $display(\"%b %b\", v, v === 1'b0 ? 0 : {" + strings.Join(outs, ", ") + "}); #3 clk = 1; #5 clk = 0;"
	}
	return fmt.Sprintf(replayText, len(x.Nets)+control-1, mostLines-1, len(x.Nets)-1, strings.Join(wires, ""),
		d.options.Module, x.Name, strings.Join(pins, ", "), body)
}

const replayText = `module replay;
  reg [%d:0] mem [0:%d];
  reg [%d:0] x;
  reg [2:0] c;
  reg clk;
  wire v;
  integer i, n;
%s  %s dut (.%s(x), %s);
  initial begin
    clk = 0;
    if ($value$plusargs("lines=%%d", n) == 0) n = 0;
    $readmemb("stimulus.txt", mem, 0, n - 1);
    for (i = 0; i < n; i = i + 1) begin
      {c, x} = {3'b000, mem[i]};
      %s
    end
    $finish;
  end
endmodule
`

// build compiles a text of the design for replays into the folder dir.
func (d *design) build(ctx context.Context, dir, text string) error {
	if err := writeAll(dir, files{"dut.v": text, "cells.v": d.cells, "replay.v": d.replayBench()}); err != nil {
		return err
	}
	iverilog, err := tool.Find("iverilog")
	if err != nil {
		return err
	}
	args := []string{"-g2001", "-o", "replay.vvp", "-s", "replay", "replay.v", "dut.v", "cells.v"}
	_, err = iverilog.Run(ctx, tool.Command{Args: args, Dir: dir, Limit: replayLimit})
	return err
}

// replay returns what a text that was compiled into a folder prints in the folder dir.
func replay(ctx context.Context, dir, built string, s stimulus) ([]string, error) {
	vvp, err := tool.Find("vvp")
	if err != nil {
		return nil, err
	}
	if err := writeAll(dir, files{"stimulus.txt": strings.Join(s, "\n") + "\n"}); err != nil {
		return nil, err
	}
	args := []string{"-n", filepath.Join(built, "replay.vvp"), "+lines=" + strconv.Itoa(len(s))}
	r, err := vvp.Run(ctx, tool.Command{Args: args, Dir: dir, Limit: replayLimit})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
	if len(lines) != len(s) {
		return nil, fmt.Errorf("replay: %d lines for %d of the stimulus: %.300s", len(lines), len(s), r.Stdout)
	}
	return lines, nil
}

// writeAll writes texts into a folder, by name.
func writeAll(dir string, texts files) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// evalLine and satLine are what yosys says of an output.
var (
	evalLine = regexp.MustCompile(`(?m)^Eval result: (.*)$`)
	satLine  = regexp.MustCompile(`(?m)^ +(\d+) \\(\w+) .* ([01]+)\s*$`)
)

// undriven is what yosys says where a net has no driver, which simulators call x.
const undriven = "Missing value for"

// evaluate returns the outputs that yosys computes from a text: for one input, or, with a
// clock, after the last of some clocks.
func (d *design) evaluate(ctx context.Context, dir, text string, s stimulus) (string, error) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		return "", err
	}
	if err := writeAll(dir, files{"dut.v": text, "cells.v": d.cells, "run.ys": d.yosysScript(s)}); err != nil {
		return "", err
	}
	r, err := yosys.Run(ctx, tool.Command{Args: []string{"-Q", "-T", "-s", "run.ys"}, Dir: dir, Limit: replayLimit})
	if err != nil {
		return "", err
	}
	want, line := len(d.out.Netlist.OutputPorts()), evalLine
	if d.clocked() {
		want, line = (want+1)*len(s), satLine
	}
	found := line.FindAllString(r.Stdout, -1)
	if len(found) == 0 && strings.Contains(r.Stdout, undriven) {
		return undriven, nil
	}
	if len(found) != want {
		return "", fmt.Errorf("yosys gave %d results, want %d: %.300s", len(found), want, r.Stdout)
	}
	if d.clocked() {
		found = found[want-want/len(s):]
		if slices.ContainsFunc(found, func(line string) bool {
			m := satLine.FindStringSubmatch(line)
			return m[2] == "out_valid" && m[3] == "0"
		}) {
			return "no result", nil
		}
	}
	return strings.Join(found, "\n"), nil
}

// yosysScript has yosys compute all outputs, for one input by eval, for several clocks by
// sat, which has nothing to choose where all inputs are set.
func (d *design) yosysScript(s stimulus) string {
	var b strings.Builder
	x := d.out.Netlist.DataInputs()[0]
	fmt.Fprintf(&b, "read_verilog -nosynthesis cells.v dut.v\nhierarchy -top %s\nproc\nflatten\nopt_clean\ncd %s\n",
		d.options.Module, d.options.Module)
	if !d.clocked() {
		fmt.Fprintf(&b, "eval -set %s %d'b%s", x.Name, len(x.Nets), s[0])
	} else {
		fmt.Fprintf(&b, "sat -seq %d -show out_valid", len(s))
		for i, line := range s {
			fmt.Fprintf(&b, " -set-at %d rst 1'b%c -set-at %d ce 1'b%c -set-at %d in_valid 1'b%c -set-at %d %s %d'b%s",
				i+1, line[0], i+1, line[1], i+1, line[2], i+1, x.Name, len(x.Nets), line[3:])
		}
	}
	for _, p := range d.out.Netlist.OutputPorts() {
		fmt.Fprintf(&b, " -show %s", p.Name)
	}
	return b.String() + "\n"
}

// samplesAround returns samples to run a design with: the given one between others.
func (d *design) samplesAround(r *rand.Rand, v []uint16, n int) verify.Samples {
	var list [][]uint16
	for range n {
		list = append(list, d.encoder.values(r.IntN(d.encoder.set.Levels.Len())),
			d.encoder.drift(r, d.encoder.values(r.IntN(d.encoder.set.Levels.Len()))))
		if v != nil {
			list = append(list, v)
		}
	}
	return d.encoder.of(list)
}

// checkReplay is a guard against a replay that tells nothing: the netlist's own simulation
// must agree with what the unchanged design prints.
func (d *design) checkReplay(s verify.Samples, printed []string) error {
	rows, err := d.respond(d.flat, s)
	if err != nil || d.clocked() {
		return err
	}
	for i := range s.Levels.Len() {
		line, row := "", 0
		for _, p := range d.out.Netlist.OutputPorts() {
			line += bitsOf(rows[row*words(s):], len(p.Nets), words(s), i)
			row += len(p.Nets)
		}
		if printed[i] != line {
			return fmt.Errorf("%s %s: iverilog and our simulator differ on the unchanged design", d.network, d.recipe.options)
		}
	}
	return nil
}
