package config_test

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
	"ialgn/internal/target"
)

// TestCostTarget checks that a family is refused if its look-up tables have only one input. Such tables cannot
// compare anything.
func TestCostTarget(t *testing.T) {
	f := *target.Generic
	f.Name, f.LUT.Least, f.LUT.Most = "inverters", 1, 1
	f.Devices = []target.Device{{Name: "inverters", Family: "inverters", LUTInputs: 1}}
	remove, err := target.Register(&f)
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	const text = "data: {set: mnist}\ntrain: {cost: {target: inverters, pressure: 0.1}}"
	want := "m.yaml:2:24: train.cost.target: its look-up tables have only one input, too few for a comparison"
	if _, err := config.Parse("m.yaml", []byte(text), nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestCost checks the place and hint of errors about train.cost.
func TestCost(t *testing.T) {
	families := "generic, ice40, ecp5, gowin, xilinx7, asic, intel, polarfire, efinix or gatemate"
	for _, c := range []struct{ keys, want, hint string }{
		{"cost: {target: ice40, pressure: 0.001}", "", ""},
		{"cost: {target: ice40, pressure: 0.001}, estimator: gumbel", "", ""},
		{
			"cost: {pressure: 0.001}",
			"m.yaml:2:26: train.cost.pressure: the target whose look-up tables are counted is missing",
			"give train.cost.target: " + families,
		},
		{
			"cost: {target: ice40}",
			"m.yaml:2:24: train.cost.target: it has no effect without train.cost.pressure",
			"omit it, or give train.cost.pressure, such as 0.0001",
		},
		{
			"cost: {target: ice40, pressure: 2}",
			"m.yaml:2:41: train.cost.pressure: 2 is outside 0 to 1", "use a number within that range",
		},
		{
			"cost: {target: ice4, pressure: 0.001}", `m.yaml:2:24: train.cost.target: "ice4" is unknown`,
			"did you mean ice40; use " + families,
		},
		{
			"cost: {target: ice40, pressure: 0.001}, estimator: soft",
			"m.yaml:2:41: train.cost.pressure: the estimator soft ignores it",
			"omit it, or use train.estimator: ste or gumbel",
		},
	} {
		_, err := config.Parse("m.yaml", []byte("data: {set: mnist}\ntrain: {"+c.keys+"}"), nil)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: error %v", c.keys, err)
			}
			continue
		}
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", c.keys, err, message.Hint(err), c.want, c.hint)
		}
	}
}
