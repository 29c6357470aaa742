// This file drives the programs of Project IceStorm. They make the bitstream of a routed iCE40 design, estimate its
// timing independently of nextpnr, and convert a bitstream back to Verilog. Paths must not begin with a minus sign;
// absolute paths always satisfy this rule.

package flow

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// limit is the time limit of each program.
const limit = 20 * time.Minute

// Pack writes the bitstream of a configuration (.asc). Its errors are errors of package tool.
func Pack(ctx context.Context, asc, bin string) error {
	_, err := run(ctx, "icepack", bin+".icepack.log", asc, bin)
	return err
}

// Unpack writes the configuration of a bitstream. Its errors are errors of package tool.
func Unpack(ctx context.Context, bin, asc string) error {
	_, err := run(ctx, "iceunpack", asc+".iceunpack.log", bin, asc)
	return err
}

// IceMemory names two contents of a memory, as files with one hexadecimal word on each line.
type IceMemory struct {
	From string // file with the present content; in any 256 words, no two columns of bits are equal
	To   string // file with the new content
}

// Fill writes a configuration with new contents in its memories. It returns an error of package tool, for example if
// the configuration lacks one of the memories.
func Fill(ctx context.Context, asc, filled string, memories []IceMemory) error {
	text, err := os.ReadFile(asc)
	if err != nil {
		return err
	}
	for _, m := range memories {
		r, err := runOn(ctx, bytes.NewReader(text), "icebram", filled+".icebram.log", m.From, m.To)
		switch {
		case err != nil:
			return err
		case r.Truncated:
			return r.Failed("more than 16 MiB of configuration", nil)
		}
		text = []byte(r.Stdout)
	}
	return os.WriteFile(filled, text, 0o666)
}

// run runs a program. It removes the log if the program succeeds.
func run(ctx context.Context, name, log string, args ...string) (tool.Result, error) {
	return runOn(ctx, nil, name, log, args...)
}

// runOn is like run, but passes an input to the program.
func runOn(ctx context.Context, input io.Reader, name, log string, args ...string) (tool.Result, error) {
	t, err := tool.Find(name)
	if err != nil {
		return tool.Result{}, err
	}
	r, err := t.Run(ctx, tool.Command{Args: args, Stdin: input, Limit: limit, Log: log})
	if err == nil {
		os.Remove(log) // the log is only needed after an error
	}
	return r, err
}

var estimate = regexp.MustCompile(`(?m)^// Timing estimate: ([0-9.]+) ns \(([0-9.]+) MHz\)$`)

// Fmax returns icetime's estimate of the highest clock frequency in MHz. Like nextpnr's figure, it depends only on
// paths from register to register. The configuration must have such a path. icetime's report is written next to the
// configuration.
func Fmax(ctx context.Context, d target.Device, asc, report string) (float64, error) {
	_, mhz, err := icetime(ctx, d, asc, report, "-i")
	return mhz, err
}

// Delay returns icetime's estimate in ns for the longest path of a configuration, including paths from and to
// pins. icetime's report is written next to the configuration.
func Delay(ctx context.Context, d target.Device, asc, report string) (float64, error) {
	ns, _, err := icetime(ctx, d, asc, report)
	return ns, err
}

// icetime returns the delay of the longest path in ns, and the corresponding clock frequency in MHz.
func icetime(ctx context.Context, d target.Device, asc, report string, options ...string) (ns, mhz float64, err error) {
	args := append([]string{"-d", d.Die, "-P", d.Package, "-m", "-t", "-r", report}, options...)
	r, err := run(ctx, "icetime", report+".log", append(args, asc)...)
	if err != nil {
		return 0, 0, err
	}
	m := estimate.FindStringSubmatch(r.Stdout)
	if m == nil {
		return 0, 0, r.Failed("no estimate of the timing in its output", nil)
	}
	ns, err = strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0, 0, err
	}
	mhz, err = strconv.ParseFloat(m[2], 64)
	return ns, mhz, err
}

// UnpackedVerilog returns a configuration as a Verilog module with the given name. The module's ports come from a
// file of pins (.pcf). There is a port for each bit, with a name such as \x[3] . A port that does not occur in the
// configuration becomes an input. DSP blocks and single-port RAM are missing ([LeftOut]). Errors are errors of
// package tool.
func UnpackedVerilog(ctx context.Context, d target.Device, asc, pins, module string) (string, error) {
	r, err := run(ctx, "icebox_vlog", asc+".icebox_vlog.log", "-s", "-d", d.Package, "-p", pins, "-n", module, asc)
	if err == nil && r.Truncated {
		err = r.Failed("more than 16 MiB of Verilog", nil)
	}
	return r.Stdout, err
}

// LeftOut returns the kinds of cells in a routed design that [UnpackedVerilog] leaves out or that we cannot
// simulate: all kinds except logic, block RAM, pads and clocks.
func LeftOut(r *Result) []string {
	var kinds []string
	for _, u := range r.Cells {
		if u.Used > 0 && !slices.Contains([]string{"ICESTORM_LC", "SB_IO", "SB_GB", "ICESTORM_RAM"}, u.Cell) {
			kinds = append(kinds, u.Cell)
		}
	}
	return kinds
}

// WritePins writes a file of pins (.pcf) with the position of each port.
func WritePins(w io.Writer, d target.Device, pads []Pad) error {
	pins, err := readPins(d)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# pins of %s, package %s\n", d.Part, d.Package)
	for _, p := range pads {
		pin, ok := pins[[3]int{p.X, p.Y, p.Z}]
		if !ok {
			return fmt.Errorf("icestorm: port %s is on the pad %d/%d/%d, which is no pin of %s", p.Port, p.X, p.Y, p.Z,
				d.Package)
		}
		fmt.Fprintf(b, "set_io %s %s\n", p.Port, pin)
	}
	return b.Flush()
}

// bases has the names of icestorm's databases by die.
var bases = map[string]string{"hx8k": "8k", "lp8k": "8k", "hx1k": "1k", "up5k": "5k"}

// readPins reads the pin of each pad from icestorm's database. The database is at a fixed path relative to the
// programs of Project IceStorm, which also look for it there.
func readPins(d target.Device) (map[[3]int]string, error) {
	t, err := tool.Find("icepack")
	if err != nil {
		return nil, err
	}
	program, err := filepath.EvalSymlinks(t.Path)
	if err != nil {
		return nil, err
	}
	share := filepath.Join(filepath.Dir(program), "..", "share")
	for _, folder := range []string{filepath.Join("fpga-icestorm", "chipdb"), "icebox"} {
		file, err := os.Open(filepath.Join(share, folder, "chipdb-"+bases[d.Die]+".txt"))
		if err != nil {
			continue
		}
		defer file.Close()
		return scanPins(file, d.Package)
	}
	return nil, fmt.Errorf("icestorm: no data base of %s below %s: install fpga-icestorm whole", d.Name, share)
}

// scanPins reads the pins of a package. Each line has a pin, the pin's pad, and a number that is not used here.
func scanPins(r io.Reader, pack string) (map[[3]int]string, error) {
	pins, within := map[[3]int]string{}, false
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		line := s.Text()
		if strings.HasPrefix(line, ".") {
			if within {
				return pins, nil
			}
			within = line == ".pins "+pack
			continue
		}
		var pin string
		var at [3]int
		if _, err := fmt.Sscan(line, &pin, &at[0], &at[1], &at[2]); within && err == nil {
			pins[at] = pin
		}
	}
	if len(pins) == 0 {
		return nil, errors.Join(fmt.Errorf("icestorm: the data base has no package %s", pack), s.Err())
	}
	return pins, s.Err()
}
