// This file reads the program of a folded engine from its memory files, and compares it with the trained network on
// samples. Package proof proves the program for all inputs.

package verify

import (
	"bufio"
	"context"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/model"
	"ialgn/internal/progress"
	"ialgn/internal/ties"
)

// EngineFiles are the files of a folded engine.
type EngineFiles struct {
	Module     string   // name of the module
	Verilog    string   // path of its Verilog
	Lanes      int      // steps in one clock
	Drop       bool     // the engine has the input drop
	Programs   []string // paths of the lanes' memories, in the order of the lanes
	Thresholds string   // path of the memory of thresholds; empty if they are in the Verilog

	// Parts lists the files of an engine without a program: the Verilog of its modules, and models of their
	// primitives. Such an engine takes Cycles clocks for a sample. Cycles is 0 if the engine runs a program.
	Parts  []string
	Cycles int
}

// Programmed reports whether the engine runs a program.
func (f EngineFiles) Programmed() bool { return f.Cycles == 0 }

// Sources returns the names of the Verilog files in a folder that [EngineFiles.Copy] fills.
func (f EngineFiles) Sources() []string {
	names := []string{filepath.Base(f.Verilog)}
	for _, path := range f.Parts {
		names = append(names, filepath.Base(path))
	}
	return names
}

// ProgramResult is the outcome of [CheckProgram].
type ProgramResult struct {
	Checked int     `json:"checked"` // samples
	Steps   int     `json:"steps"`   // steps in all lanes together, including empty steps
	Seconds float64 `json:"seconds"`
	Findings
}

