package ialgn

import (
	"fmt"
	"reflect"
	"testing"

	"ialgn/internal/plan"
)

// TestEveryCompileOption sets each field of CompileOptions and checks that its value reaches the plan.
func TestEveryCompileOption(t *testing.T) {
	set := map[string]any{
		"Scope": "core", "Emit": []string{"blif"}, "Module": "net", "Optimise": OptimiseOnce, "LUT": 5, "Target": "ecp5",
		"Objective": "depth", "MaxDepth": 40, "Pipeline": "2", "MaxLevels": 2, "Style": "lut", "MHz": 25.0, "Wrap": "stream",
		"Tag": 3, "Baud": 9600, "Board": "icebreaker", "Fold": "2", "FoldSteps": 900, "AssumeThermometer": true,
		"Counts": true, "Reject": 2, "RejectShare": 0.05, "Probabilities": true, "Vectors": 7, "CheckPasses": true,
	}
	// For each field, this map lists the other options that the field needs. Without them, the plan is refused.
	with := map[string]CompileOptions{
		"Pipeline": {LUT: 4}, "MaxLevels": {LUT: 4, Pipeline: "auto"}, "Style": {Target: "ecp5"}, "Baud": {Wrap: "uart"}, "Board": {Wrap: "uart"},
		"FoldSteps": {Fold: "1"}, "AssumeThermometer": {Scope: "core", LUT: 4}, "Tag": {LUT: 4, Pipeline: "2"}, "MaxDepth": {LUT: 4},
		"Objective": {LUT: 4}, "Probabilities": {Emit: []string{"c"}},
	}
	fields := reflect.TypeFor[CompileOptions]()
	for i := range fields.NumField() {
		name := fields.Field(i).Name
		if name == "Data" {
			continue // Data is not part of the plan
		}
		o := with[name]
		reflect.ValueOf(&o).Elem().FieldByName(name).Set(reflect.ValueOf(set[name]))
		p, err := o.plan(0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := reflect.ValueOf(p.Options).FieldByName(name)
		if fmt.Sprint(got) != fmt.Sprint(set[name]) {
			t.Errorf("%s: the plan has %v, want %v", name, got, set[name])
		}
	}
	if n, want := reflect.TypeFor[plan.Options]().NumField(), fields.NumField()-1; n != want {
		t.Errorf("the plan has %d options, CompileOptions %d", n, want)
	}
}
