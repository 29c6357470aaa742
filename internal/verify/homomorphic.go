// This file reads a program for homomorphic encryption, and compares it with the trained network on samples. Package
// proof proves the program for all inputs. The code is independent of the code that writes programs: it is based only
// on the documentation of the format.

package verify

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/progress"
	"ialgn/netlist"
)

// HomomorphicResult is the outcome of [CheckHomomorphic].
type HomomorphicResult struct {
	Checked    int     `json:"checked"` // samples
	Bootstraps int     `json:"bootstraps"`
	Depth      int     `json:"depth"`
	Seconds    float64 `json:"seconds"`
	Findings
}

// CheckHomomorphic evaluates a program for homomorphic encryption in the clear on all samples, and compares every
// output with the trainer's values. It returns an error if the file does not have the documented form.
func CheckHomomorphic(ctx context.Context, d Design, s Samples, path string) (*HomomorphicResult, error) {
	_, end := progress.Begin(ctx, "homomorphic program")
	defer end()
	begin := time.Now()
	p, err := ReadHomomorphic(d, path)
	if err != nil {
		return nil, err
	}
	want, err := ExpectedVectors(d.Model, d.Raw, d.Margin, s, s.Levels.Len())
	if err != nil {
		return nil, err
	}
	got, err := SimulatedVectors(p.Netlist, *want)
	if err != nil {
		return nil, err
	}
	r := &HomomorphicResult{Checked: want.Samples, Bootstraps: p.Netlist.Cells() - p.inverters, Depth: p.depth}
	row := 0
	for _, port := range p.Netlist.OutputPorts() {
		for bit := range port.Nets {
			at := row * want.Words
			for w := range want.Words {
				for diff := got.Outputs[at+w] ^ want.Outputs[at+w]; diff != 0; diff &= diff - 1 {
					r.Add(Mismatch{
						Sample: 64*w + bits.TrailingZeros64(diff), Gate: -1,
						What: fmt.Sprintf("homomorphic program: %s[%d] is not the trainer's", port.Name, bit),
					})
				}
			}
			row++
		}
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// Homomorphic is a program for homomorphic encryption.
type Homomorphic struct {
	Netlist   *netlist.Netlist // a cell for each step, and for each inverted output
	depth     int
	inverters int // cells that are inverted outputs
}

// ReadHomomorphic reads a program, which must have the ports of the design's product. It also checks the costs in the
// file: that each step of a level reads only wires of earlier levels, and that the number of steps and of levels is as
// declared.
func ReadHomomorphic(d Design, path string) (*Homomorphic, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	n, _, err := netlist.Transparent(d.Product)
	if err != nil {
		return nil, err
	}
	r := &homomorphicReader{b: netlist.NewBuilder(d.Product.Name), inputs: n.InputPorts(), outputs: n.OutputPorts()}
	for line := range bytes.Lines(text) {
		r.line++
		if line = bytes.TrimSuffix(line, []byte{'\n'}); len(line) == 0 || line[0] == '#' {
			continue
		}
		if err := r.read(strings.Split(string(line), " ")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w: compile again", filepath.Base(path), r.line, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w: compile again", filepath.Base(path), err)
	}
	r.p.Netlist = r.b.Netlist()
	return &r.p, r.p.Netlist.Validate()
}

// homomorphicReader reads the lines of a program. The maps and slices grow only with the text, not with numbers that
// the text declares.
type homomorphicReader struct {
	b               *netlist.Builder
	p               Homomorphic
	inputs, outputs []netlist.Port // the ports that are still to come
	line, head      int            // head: number of lines of the head that were read
	form            int            // most inputs of a step
	bootstraps      int            // as declared
	left            int            // steps of the level that are still to come
	level           int
	wires           []netlist.Net
	early           int // number of wires of earlier levels
}

// read reads a line.
func (r *homomorphicReader) read(word []string) error {
	switch {
	case r.head < 3:
		r.head++
		return r.readHead(word)
	case word[0] == "input":
		return r.input(word)
	case word[0] == "level":
		return r.nextLevel(word)
	case word[0] == "output":
		return r.output(word)
	}
	return r.step(word)
}

// forms lists the most inputs of a step for each form.
var forms = map[string]int{"gates": 2, "lut3": 3, "lut4": 4}

// readHead reads one of the first three lines.
func (r *homomorphicReader) readHead(word []string) (err error) {
	switch {
	case r.head == 1 && len(word) == 4 && word[0] == "fhe-lut" && word[1] == "1" && forms[word[2]] > 0:
		r.form = forms[word[2]]
	case r.head == 2 && len(word) == 2 && word[0] == "bootstraps":
		r.bootstraps, err = number(word[1])
	case r.head == 3 && len(word) == 2 && word[0] == "depth":
		r.p.depth, err = number(word[1])
	default:
		return fmt.Errorf("want the %s line of a program", [...]string{"", "first", "second", "third"}[r.head])
	}
	return err
}

func (r *homomorphicReader) input(word []string) error {
	if len(r.inputs) == 0 || len(word) != 3 || r.level > 0 {
		return fmt.Errorf("an input that the netlist does not have")
	}
	port := r.inputs[0]
	if word[1] != port.Name || word[2] != strconv.Itoa(len(port.Nets)) {
		return fmt.Errorf("input %s of %s bits, the netlist has %s of %d", word[1], word[2], port.Name, len(port.Nets))
	}
	r.inputs = r.inputs[1:]
	r.wires = append(r.wires, r.b.Input(port.Name, len(port.Nets), port.Word, port.Labels)...)
	return nil
}

func (r *homomorphicReader) nextLevel(word []string) (err error) {
	if len(word) != 3 || r.left > 0 || word[1] != strconv.Itoa(r.level+1) {
		return fmt.Errorf("want level %d, after %d more steps", r.level+1, r.left)
	}
	if r.left, err = number(word[2]); err == nil && r.left < 1 {
		err = fmt.Errorf("a level without steps")
	}
	r.level, r.early = r.level+1, len(r.wires)
	return err
}

// gateTables lists the tables of the gates, with the first input as the lowest bit of the index.
var gateTables = map[string]uint64{
	"and": 0b1000, "nand": 0b0111, "or": 0b1110, "nor": 0b0001, "xor": 0b0110, "xnor": 0b1001,
}

// step reads a step: its wire, its gate or table, and its inputs.
func (r *homomorphicReader) step(word []string) (err error) {
	if r.left--; r.left < 0 {
		return fmt.Errorf("a step outside of a level")
	}
	if len(word) < 3 || word[0] != strconv.Itoa(len(r.wires)) {
		return fmt.Errorf("want the step of wire %d", len(r.wires))
	}
	in := word[2:]
	table, isGate := gateTables[word[1]]
	if isGate != (r.form == 2) || !isGate && word[1] != "lut" {
		return fmt.Errorf("%s is no step of this form", word[1])
	}
	if !isGate {
		in = word[3:]
		if table, err = strconv.ParseUint(strings.TrimPrefix(word[2], "0x"), 16, 16); err != nil {
			return fmt.Errorf("table %s: want a number in hexadecimal digits", word[2])
		}
	}
	if len(in) < 2 || len(in) > r.form || table > netlist.TableMask(len(in)) {
		return fmt.Errorf("%d inputs, with table %#x: want 2 to %d inputs", len(in), table, r.form)
	}
	nets := make([]netlist.Net, len(in))
	for j, text := range in {
		wire, inverted := strings.CutPrefix(text, "!")
		i, err := number(wire)
		if err != nil || i >= r.early {
			return fmt.Errorf("input %s: want a wire of an earlier level, 0 to %d", text, r.early-1)
		}
		if nets[j] = r.wires[i]; inverted {
			table = invertInput(table, j, len(in))
		}
	}
	r.wires = append(r.wires, r.b.Function(table, netlist.Origin{}, nets...))
	return nil
}

// invertInput returns the table of a function of the given number of inputs whose input j is inverted.
func invertInput(table uint64, j, inputs int) (inverted uint64) {
	for i := range 1 << inputs {
		inverted |= table >> (i ^ 1<<j) & 1 << i
	}
	return inverted
}

func (r *homomorphicReader) output(word []string) error {
	if len(r.outputs) == 0 || len(word) != 2+len(r.outputs[0].Nets) || word[1] != r.outputs[0].Name || r.left > 0 {
		return fmt.Errorf("an output that the netlist does not have")
	}
	port := r.outputs[0]
	r.outputs = r.outputs[1:]
	nets := make([]netlist.Net, len(port.Nets))
	for j, text := range word[2:] {
		if value := slices.Index([]string{"false", "true"}, text); value >= 0 {
			nets[j] = netlist.Net(value)
			continue
		}
		wire, inverted := strings.CutPrefix(text, "!")
		i, err := number(wire)
		if err != nil || i >= len(r.wires) {
			return fmt.Errorf("output %s: want a wire, 0 to %d", text, len(r.wires)-1)
		}
		if nets[j] = r.wires[i]; inverted {
			nets[j] = r.b.Function(0b01, netlist.Origin{}, nets[j])
			r.p.inverters++
		}
	}
	r.b.Output(port.Name, port.Word, port.Labels, nets)
	return nil
}

// finish checks that the program is complete and costs what it declares.
func (r *homomorphicReader) finish() error {
	steps := r.b.Netlist().Cells() - r.p.inverters
	switch {
	case len(r.inputs)+len(r.outputs) > 0 || r.left > 0 || r.head < 3:
		return fmt.Errorf("the program ends too early")
	case steps != r.bootstraps || r.level != r.p.depth:
		return fmt.Errorf("%d bootstraps in %d levels, it declares %d in %d", steps, r.level, r.bootstraps, r.p.depth)
	}
	return nil
}

// number parses a number that is not negative and has no sign.
func number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%s: want a number", text)
	}
	return int(n), nil
}
