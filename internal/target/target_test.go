package target_test

import (
	"slices"
	"strings"
	"testing"

	"ialgn/internal/target"
)

// TestFamilies checks that every family in the table is complete, so that code that uses the table finds all values
// that it needs.
func TestFamilies(t *testing.T) {
	for _, f := range target.Families() {
		if found, err := target.Find(f.Name); found != f || err != nil || f.String() != f.Name {
			t.Errorf("%s: found %v, %v", f, found, err)
		}
		if l := f.LUT; l.Least < 1 || l.Most < 4 || len(l.Inputs) != l.Most || l.Output == "" || l.Parameter == "" ||
			l.Name == "" {
			t.Errorf("%s: look-up tables %+v", f, l)
		}
		if f.Synthesis.Command == "" || f.Constraints.Suffix == "" || f.Takes == nil || len(f.Devices) == 0 {
			t.Errorf("%s: %+v", f, f)
		}
		for _, d := range f.Devices {
			if d.Family != f.Name || d.Of() != f || d.LUTInputs > f.LUT.Most {
				t.Errorf("%s: device %+v", f, d)
			}
		}
		for _, inputs := range []int{1, f.LUT.Most} {
			if name, pins := f.LUT.Primitive(inputs); f.Takes(name).LUTs != 1 || pins < inputs || strings.Contains(name, "%") {
				t.Errorf("%s: a function of %d inputs is a %s of %d, which takes %+v", f, inputs, name, pins, f.Takes(name))
			}
		}
		if f.Takes("odd") != (target.Resources{}) {
			t.Errorf("%s: an odd cell takes %+v", f, f.Takes("odd"))
		}
		checkPlacement(t, f)
	}
	if (*target.Family)(nil).OrGeneric() != target.Generic || target.Families()[0] != target.Generic {
		t.Error("look-up tables of no family are not the first")
	}
	_, err := target.Find("spartan")
	if want := `target "spartan": no such target, use one of generic, ice40, ecp5, gowin, xilinx7, asic, ` +
		`intel, polarfire, efinix, gatemate`; err == nil ||
		err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRegister adds families to the table. Incomplete families must be refused.
func TestRegister(t *testing.T) {
	before := target.Names()
	f := *target.Generic
	f.Name = "more"
	f.Devices = []target.Device{{Name: "more-lut5", Family: "more", LUTInputs: 5}}
	remove, err := target.Register(&f)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := target.FindDevice("more-lut5"); err != nil || d.Of() != &f {
		t.Errorf("%+v: %v", d, err)
	}
	remove()
	if !slices.Equal(target.Names(), before) {
		t.Errorf("%v are left, want %v", target.Names(), before)
	}
	for want, spoil := range map[string]func(*target.Family){
		"a name that no other has": func(f *target.Family) { f.Name = "ice40" },
		"look-up tables":           func(f *target.Family) { f.LUT.Most = 9 },
		"1 to 6 inputs":            func(f *target.Family) { f.LUT.Least = 7 },
		"a command of yosys":       func(f *target.Family) { f.Takes = nil },
		"a language":               func(f *target.Family) { f.Constraints.Language = target.PCF + 1 },
		"at least one device":      func(f *target.Family) { f.Devices = nil },
		"the name of the family":   func(f *target.Family) { f.Devices = target.Generic.Devices },
		"a name of its own": func(f *target.Family) {
			f.Devices = []target.Device{{
				Name:   "ice40-hx8k",
				Family: "more",
			}}
		},
		"a placer, a program": func(f *target.Family) { f.Placement = &target.Placement{} },
		"its arguments":       func(f *target.Family) { f.Placement = &target.Placement{Program: "p", Bits: ".b"} },
		"packs the bitstream": func(f *target.Family) {
			p := *target.ECP5.Placement
			p.Pack, f.Placement = nil, &p
		},
	} {
		bad := f
		spoil(&bad)
		if _, err := target.Register(&bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// checkPlacement checks that a device that can be placed has all parameters that the placement program needs.
func checkPlacement(t *testing.T, f *target.Family) {
	t.Helper()
	placeable := slices.ContainsFunc(f.Devices, target.Device.Placeable)
	p := f.Placement
	if placeable != (p != nil) {
		t.Errorf("%s: a device in a package: %v, a placement: %v", f, placeable, p)
	}
	if p == nil {
		return
	}
	if p.Program == "" || p.Bits == "" || f.Constraints.PinLine == "" {
		t.Errorf("%s: placement %+v", f, p)
	}
	if p.Placer != target.Nextpnr {
		return
	}
	if p.Routed == "" || len(p.Others) == 0 || len(p.Arguments(f.Devices[0])) == 0 ||
		!slices.Contains(p.Output("r", "p"), "r") || !strings.Contains(strings.Join(p.Pins("file"), " "), "file") {
		t.Errorf("%s: arguments of nextpnr", f)
	}
	if !p.Icestorm && !slices.Contains(p.Pack(f.Devices[0], "r", "b"), "b") {
		t.Errorf("%s: arguments of %s", f, p.Others)
	}
}
