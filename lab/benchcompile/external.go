package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/aiger"
	"ialgn/internal/tool"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// limit is the maximum time for an external program.
const limit = time.Hour

// figures holds the results of mapping a netlist to LUTs.
type figures struct {
	luts      int // LUTs with at least two inputs
	inverters int // LUTs with one input
	levels    int
	cpu       float64
}

// mapABC maps the netlist of an AIGER file to LUTs with the given abc commands.
func mapABC(ctx context.Context, file string, commands string) (figures, error) {
	abc, err := tool.Find("abc")
	if err != nil {
		return figures{}, err
	}
	blif := file + ".blif"
	defer os.Remove(blif)
	r, err := abc.Run(ctx, tool.Command{
		Args:  []string{"-c", fmt.Sprintf("read_aiger %s; %s; print_stats; write_blif %s", file, commands, blif)},
		Limit: limit,
	})
	if err != nil {
		return figures{}, err
	}
	levels, err := lastNumber(abcLevels, r.Stdout)
	if err != nil {
		return figures{}, fmt.Errorf("abc %s: %w", commands, err)
	}
	f, err := os.Open(blif)
	if err != nil {
		return figures{}, fmt.Errorf("abc %s: %w", commands, err)
	}
	defer f.Close()
	got, err := countBLIF(f)
	got.levels, got.cpu = levels, r.CPU
	return got, err
}

// These patterns match the output of abc's print_stats, and of yosys's stat and ltp.
var (
	abcLevels   = regexp.MustCompile(`lev *= *(\d+)`)
	yosysLUTs   = regexp.MustCompile(`(?m)^ +\$lut +(\d+)$`)
	yosysLevels = regexp.MustCompile(`Longest topological path.*length=(\d+)`)
)

// lastNumber returns the number in the last match of a pattern.
func lastNumber(pattern *regexp.Regexp, text string) (int, error) {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0, fmt.Errorf("its output has no %q", pattern)
	}
	return strconv.Atoi(all[len(all)-1][1])
}

// countBLIF counts the LUTs of a mapped netlist. Each .names is a LUT, unless the .names is a constant or a wire.
func countBLIF(r io.Reader) (f figures, err error) {
	inputs, ended := -1, false // inputs is the number of inputs of the current .names
	line := ""
	for lines := bufio.NewScanner(r); lines.Scan(); {
		text, goesOn := strings.CutSuffix(lines.Text(), `\`)
		if line += text; goesOn {
			continue
		}
		words := strings.Fields(line)
		line = ""
		switch {
		case len(words) == 0:
		case words[0] == ".names":
			if inputs = len(words) - 2; inputs > 1 {
				f.luts++
			}
		case words[0] == ".end":
			ended = true
		case inputs == 1 && words[0] == "0":
			f.inverters++
		}
	}
	if !ended {
		return f, errors.New("the BLIF file has no end")
	}
	return f, nil
}

// mapYosys synthesises a netlist's Verilog to LUTs with k inputs, using yosys.
func mapYosys(ctx context.Context, dir string, n *netlist.Netlist, k int) (f figures, err error) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		return f, err
	}
	file := filepath.Join(dir, "top.v")
	defer os.Remove(file)
	if err := writeFile(file, func(w io.Writer) error {
		return verilog.Write(w, n,
			verilog.Options{Module: "top"})
	}); err != nil {
		return f, err
	}
	r, err := yosys.Run(ctx, tool.Command{
		Args:  []string{"-p", fmt.Sprintf("read_verilog %s; synth -flatten -top top -lut %d; stat; ltp -noff", file, k)},
		Limit: limit,
	})
	if err != nil {
		return f, err
	}
	f.cpu = r.CPU
	if f.luts, err = lastNumber(yosysLUTs, r.Stdout); err == nil {
		f.levels, err = lastNumber(yosysLevels, r.Stdout)
	}
	if err != nil {
		return f, fmt.Errorf("yosys: %w", err)
	}
	return f, nil
}

// writeAIGER writes a netlist for abc.
func writeAIGER(file string, n *netlist.Netlist) error {
	return writeFile(file, func(w io.Writer) error { return aiger.Write(w, n) })
}

func writeFile(file string, write func(io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	return errors.Join(write(b), b.Flush(), f.Close())
}
