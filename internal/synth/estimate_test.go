package synth

import (
	"encoding/json"
	"testing"
)

// counter is a netlist as yosys writes it. It has LUTs, two flip-flops and a carry. The first LUT has a constant
// input. It is followed by a flip-flop, whose output it also reads. The carry fits into the logic cell of the second
// LUT. The other flip-flop reads a port.
const counter = `{
  "ports": {"clk": {"direction": "input", "bits": [2]}, "x": {"direction": "input", "bits": [3, 4]}, "y": {"direction": "output", "bits": [7, 9]}},
  "cells": {
    "a": {"type": "SB_LUT4", "connections": {"I0": [3], "I1": [7], "I2": ["0"], "I3": ["0"], "O": [5]}},
    "b": {"type": "SB_LUT4", "connections": {"I0": [7], "I1": [3], "I2": [4], "I3": [6], "O": [8]}},
    "d": {"type": "SB_LUT4", "connections": {"I0": [7], "I1": [8], "I2": [9], "I3": ["0"], "O": [12]}},
    "e": {"type": "SB_LUT4", "connections": {"I0": [7], "I1": [12], "I2": [8], "I3": ["0"], "O": [13]}},
    "c": {"type": "SB_CARRY", "connections": {"I0": [3], "I1": [4], "CI": [6], "CO": [10]}},
    "f": {"type": "SB_DFFE", "connections": {"C": [2], "E": [8], "D": [5], "Q": [7]}},
    "g": {"type": "SB_DFF", "connections": {"C": [2], "D": [4], "Q": [9]}}
  }
}`

// TestEstimate compares the estimate for a small netlist with a packing that was worked out by hand.
func TestEstimate(t *testing.T) {
	var m module
	if err := json.Unmarshal([]byte(counter), &m); err != nil {
		t.Fatal(err)
	}
	// The flip-flop f drives b, d, e and the LUT in front of f. The flip-flop g drives only d.
	e := m.estimate(100)
	want := Estimate{LUTs: 4, FFs: 2, Carries: 1, Cells: 5, Share: 0.05, Spread: 2}
	if *e != want {
		t.Errorf("%+v, want %+v", *e, want)
	}
}

// TestVerdict checks that more wires never improve the verdict, and that placing for the clock never has a better
// verdict than placing for wires.
func TestVerdict(t *testing.T) {
	rank := map[Verdict]int{Will: 0, May: 1, WillNo: 2}
	last := map[Aim]Verdict{ForClock: Will, ForWires: Will}
	for spread := range 2 * lostForWires {
		e := &Estimate{Spread: spread}
		for _, aim := range []Aim{ForClock, ForWires} {
			v := e.verdict(aim)
			if rank[v] < rank[last[aim]] {
				t.Fatalf("spread %d: %s, with less: %s", spread, v, last[aim])
			}
			last[aim] = v
		}
		if rank[last[ForClock]] < rank[last[ForWires]] || e.aim() == ForClock && e.verdict(ForClock) != Will {
			t.Fatalf("spread %d: %v, placed for the %s", spread, last, e.aim())
		}
	}
	if last[ForWires] != WillNo || (*Estimate)(nil).aim() != ForClock {
		t.Errorf("of many wires: %v", last)
	}
}
