package main

import (
	"context"
	"math/rand/v2"
	"strings"

	"ialgn/internal/tool"
	"ialgn/internal/verilog"
)

// benchRewrites break what a testbench expects or compares.
var benchRewrites = rewrites(
	`(tb_want_\w+\[\d+:\d+\]) = tb_field\[(\d+):0\]`, `${1} = ~tb_field[${2}:0]`,
	`(tb_want_\w+\[\d+:\d+\]) = tb_field\[(\d+):0\]`, `${1} = tb_field[${2}:0] ^ 1`,
	`(tb_want_\w+)\[\d+:\d+\] = tb_field\[(\d+):0\]`, `${1} = tb_field[${2}:1]`,
	`(tb_want_\w+)(\[\d+:\d+\]) = tb_field(\[\d+:0\])`, `${1}${2} = tb_field${3} & 4'd7`,
	`if \((\w+|dut\.\w+) !== (tb_want_\w+)\)`, `if (${1} === ${2})`,
	`if \((\w+|dut\.\w+) !== (tb_want_\w+)\)`, `if (${1} > ${2})`,
	`if \((\w+|dut\.\w+) !== (tb_want_\w+)\)`, `if (${1}[0] !== ${2}[0])`,
	`if \((\w+|dut\.\w+) !== (tb_want_\w+)\)`, `if (1'b0 && ${1} !== ${2})`,
	`if \((\w+|dut\.\w+) !== (tb_want_\w+)\)`, `if ((${1} | 2) !== (${2} | 2))`,
	`dut\.count_(\d) !== tb_want_count_\d`, `dut.count_${1} !== dut.count_${1}`,
	`(tb_next_x\[\d+:\d+\]) = tb_field`, `${1} = ~tb_field`,
	`tb_differs = 1'b1;`, `tb_differs = 1'b0;`,
	`tb_failed = tb_failed \+ 1;`, `tb_failed = 0;`,
)

// benchSamples is how many samples a mutated testbench is shown.
const benchSamples = 12

// textBench breaks the testbench.
func (d *design) textBench(r *rand.Rand) *textChange { return editOne(r, d.bench, benchRewrites) }

// benchDiffers runs a testbench on right vectors and on vectors of which one bit is wrong,
// and reports whether its verdicts are other than those of the original: PASS and FAIL.
func (d *design) benchDiffers(ctx context.Context, r *rand.Rand, dir, bench string) (bool, error) {
	right, err := d.vectors(r, nil)
	if err != nil {
		return false, err
	}
	run, err := d.buildBench(ctx, dir, bench)
	if err != nil {
		return false, err
	}
	if passed, err := run(right); err != nil || !passed {
		return !passed, err
	}
	for bit := range len(buses(d.flat)) {
		if !d.toleratedBit(bit) {
			continue
		}
		wrong, err := d.vectors(r, &bit)
		if err != nil {
			return false, err
		}
		if passed, err := run(wrong); err != nil || passed {
			return passed, err
		}
	}
	return false, nil
}

// toleratedBit limits the wrong bits that are tried: of the output h, which may be wide, one
// in 16.
func (d *design) toleratedBit(bit int) bool {
	return d.outputBits() < 16 || bit%16 == 0
}

// vectors returns vectors of a few samples, one bit of one of them wrong if wrong says so.
func (d *design) vectors(r *rand.Rand, wrong *int) (string, error) {
	s := d.samplesAround(r, nil, benchSamples/2)
	x, err := s.Rows(d.encoder.enc, d.flat.InputPorts()[0])
	if err != nil {
		return "", err
	}
	rows, err := d.respond(d.flat, s)
	if err != nil {
		return "", err
	}
	if wrong != nil {
		rows[*wrong*words(s)] ^= 1 << r.IntN(s.Levels.Len())
	}
	var b strings.Builder
	err = verilog.WriteVectors(&b, d.out.Netlist, verilog.Vectors{
		Samples: s.Levels.Len(), Words: words(s), Inputs: x,
		Outputs: rows[:d.outputBits()*words(s)], Probes: rows[d.outputBits()*words(s):],
	})
	return b.String(), err
}

// buildBench compiles a testbench with the unchanged design and returns what runs it.
func (d *design) buildBench(ctx context.Context, dir, bench string) (run func(vectors string) (passed bool, err error),
	err error,
) {
	if err := writeAll(dir, files{"dut.v": d.text, "tb.v": bench, "cells.v": d.cells}); err != nil {
		return nil, err
	}
	iverilog, err := tool.Find("iverilog")
	if err != nil {
		return nil, err
	}
	vvp, err := tool.Find("vvp")
	if err != nil {
		return nil, err
	}
	args := []string{"-g2001", "-o", "tb.vvp", "-s", d.options.Module + "_tb", "tb.v", "dut.v", "cells.v"}
	if _, err := iverilog.Run(ctx, tool.Command{Args: args, Dir: dir, Limit: replayLimit}); err != nil {
		return nil, err
	}
	return func(vectors string) (bool, error) {
		if err := writeAll(dir, files{"vectors.txt": vectors}); err != nil {
			return false, err
		}
		r, err := vvp.Run(ctx, tool.Command{
			Args: []string{"-n", "tb.vvp", "+vectors=vectors.txt"}, Dir: dir,
			Limit: replayLimit,
		})
		return strings.Contains(r.Stdout, "PASS: "), err
	}, nil
}
