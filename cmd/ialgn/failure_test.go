package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlaceIn checks that placeIn finds the place at the start of a message, and that it takes no other text for a
// place.
func TestPlaceIn(t *testing.T) {
	for message, want := range map[string]*place{
		"mnist.yaml:7:10: model.width: 8001":            {"mnist.yaml", 7, 10},
		"a b/m.netlist:3: no cell":                      {"a b/m.netlist", 3, 0},
		`C:\runs\m.yaml:7:10: model.width: 8001`:        {`C:\runs\m.yaml`, 7, 10},
		"at 12:30.yaml:7:10: model.width: 8001":         {"at 12:30.yaml", 7, 10},
		"m.csv: line 3: column 2: x is not a number":    nil,
		"port 80: listen tcp4 127.0.0.1:80: bind: used": nil,
		"m.yaml:99999999999999999999:1: model.width":    nil,
	} {
		if diff := cmp.Diff(want, placeIn(message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", message, diff)
		}
	}
}
