package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/lowering"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// listed writes a netlist as a program of tables, without any of the savings of compile: a step for each cell, and one
// for each inverter.
func listed(t *testing.T, d verify.Design) string {
	t.Helper()
	n := lowering.Functions(d.Product)
	wire, level := make([]int, n.Nets()), make([]int, n.Nets())
	var levels [][]netlist.Cell
	for c := range netlist.Cell(n.Cells()) {
		at := 0
		for _, v := range n.Inputs(c) {
			at = max(at, level[v])
		}
		if level[n.Output(c)] = at + 1; at == len(levels) {
			levels = append(levels, nil)
		}
		levels[at] = append(levels[at], c)
	}
	text, x := &strings.Builder{}, n.InputPorts()[0]
	for i, v := range x.Nets {
		wire[v] = i
	}
	fmt.Fprintf(text, "# a comment\nfhe-lut 1 lut4 net\nbootstraps %d\ndepth %d\ninput %s %d\n", n.Cells(), len(levels), x.Name,
		len(x.Nets))
	next := len(x.Nets)
	for i, cells := range levels {
		fmt.Fprintf(text, "level %d %d\n", i+1, len(cells))
		for _, c := range cells {
			in, table := slices.Clone(n.Inputs(c)), n.Param(c)
			if len(in) == 1 { // a step has two inputs
				in, table = append(in, in[0]), table&1|table>>1<<3
			}
			fmt.Fprintf(text, "%d lut %#x", next, table)
			for _, v := range in {
				if v <= netlist.True {
					t.Fatal("a cell reads a constant")
				}
				fmt.Fprintf(text, " %d", wire[v])
			}
			fmt.Fprintln(text)
			wire[n.Output(c)] = next
			next++
		}
	}
	for _, p := range n.OutputPorts() {
		fmt.Fprintf(text, "output %s", p.Name)
		for _, v := range p.Nets {
			fmt.Fprintf(text, " %d", wire[v])
		}
		fmt.Fprintln(text)
	}
	return text.String()
}

// homomorphicDesign returns a design and its program.
func homomorphicDesign(t *testing.T) (d verify.Design, s verify.Samples, text string) {
	t.Helper()
	f := verifytest.Small(5)
	d = verifytest.LoweredDesign(t, f, netlist.Full, "generic", 3, false)
	return d, verifytest.RandomSamples(f, 300), listed(t, d)
}

func writeProgram(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.fhe")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHomomorphic compares and proves a program. Then it changes steps and outputs of the program. The proof must find
// each change that affects an output, and the comparison on samples must find most of these changes.
func TestHomomorphic(t *testing.T) {
	verifytest.Needs(t, "abc")
	d, s, sound := homomorphicDesign(t)
	check := func(text string) (mismatches int, v cec.Verdict) {
		t.Helper()
		path := writeProgram(t, text)
		c, err := verify.CheckHomomorphic(t.Context(), d, s, path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ProveHomomorphic(t.Context(), d, path)
		if err != nil {
			t.Fatal(err)
		}
		return c.Mismatches, r.Verdict
	}
	if mismatches, v := check(sound); mismatches > 0 || v != cec.Equivalent {
		t.Fatalf("the sound program: %d mismatches, %s", mismatches, v)
	}
	lines := strings.Split(sound, "\n")
	var steps []int
	for i, line := range lines {
		if strings.Contains(line, " lut ") || strings.HasPrefix(line, "output") {
			steps = append(steps, i)
		}
	}
	changed, shown := 0, 0
	for i := 0; i < len(steps); i += max(1, len(steps)/24) {
		line := lines[steps[i]]
		at := strings.LastIndex(line, " ") + 1
		lines[steps[i]] = line[:at] + "!" + line[at:]
		mismatches, v := check(strings.Join(lines, "\n"))
		lines[steps[i]] = line
		switch {
		case mismatches > 0 && v != cec.Different:
			t.Errorf("%q with its last input inverted: %d mismatches, the proof says %s", line, mismatches, v)
		case mismatches > 0:
			shown++
		}
		if v == cec.Different {
			changed++
		}
	}
	if changed < 12 || shown < 10 {
		t.Errorf("%d changes were found by the proof, %d by the samples", changed, shown)
	}
}

// TestHomomorphicErrors checks the errors for programs that do not have the documented form.
func TestHomomorphicErrors(t *testing.T) {
	d, _, sound := homomorphicDesign(t)
	if _, err := verify.ReadHomomorphic(d, writeProgram(t, sound)); err != nil {
		t.Fatal(err)
	}
	bootstraps := strings.Split(sound, "\n")[2]
	for _, c := range []struct{ from, to, want string }{
		{"fhe-lut 1 ", "fhe-lut 2 ", "net.fhe:2: want the first line of a program: compile again"},
		{"lut4 net", "lut5 net", "net.fhe:2: want the first line"},
		{"lut4 net", "gates net", "net.fhe:7: lut is no step of this form"},
		{bootstraps, "bootstraps -3", "net.fhe:3: -3: want a number"},
		{bootstraps, "bootstraps 3", "net.fhe: "},
		{"depth ", "depth 9", "it declares"},
		{"input x ", "input x 99999999", "net.fhe:5: input x of 99999999"},
		{"input x ", "input y ", "net.fhe:5: input y of"},
		{"level 1 ", "level 1 999999999999", "net.fhe:6: "},
		{"level 1 ", "level 2 ", "net.fhe:6: want level 1, after 0 more steps"},
		{"level 2 ", "level 3 ", "want level 2, after 0 more steps"},
		{" lut 0x", " lut 0xfffff", "want a number in hexadecimal digits"},
		{" lut 0x", " nand 0x", "nand is no step of this form"},
		{" lut 0x", " lut ", "want"},
		{"output class_index ", "output class ", "an output that the netlist does not have"},
		{"output class_index ", "output class_index true ", "an output that the netlist does not have"},
		{"output class_index ", "output class_index 9999999", "want a wire, 0 to "},
		{"output class_index ", "# ", "the program ends too early"},
	} {
		text := strings.Replace(sound, c.from, c.to, 1)
		if c.to == " lut " { // a step without inputs
			at := strings.Index(sound, " lut 0x")
			text = sound[:at] + " lut 0x8\n" + sound[at+strings.Index(sound[at:], "\n")+1:]
		}
		if _, err := verify.ReadHomomorphic(d, writeProgram(t, text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q to %q: %v, want %s", c.from, c.to, err, c.want)
		}
	}
	// A step that reads a wire of its own level.
	lines := strings.Split(sound, "\n")
	lines[7] = lines[7][:strings.LastIndex(lines[7], " ")+1] + strings.Fields(lines[6])[0]
	if _, err := verify.ReadHomomorphic(d, writeProgram(t, strings.Join(lines, "\n"))); err == nil ||
		!strings.Contains(err.Error(), "want a wire of an earlier level") {
		t.Errorf("a step that reads its own level: %v", err)
	}
}
