package verilog_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/lowering"
	"ialgn/internal/model"
	"ialgn/internal/names"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/netlist"
)

// compiled returns the mapped netlist of a network with its encoder and head in LUTs.
func compiled(t *testing.T, f *model.Frozen, scope netlist.Scope, k, threads int) *netlist.Netlist {
	t.Helper()
	n, err := freeze.Network(f, scope)
	if err != nil {
		t.Fatal(err)
	}
	o := compiler.Options{Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived}
	if n, _, err = o.Optimise(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	as := target.Generic
	if k == 4 {
		as = target.ICE40
	}
	d, err := hardware.Options{Target: as, K: k, Threads: threads}.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return d.Netlist
}

// definitions returns the definition of each name. A definition consists of the cell's kind, the cell's parameter,
// and the names that the cell reads.
func definitions(n *netlist.Netlist) map[string]string {
	wires := names.New(n)
	name := func(v netlist.Net) string {
		if v <= netlist.True {
			return fmt.Sprint(v)
		}
		return string(wires.AppendNet(nil, v))
	}
	m := map[string]string{}
	for c := range netlist.Cell(n.Cells()) {
		text := fmt.Sprintf("%v %x", n.Kind(c), n.Param(c))
		for _, v := range n.Inputs(c) {
			text += " " + name(v)
		}
		m[name(n.Output(c))] = text
	}
	return m
}

// TestStableNames changes one gate of one chain and compiles again. Every name must still exist with the same
// meaning, except in the changed chain and in the head of the chain's class. The head may absorb other gates of the
// class.
func TestStableNames(t *testing.T) {
	const class, changed, width = 2, 57, 200
	o := netgen.Paper(width, 12)
	o.Mix, o.ShareA, o.ShareBinary = netgen.Measured, 0.6, 0.39
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		for _, k := range []int{4, 6} {
			t.Run(fmt.Sprintf("%v-%d", scope, k), func(t *testing.T) {
				f := netgen.Frozen(3, o)
				before := compiled(t, f, scope, k, 1)
				gate := &f.Layers[5]
				anchors := gate.Pins[1].Index
				gate.Op.Narrow[changed], anchors[changed] = 6, (anchors[changed]+1234)%uint32(f.Inputs())
				after := compiled(t, f, scope, k, 1)
				touched := func(name, _ string) bool {
					return strings.HasPrefix(name, fmt.Sprintf("c%d_k%d_", class, changed)) ||
						strings.HasPrefix(name, fmt.Sprintf("count_%d_", class))
				}
				for _, format := range []struct {
					name string
					form func(*netlist.Netlist) *netlist.Netlist
				}{{"verilog", func(n *netlist.Netlist) *netlist.Netlist { return n }}, {"blif", lowering.Functions}} {
					a, b := definitions(format.form(before)), definitions(format.form(after))
					if len(a) < width/2 || maps.Equal(a, b) {
						t.Fatalf("%s: the change of a gate changed nothing of %d names", format.name, len(a))
					}
					maps.DeleteFunc(a, touched)
					maps.DeleteFunc(b, touched)
					for _, name := range slices.Sorted(maps.Keys(a)) {
						if b[name] == "" && strings.HasPrefix(name, fmt.Sprintf("c%d_", class)) {
							continue // a counter of the class has absorbed the gate
						}
						if a[name] != b[name] {
							t.Errorf("%s: %s was %s, is %s", format.name, name, a[name], b[name])
						}
					}
				}
			})
		}
	}
}

// TestThresholdNames checks the names of comparisons that gates read. Each comparison must keep its name when it is
// lowered to LUTs, in Verilog and in formats without comparisons.
func TestThresholdNames(t *testing.T) {
	f := netgen.Frozen(5, netgen.FrozenOptions{Bits: 8, ShareA: 0.3, ShareBinary: 0.6, Width: 300})
	n, err := freeze.Network(f, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	for k := 3; k <= 6; k++ {
		lowered, err := encoder.Lower(n, encoder.Options{K: k})
		if err != nil {
			t.Fatal(err)
		}
		ours, plain := definitions(lowered), definitions(lowering.Functions(n))
		compared := 0
		for name := range definitions(n) {
			_, ok := ours[name]
			_, plainly := plain[name]
			threshold := strings.Contains(name, "_gt")
			if threshold && (!plainly || !ok && !strings.HasSuffix(name, "_gt127")) { // v > 127 is a bit of the word
				t.Errorf("K = %d: %s is lost", k, name)
			}
			if threshold {
				compared++
			}
		}
		if compared != f.Inputs() {
			t.Errorf("K = %d: %d comparisons, want %d", k, compared, f.Inputs())
		}
	}
}
