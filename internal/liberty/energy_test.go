package liberty

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// powered is a library of an inverter and a flip-flop, of which the energies are easy to add up.
const powered = `library (l) { nom_voltage : 2; voltage_unit : "1V"; capacitive_load_unit (1, pf); leakage_power_unit : "1uW";
	lu_table_template (t) { variable_1 : total_output_net_capacitance; index_1 ("0, 1"); }
	power_lut_template (e) { variable_1 : total_output_net_capacitance; variable_2 : input_transition_time;
	  index_1 ("0, 100"); index_2 ("0, 100"); }
	cell (I) { area : 1; cell_leakage_power : 1; pin (A) { direction : input; capacitance : 2; }
	  pin (Y) { direction : output; function : "!A";
	    timing () { related_pin : "A"; cell_rise (t) { values ("1, 2"); } cell_fall (t) { values ("1, 2"); } }
	    internal_power () { related_pin : "A"; when : "A & !A"; rise_power (scalar) { values ("99"); } }
	    internal_power () { related_pin : "A"; rise_power (e) { values ("3, 3, 3, 3"); }
	      fall_power (scalar) { values ("1"); } } } }
	cell (F) { area : 1; cell_leakage_power : 3; ff (IQ, N) { next_state : "D"; clocked_on : "C"; }
	  pin (C) { direction : input; capacitance : 0.5;
	    internal_power () { rise_power (scalar) { values ("0.5"); } fall_power (scalar) { values ("0.25"); } } }
	  pin (D) { direction : input; capacitance : 1; }
	  pin (Q) { direction : output; function : "IQ"; timing () { related_pin : "C"; timing_type : rising_edge;
	    cell_rise (scalar) { values ("30"); } cell_fall (scalar) { values ("30"); } }
	    internal_power () { related_pin : "C"; rise_power (scalar) { values ("4"); } fall_power (scalar) { values ("2"); } } } } }`

// TestEnergyByHand compares the energies of a small design with energies that were added up by hand. The design is
// x -> i1 -> f -> i2 -> y. In five clocks, x is 0, 1, 1, 0, 0, so f is 0, 1, 0, 0, 1.
func TestEnergyByHand(t *testing.T) {
	l, err := Parse(powered)
	if err != nil {
		t.Fatal(err)
	}
	n := &Netlist{Nets: 5, Inputs: []int{0, 4}, Outputs: []int{3}, Cells: []Instance{
		{"i2", "I", map[string]int{"A": 2, "Y": 3}},
		{"i1", "I", map[string]int{"A": 0, "Y": 1}},
		{"f", "F", map[string]int{"D": 1, "C": 4, "Q": 2}},
	}}
	y := ""
	run := Clocked{
		Clock: 4, Clocks: 5,
		In:  func(i int, value []bool) { value[0] = i == 1 || i == 2 },
		Out: func(_ int, value []bool) { y += map[bool]string{false: "0", true: "1"}[value[3]] },
	}
	got, err := l.Energy(n, run)
	if err != nil {
		t.Fatal(err)
	}
	// A transition of x takes 4 pJ for the 2 pF of i1, of i1 2 pJ, and of f 4 pJ. A clock takes 2 pJ for two edges at
	// 0.5 pF, and 0.75 pJ inside of f.
	want := &Energy{
		Volts: 2, Transitions: 2 + 2 + 3 + 3, Switching: 2*4 + 2*2 + 3*4, Internal: (1 + 3) + (4 + 2 + 4) + (1 + 3 + 1),
		Clock: 4 * 2.75, Leakage: 5000,
	}
	if diff := cmp.Diff(want, got); diff != "" || y != "10110" {
		t.Errorf("y is %s, want 10110; (-want +got):\n%s", y, diff)
	}
	run.Skip, run.Clock = 3, -1
	if got, err = l.Energy(n, run); err != nil || got.Transitions != 2 || got.Switching != 4 || got.Clock != 0 {
		t.Errorf("of the last step: %+v, %v", got, err)
	}
}

// TestEnergyConstant gives a pin the constant 1.
func TestEnergyConstant(t *testing.T) {
	l, err := Parse(powered)
	if err != nil {
		t.Fatal(err)
	}
	n := &Netlist{Nets: 1, Outputs: []int{0}, Cells: []Instance{{"i", "I", map[string]int{"Y": 0}}}}
	for _, one := range []bool{false, true} {
		if one {
			n.Ones = map[int][]string{0: {"A"}}
		}
		_, err := l.Energy(n, Clocked{Clock: -1, Clocks: 1, In: func(int, []bool) {}, Out: func(_ int, value []bool) {
			if value[0] == one {
				t.Errorf("the inverse of %t is %t", one, value[0])
			}
		}})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestEnergyRefusals checks that libraries without a voltage, or with units and tables that are not known, can be read
// but have no energies.
func TestEnergyRefusals(t *testing.T) {
	n := &Netlist{Nets: 2, Inputs: []int{0}, Cells: []Instance{{"i", "I", map[string]int{"A": 0, "Y": 1}}}}
	loop := &Netlist{Nets: 1, Cells: []Instance{{"i", "I", map[string]int{"A": 0, "Y": 0}}}}
	for _, c := range []struct {
		n         *Netlist
		from, by  string
		wantError string
	}{
		{n, "nom_voltage : 2;", "", "has no nom_voltage"},
		{n, "nom_voltage : 2;", "nom_voltage : -1;", "line 1: nom_voltage: want a voltage of 0 to 100"},
		{n, `"1V"`, `"1mV"`, `line 1: voltage_unit "1mV": want 1V`},
		{n, "(1, pf)", "(1, mf)", "line 1: capacitive_load_unit: want a number and pf or ff"},
		{n, `"1uW"`, `"1W"`, `line 1: leakage_power_unit "1W": want a power such as 1nW`},
		{n, "cell_leakage_power : 1", "cell_leakage_power : much", "cell_leakage_power \"much\": want a number"},
		{n, "rise_power (e)", "rise_power (none)", `there is no lu_table_template "none"`},
		{n, `"A & !A"`, `"A &"`, "it ends without an operand"},
		{loop, "", "", "the cells form a loop"},
	} {
		l, err := Parse(strings.Replace(powered, c.from, c.by, 1))
		if err != nil {
			t.Errorf("%s: %v", c.by, err)
			continue
		}
		_, err = l.Energy(c.n, Clocked{Clock: -1, Clocks: 2, In: func(int, []bool) {}})
		if err == nil || !strings.Contains(err.Error(), c.wantError) {
			t.Errorf("%q: %v, want %q", c.by, err, c.wantError)
		}
	}
}
