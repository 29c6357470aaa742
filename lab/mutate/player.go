package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/tool"
	"ialgn/netlist"
)

// player plays samples to the wrapper or the engine of a design, by its protocol. It is not the one that
// verify has.
type player struct {
	bench  string
	lines  []string // one for each operation
	result []string // output of the unchanged design
}

// playLimit bounds what a play takes, of a tenth of a second to two. A mutant may have no end, nor may its building.
const playLimit = 20 * time.Second

// The operations of the players.
const (
	opBeat, opLast, opReset, opDrain       = 0, 1, 2, 3 // operations of valid and ready
	opByte, opNoStop, opIdle               = 0, 1, 4    // operations of a serial line, in addition to opReset and opDrain
	opSlow, opFast                         = 5, 6
	opFrame, opExchange, opEnd, opPart     = 0, 1, 2, 3 // operations of SPI
	opRestart, opReady, opSettled          = 4, 5, 6
	mostOperations                         = 8192
	defaultClockHz, defaultBaud, idleQuick = 12_000_000, 115_200, 40
)

// form is one way to play a design: the parameters with which its top is instantiated.
type form struct {
	beat  int  // words, or bytes, of a clock; 0: as it is written
	quick bool // a serial line with few clocks a bit and few idle bits
}

// forms returns the ways to play a design.
func (d *design) forms() []form {
	switch {
	case d.wrap == "uart":
		return []form{{quick: true}, {}}
	case d.lanes > 0 || d.wrap == "spi":
		return []form{{}}
	}
	return []form{{}, {beat: 3}}
}

// preparePlayers makes the players of a wrapper or an engine and has them play the unchanged design.
func (d *design) preparePlayers(ctx context.Context) error {
	if d.wrap == "" && d.lanes == 0 {
		return nil
	}
	for i, f := range d.forms() {
		p := &player{bench: d.playerBench(f), lines: d.operations(rand.New(rand.NewPCG(uint64(i), 0x706c6179)), f)}
		var err error
		if p.result, err = p.play(ctx, d, fmt.Sprint(d.built(), i), nil); err != nil {
			return err
		}
		if len(p.result) < 4 || slices.Contains(p.result, "stuck") {
			return fmt.Errorf("%s %s: the player came to no results: %q", d.network, d.recipe.options, p.result)
		}
		d.players = append(d.players, p)
	}
	return nil
}

// played reports whether a design with other files does another thing for what the players play.
func (d *design) played(ctx context.Context, dir string, changed files) (differs bool, err error) {
	for _, p := range d.players {
		got, err := p.play(ctx, d, dir, changed)
		if err != nil || !slices.Equal(got, p.result) {
			return err == nil, err
		}
	}
	return false, nil
}

// play returns what a design with changed files, by format, prints. A design that does not stop says so.
func (p *player) play(ctx context.Context, d *design, dir string, changed files) ([]string, error) {
	texts := files{"player.v": p.bench, "operations.txt": strings.Join(p.lines, "\n") + "\n"}
	args := []string{"-g2001", "-o", "player.vvp", "-s", "player", "player.v"}
	for _, f := range d.out.Manifest.Files {
		text, ok := changed[f.Format]
		if !ok {
			text = d.files[f.Name]
		}
		if byName, ok := changed[f.Name]; ok {
			text = byName
		}
		if d.belongs(f.Format) {
			if texts[f.Name] = text; strings.HasSuffix(f.Name, ".v") {
				args = append(args, f.Name)
			}
		}
	}
	if err := writeAll(dir, texts); err != nil {
		return nil, err
	}
	iverilog, err := tool.Find("iverilog")
	if err != nil {
		return nil, err
	}
	if _, err := iverilog.Run(ctx, tool.Command{Args: args, Dir: dir, Limit: playLimit}); err != nil {
		return nil, err
	}
	vvp, err := tool.Find("vvp")
	if err != nil {
		return nil, err
	}
	r, err := vvp.Run(ctx, tool.Command{
		Args: []string{"-n", "player.vvp", "+operations=" + strconv.Itoa(len(p.lines))},
		Dir:  dir, Limit: playLimit,
	})
	return strings.Split(strings.TrimSpace(r.Stdout), "\n"), err
}

// belongs reports whether a file is a part of what is played.
func (d *design) belongs(format string) bool {
	switch format {
	case d.wrap, "cells", "core":
		return d.wrap != "" || format == "cells"
	case "fold", "fold-program", "fold-thresholds":
		return true
	case "verilog":
		return d.lanes == 0 && !d.hasFile("core")
	}
	return false
}