// CheckProgram runs the program in a folded engine's files on all samples, and compares every class count and the
// class with the trainer's values. The code that reads and runs the files is independent of the code that writes the
// files. The code that reads and runs the files is based only on the documentation. CheckProgram returns an error if
// a file does not have the documented form.
func CheckProgram(ctx context.Context, d Design, s Samples, f EngineFiles) (*ProgramResult, error) {
	ctx, end := progress.Begin(ctx, "folded program")
	defer end()
	begin := time.Now()
	p, err := ReadProgram(d, f)
	if err != nil {
		return nil, err
	}
	want, err := d.Model.Evaluate(ctx, s.Levels, 0)
	if err != nil {
		return nil, err
	}
	r := &ProgramResult{Checked: s.Levels.Len(), Steps: len(p.Lanes) * len(p.Lanes[0])}
	for from := 0; from < r.Checked; from += 64 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Count(ctx, from, r.Checked, "samples")
		index := Consecutive(from, min(from+64, r.Checked))
		counts := p.run(s.Thermometer(&d.Model.Encoder, 1, index), d.Model.Encoder.Bits-1)
		for k, i := range index {
			if what := compareFolded(counts, d.Model.Ties, k, want, int(i)); what != "" {
				r.Add(Mismatch{Sample: int(i), Gate: -1, What: "folded program: " + what})
			}
		}
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// compareFolded describes how sample k of a block differs from the trainer's sample i, or returns "". The counts are in
// the tie order.
func compareFolded(counts [][64]int32, order []int, k int, want *model.Scores, i int) string {
	best := 0 // place in the tie order
	for place := range counts {
		if counts[place][k] > counts[best][k] {
			best = place
		}
		c := ties.At(order, place)
		if w := want.Counts[i*want.Classes+c]; counts[place][k] != w {
			return fmt.Sprintf("count of class %d is %d, the trainer says %d", c, counts[place][k], w)
		}
	}
	if class := ties.At(order, best); class != int(want.Predicted[i]) {
		return fmt.Sprintf("class %d, the trainer says %d", class, want.Predicted[i])
	}
	return ""
}

// Program is a folded engine's program. It completes the classes in their tie order.
type Program struct {
	classes, levels, address int // classes: number of classes; levels: bits in a level; address: bits in an operand
	Lanes                    [][]uint64
}

// ReadProgram reads the memories of an engine and checks that they fit the model.
func ReadProgram(d Design, f EngineFiles) (*Program, error) {
	e, classes := &d.Model.Encoder, len(d.Model.Classes)
	p := &Program{classes: classes, levels: bits.Len(uint(e.Bits - 1)), Lanes: make([][]uint64, max(1, f.Lanes))}
	count := bits.Len(uint(d.Model.LargestCount()))
	p.address = max(p.levels+max(1, bits.Len(uint(e.Features()-1))), count)
	for i, path := range f.Programs {
		words, err := readHex(path, p.address+4)
		if err != nil {
			return nil, err
		}
		lane := i * len(p.Lanes) / len(f.Programs)
		p.Lanes[lane] = append(p.Lanes[lane], words...)
	}
	for l, lane := range p.Lanes {
		if len(lane) == 0 || len(lane) != len(p.Lanes[0]) {
			return nil, fmt.Errorf("%s: lane %d of %d has %d steps, lane 0 %d: compile again", f.Module, l, len(p.Lanes),
				len(lane), len(p.Lanes[0]))
		}
	}
	if err := p.check(e.Features(), e.Bits-1); err != nil {
		return nil, err
	}
	return p, checkThresholds(d, f.Thresholds)
}

// checkThresholds compares a memory of thresholds with the model's thresholds.
func checkThresholds(d Design, path string) error {
	if path == "" {
		return nil
	}
	e := &d.Model.Encoder
	lines, err := hexLines(path)
	if err != nil {
		return err
	}
	for f, row := range e.Thresholds {
		var want strings.Builder
		for j := len(row) - 1; j >= 0; j-- {
			fmt.Fprintf(&want, "%0*b", e.BitsIn, row[j])
		}
		if f >= len(lines) || binaryDigits(lines[f]) != strings.TrimLeft(want.String(), "0") {
			return fmt.Errorf("%s: line %d does not have the thresholds of that feature: compile again", path, f+1)
		}
	}
	return nil
}

// binaryDigits converts hexadecimal digits to binary digits without leading zeros.
func binaryDigits(digits string) string {
	var b strings.Builder
	for _, d := range digits {
		v, _ := strconv.ParseUint(string(d), 16, 8)
		fmt.Fprintf(&b, "%04b", v)
	}
	return strings.TrimLeft(b.String(), "0")
}

// readHex reads a memory of words with the given number of bits.
func readHex(path string, width int) ([]uint64, error) {
	lines, err := hexLines(path)
	if err != nil {
		return nil, err
	}
	words := make([]uint64, len(lines))
	for i, line := range lines {
		if words[i], err = strconv.ParseUint(line, 16, 64); err != nil || words[i]>>width != 0 {
			return nil, fmt.Errorf("%s:%d: %.40q is no word of %d bits: compile again", path, i+1, line, width)
		}
	}
	return words, nil
}

func hexLines(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []string
	scan := bufio.NewScanner(file)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	return lines, scan.Err()
}

// A Step is a decoded word of a program.
type Step struct {
	Closes         bool // completes a class, and adds Ones to its count
	Ones           int
	Op             int  // 0 load, 1 and, 2 or, 3 xor
	Inverted, Ends bool // Inverted: invert the input bit; Ends: the chain ends here and is counted
	Feature, Level int
}

// Step decodes one step of a lane. The comment at the top of the engine's Verilog documents the format.
func (p *Program) Step(lane, pc int) Step {
	word := p.Lanes[lane][pc]
	low, do := int(word&(1<<p.address-1)), word>>p.address
	if do&7 == 7 {
		return Step{Closes: true, Ones: low}
	}
	return Step{
		Op: int(do & 3), Inverted: do>>2&1 == 1, Ends: do>>3 == 1, Feature: low >> p.levels, Level: low & (1<<p.levels - 1),
	}
}

// check returns an error if the program does not fit the model. A program does not fit if it reads an input that does
// not exist, uses a value from the previous sample, or counts a different number of classes.
func (p *Program) check(features, perFeature int) error {
	classes := 0
	for l := range p.Lanes {
		loaded := false
		for pc := range p.Lanes[l] {
			s := p.Step(l, pc)
			loaded = loaded || s.Op == 0 && !s.Closes
			switch {
			case s.Closes && l != 0:
				return fmt.Errorf("folded program: step %d closes a class in lane %d: compile again", pc, l)
			case s.Closes:
				classes++
			case s.Level >= perFeature || s.Feature >= features:
				return fmt.Errorf("folded program: step %d of lane %d reads level %d of feature %d, which "+
					"there is not: compile again", pc, l, s.Level, s.Feature)
			case !loaded:
				return fmt.Errorf("folded program: step %d of lane %d comes before a load: compile again", pc, l)
			case s.Ends && classes == p.classes && l == 0:
				return fmt.Errorf("folded program: step %d counts for no class: compile again", pc)
			}
		}
	}
	if classes != p.classes {
		return fmt.Errorf("folded program: it completes %d classes, the model has %d: compile again", classes, p.classes)
	}
	return nil
}

// run returns the class counts of 64 samples, in the order of the program. x has the thermometer bits of the samples,
// with perFeature bits for each feature.
func (p *Program) run(x []uint64, perFeature int) (counts [][64]int32) {
	v := make([]uint64, len(p.Lanes))
	var count [64]int32
	for pc := range p.Lanes[0] {
		closes := false
		for l := range p.Lanes {
			s := p.Step(l, pc)
			if s.Closes {
				closes = true
				for k := range count {
					count[k] += int32(s.Ones)
				}
				continue
			}
			bit := x[s.Feature*perFeature+s.Level]
			if s.Inverted {
				bit = ^bit
			}
			v[l] = [4]uint64{bit, v[l] & bit, v[l] | bit, v[l] ^ bit}[s.Op]
			if !s.Ends {
				continue
			}
			for rest := v[l]; rest != 0; rest &= rest - 1 {
				count[bits.TrailingZeros64(rest)]++
			}
		}
		if closes {
			counts, count = append(counts, count), [64]int32{}
		}
	}
	return counts
}

// Copy copies the files into a folder.
func (f EngineFiles) Copy(dir string) error {
	for _, path := range slices.Concat([]string{f.Verilog, f.Thresholds}, f.Programs, f.Parts) {
		if path == "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}
