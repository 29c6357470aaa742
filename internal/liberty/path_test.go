package liberty

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestPathsByHand compares the paths of a small design with delays that were computed by hand from tables that do not
// depend on the transition time.
func TestPathsByHand(t *testing.T) {
	// An inverter takes 1 ns, and 1 ns more for each input that it drives. A flip-flop takes 3 ns, and its input must be
	// stable 0.5 ns before the clock.
	const text = `library (l) { time_unit : "100ps";
	lu_table_template (t) { variable_1 : total_output_net_capacitance; index_1 ("0, 1"); }
	cell (I) { area : 1; pin (A) { direction : input; capacitance : 1; }
	  pin (Y) { direction : output; function : "!A"; timing () { related_pin : "A"; timing_sense : negative_unate;
	    cell_rise (t) { values ("10, 20"); } cell_fall (t) { values ("10, 20"); } } } }
	cell (F) { area : 1; ff (IQ, N) { next_state : "D"; clocked_on : "C"; }
	  pin (C) { direction : input; capacitance : 0; }
	  pin (D) { direction : input; capacitance : 1; timing () { related_pin : "C"; timing_type : setup_rising;
	    rise_constraint (scalar) { values ("5"); } fall_constraint (scalar) { values ("5"); } } }
	  pin (Q) { direction : output; function : "IQ"; timing () { related_pin : "C"; timing_type : rising_edge;
	    cell_rise (scalar) { values ("30"); } cell_fall (scalar) { values ("30"); } } } } }`
	l, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	// x -> i1 -> i2 -> f.D; f.Q -> i3 -> y, and f.Q -> g.D. The output of i1 drives i2 and i4. Nothing reads i4.
	n := &Netlist{Nets: 8, Inputs: []int{0, 7}, Outputs: []int{5}, Cells: []Instance{
		{"i3", "I", map[string]int{"A": 4, "Y": 5}},
		{"i2", "I", map[string]int{"A": 1, "Y": 2}},
		{"i1", "I", map[string]int{"A": 0, "Y": 1}},
		{"i4", "I", map[string]int{"A": 1, "Y": 3}},
		{"f", "F", map[string]int{"D": 2, "C": 7, "Q": 4}},
		{"g", "F", map[string]int{"D": 4, "C": 7, "Q": 6}},
	}}
	paths, err := l.LongestPaths(n)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range paths {
		got += fmt.Sprintf("%v %v %.2f:", p.FromRegister, p.ToRegister, p.NS)
		for _, s := range p.Steps {
			got += fmt.Sprintf(" %s %.2f", n.Cells[s.Instance].Name, s.NS)
		}
		got += "\n"
	}
	want := `false true 5.50: i1 3.00 i2 5.00
true false 4.00: f 3.00 i3 4.00
true true 3.50: f 3.00
`
	if got != want {
		t.Errorf("paths\n%swant\n%s", got, want)
	}
	n.Cells[2].Net["A"] = 2
	if _, err := l.LongestPaths(n); err == nil || !strings.Contains(err.Error(), "form a loop") {
		t.Errorf("a loop: %v", err)
	}
	n.Cells[2].Cell = "J"
	if _, err := l.LongestPaths(n); err == nil || !strings.Contains(err.Error(), "is not a cell") {
		t.Errorf("an unknown cell: %v", err)
	}
}

// TestPathsLikeABC compares the longest path of random netlists with the delay that abc's command stime finds. The
// two differ by up to 0.3 %.
func TestPathsLikeABC(t *testing.T) {
	abc := testkit.FindTool(t, "abc")
	delay := regexp.MustCompile(`Delay = *([0-9.]+) ps`)
	for _, path := range append(installed(), example) {
		l := read(t, path)
		for seed := range uint64(3) {
			n, blif := randomNetlist(l, rand.New(rand.NewPCG(seed, 1)))
			paths, err := l.LongestPaths(n)
			if err != nil || len(paths) != 1 {
				t.Fatal(paths, err)
			}
			dir := t.TempDir()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"l.lib": string(text), "n.blif": blif} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			out := testkit.RunTool(t, abc, dir, "-c", "read_lib -w l.lib; read_blif n.blif; topo; stime")
			found := delay.FindStringSubmatch(out)
			if found == nil {
				t.Fatalf("abc printed no delay:\n%s", out)
			}
			ps, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := 1000 * paths[0].NS; math.Abs(got-ps) > 0.005*ps+0.1 {
				t.Errorf("%s, seed %d: %.2f ps, abc finds %.2f ps", path, seed, got, ps)
			}
		}
	}
}

// randomNetlist returns a netlist of combinational cells with one output, and its text in BLIF.
func randomNetlist(l *Library, r *rand.Rand) (*Netlist, string) {
	cells := slices.DeleteFunc(l.usable(), func(c *Cell) bool {
		inputs, outputs := c.ports()
		return c.register != nil || len(outputs) != 1 || len(inputs) == 0
	})
	const inputs, gates = 6, 60
	n := &Netlist{Nets: inputs + gates}
	blif := ".model n\n.inputs"
	for i := range inputs {
		n.Inputs = append(n.Inputs, i)
		blif += fmt.Sprintf(" n%d", i)
	}
	blif += "\n.outputs"
	var body strings.Builder
	read := map[int]bool{}
	for i := range gates {
		c := cells[r.IntN(len(cells))]
		v := inputs + i
		instance := Instance{Name: fmt.Sprintf("g%d", i), Cell: c.Name, Net: map[string]int{}}
		line := ".gate " + c.Name
		pins, outputs := c.ports()
		for _, name := range pins {
			w := max(0, v-1-r.IntN(15))
			read[w] = true
			instance.Net[name] = w
			line += fmt.Sprintf(" %s=n%d", name, w)
		}
		instance.Net[outputs[0].Name] = v
		n.Cells = append(n.Cells, instance)
		fmt.Fprintf(&body, "%s %s=n%d\n", line, outputs[0].Name, v)
	}
	for v := range n.Nets {
		if v >= inputs && !read[v] {
			n.Outputs = append(n.Outputs, v)
			blif += fmt.Sprintf(" n%d", v)
		}
	}
	return n, blif + "\n" + body.String() + ".end\n"
}