func (d *design) hasFile(format string) bool {
	_, err := d.out.Path(format)
	return err == nil
}

// units returns the bits of what moves in a clock, and how many of these a sample has.
func (d *design) units(f form) (size, count int) {
	x := d.out.Netlist.DataInputs()[0]
	words := len(x.Nets) / x.Word
	switch {
	case d.wrap == "" || d.wrap == "stream":
		size, count = x.Word, words
		if f.beat > 0 {
			size, count = size*f.beat, (words+f.beat-1)/f.beat
		}
		return size, count
	case d.wrap == "axis" && d.lanes == 0:
		beat := 4
		if f.beat > 0 {
			beat = f.beat
		}
		return 8 * beat, (byteCount(x) + beat - 1) / beat
	}
	return 8, byteCount(x)
}

// byteCount returns how many bytes a port takes.
func byteCount(p netlist.Port) int {
	if p.Word == 1 {
		return (len(p.Nets) + 7) / 8
	}
	return len(p.Nets) / p.Word * ((p.Word + 7) / 8)
}

// late is a number of clocks in which everything that is on its way has come.
func (d *design) late() int {
	clocks := 100
	if p, err := d.out.Netlist.Pipeline(); err == nil && p != nil {
		clocks += 2 * p.Stages
	}
	clocks += 3 * d.out.Report.Fold.MinClocks()
	return clocks
}

// playerBench returns the testbench of a form.
func (d *design) playerBench(f form) string {
	size, _ := d.units(f)
	result, outputs := 0, ""
	for _, p := range d.out.Netlist.OutputPorts() {
		outputs += fmt.Sprintf(", .%s(result[%d:%d])", p.Name, result+len(p.Nets)-1, result)
		result += len(p.Nets)
	}
	text, also := streamText, [2]string{}
	dut := "  %s%s dut (.clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), " +
		".in_last(in_last), " +
		".out_valid(out_valid), .out_ready(out_ready), .error(error)" + outputs + ");"
	parameters, late := "", d.late()
	clocks, idles := float64(defaultClockHz)/defaultBaud, 51.0
	if f.beat > 0 {
		parameters = fmt.Sprintf(" #(.BEAT(%d))", f.beat)
	}
	switch d.wrap {
	case "axis":
		result = 0
		for _, p := range d.out.Netlist.OutputPorts() {
			result += 8 * byteCount(p)
		}
		also = [2]string{" last %b", ", out_last"}
		parameters = strings.Replace(parameters, "BEAT", "BYTES", 1)
		dut = "  wire out_last;\n  %s%s dut (.aclk(clk), .aresetn(~rst), .s_axis_tvalid(in_valid), " +
			".s_axis_tready(in_ready), .s_axis_tdata(in_data), " +
			".s_axis_tlast(in_last), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready), .m_axis_tdata(result), " +
			".m_axis_tlast(out_last), .error(error));"
	case "uart":
		text, dut, late = uartText, "  %s%s dut (.clk(clk), .rst_n(rst_n), .rx(rx), .tx(tx), .frame_error(frame_error), "+
			".error(error));", 60+late/4
		if f.quick {
			parameters, clocks, idles = fmt.Sprintf(" #(.CLOCK_HZ(8000000), .BAUD(1000000), .IDLE_BITS(%d))", idleQuick), 8, 1
		}
	case "spi":
		text, dut = spiText, "  %s%s dut (.clk(clk), .rst_n(rst_n), .sck(sck), .mosi(mosi), .miso(miso), .cs_n(cs_n), "+
			".ready(ready), .error(error));"
	}
	top := d.options.Module + "_" + d.wrap
	if d.wrap == "" || d.wrap == "stream" && d.lanes > 0 {
		top = d.options.Module + "_fold"
	}
	return strings.NewReplacer(
		"@DUT@", fmt.Sprintf(dut, top, parameters), "@UNIT@", fmt.Sprint(size), "@OPERATION@", fmt.Sprint(size+4), "@MOST@",
		fmt.Sprint(mostOperations),
		"@RESULT@", fmt.Sprint(result), "@LATE@", fmt.Sprint(late), "@ALSO@", also[0], "@ALSOVALUE@", also[1], "@CLOCKS@",
		fmt.Sprint(clocks), "@IDLES@", fmt.Sprint(idles),
	).Replace(strings.Replace(playerText, "@PLAYER@", text, 1))
}
