package ialgn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
)

// wide returns a trained network in which some gates depend on two inputs. It skips the test if a tool for synthesis,
// simulation or proofs is missing.
func wide(t *testing.T) *ialgn.Model {
	t.Helper()
	for _, name := range []string{"iverilog", "yosys", "abc"} {
		testkit.FindTool(t, name)
	}
	c := small
	c.Model.InitNoise = 5
	m, err := ialgn.Train(t.Context(), c, circle(), ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFamilies checks each row of the table of families. For each family, it compiles a network in both styles. It
// proves the Verilog, and simulates it as a whole and class by class. It also proves and simulates the netlist that
// Yosys synthesises from the Verilog. Then it synthesises the network in a wrapper for the family's smallest device.
// It places the result if a placer is installed, and reads the bitstream back if possible.
//
// Only the long tests have every family, and synthesise for every family. The short tests synthesise for generic and for an iCE40 device,
// because the tests of packages rtl and synth synthesise for all families.
func TestFamilies(t *testing.T) {
	m := wide(t)
	for _, f := range target.Families() {
		if f.Project != target.NoProject && f != target.Efinix && !testkit.Whole() {
			continue // one family that only the vendor's tool places is enough in the short tests
		}
		for _, style := range []string{"gates", "lut"} {
			t.Run(f.Name+" "+style, func(t *testing.T) {
				d := design(t, m, ialgn.CompileOptions{Target: f.Name, Style: style})
				// Synthesis gives the same primitives for both styles.
				holds(t, m, d, ialgn.VerifyOptions{
					Level: "all", Samples: 64, Synthesized: style == "lut" && (f == target.Generic || testkit.Whole()),
				})
				holds(t, m, d, ialgn.VerifyOptions{ByClass: true, Samples: 64, Simulator: "iverilog"})
			})
		}
		if f == target.ICE40 || testkit.Whole() && !f.Cells { // TestChip has the target of standard cells
			t.Run(f.Name+" device", func(t *testing.T) {
				synthesised(t, m, f)
			})
		}
	}
}

// design compiles a model and writes it to a folder.
func design(t *testing.T, m *ialgn.Model, o ialgn.CompileOptions) *ialgn.Design {
	t.Helper()
	d, err := ialgn.Compile(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), filepath.Join(t.TempDir(), "out"), ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return d
}

// holds verifies a design and reports an error if the verification fails.
func holds(t *testing.T, m *ialgn.Model, d *ialgn.Design, o ialgn.VerifyOptions) {
	t.Helper()
	if c, err := ialgn.Verify(t.Context(), m, d, o); err != nil || !c.Verified {
		t.Errorf("%+v: %+v, %v", o, c, err)
	}
}

// synthesised synthesises a model for the smallest device of a family. For this device, placing and reading back take
// the least time.
func synthesised(t *testing.T, m *ialgn.Model, f *target.Family) {
	d := design(t, m, ialgn.CompileOptions{Target: f.Name, Wrap: "stream"})
	device := f.Devices[0]
	for _, d := range f.Devices {
		if d.Placeable() && d.LUTs < device.LUTs {
			device = d
		}
	}
	i, err := ialgn.Synthesise(t.Context(), d, ialgn.SynthOptions{Target: device.Name, MHz: 10, Check: m, Samples: 20})
	if err != nil {
		t.Fatal(err)
	}
	if i.LUTs == 0 || i.FFs == 0 || i.Target != device.Name {
		t.Errorf("%+v", i.Report)
	}
	switch {
	case i.NotPlaced != "":
		if i.Bitstream != "" || i.Check.Err() == nil {
			t.Errorf("not placed, for %s, and yet: %+v", i.NotPlaced, i)
		}
		if device.Placeable() && !strings.Contains(i.NotPlaced, f.Placement.Program) {
			t.Errorf("not placed: %s, which does not name %s", i.NotPlaced, f.Placement.Program)
		}
	case device.Icestorm():
		if err := i.Check.Err(); err != nil || i.Check.Checked != 20 {
			t.Errorf("read back: %+v, %v", i.Check, err)
		}
		fallthrough
	default:
		if _, err := os.Stat(i.Bitstream); err != nil || !i.Met || i.Timing() != nil {
			t.Errorf("%+v, %v", i.Report, err)
		}
	}
}
