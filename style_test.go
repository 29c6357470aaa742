package ialgn

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/plan"
)

// TestUsualStyle checks the default style of a network's Verilog. For iCE40, the default is primitives if nodes have
// more inputs than the LUTs, because Yosys maps the gates of such nodes slowly.
func TestUsualStyle(t *testing.T) {
	for _, c := range []struct {
		inputs int
		o      CompileOptions
		want   plan.Style
	}{
		{2, CompileOptions{Target: "ice40"}, ""},
		{4, CompileOptions{Target: "ice40"}, ""},
		{4, CompileOptions{Target: "ice40", Style: "auto"}, "gates"},
		{5, CompileOptions{Target: "ice40"}, "lut"},
		{6, CompileOptions{Target: "ice40"}, "lut"},
		{6, CompileOptions{Target: "ice40", Style: "auto"}, "lut"},
		{6, CompileOptions{Target: "ice40", Style: "gates"}, "gates"},
		{6, CompileOptions{Target: "ice40", LUT: 3}, "lut"},
		{2, CompileOptions{Target: "ice40", Style: "lut"}, "lut"},
		{6, CompileOptions{}, ""},
		{6, CompileOptions{LUT: 4}, ""},
		{6, CompileOptions{Target: "generic", Style: "auto"}, "gates"},
		{2, CompileOptions{Target: "ecp5"}, "lut"},
		{6, CompileOptions{Target: "xilinx7", Style: "gates"}, "gates"},
	} {
		p, err := c.o.plan(c.inputs)
		if err != nil {
			t.Fatal(err)
		}
		if p.Options.Style != c.want {
			t.Errorf("nodes of %d inputs, %+v: style %q, want %q", c.inputs, c.o, p.Options.Style, c.want)
		}
	}
}

// TestStyleOfNodes compiles networks for iCE40 and checks that the number of inputs of their nodes determines the
// style.
func TestStyleOfNodes(t *testing.T) {
	for inputs, want := range map[int]plan.Style{2: "gates", 4: "gates", 5: "lut", 6: "lut"} {
		c := config.Default()
		c.Data.Set, c.Name = "memory", "net"
		c.Model.Width, c.Model.Depth, c.Model.Inputs, c.Model.Anchors, c.Model.Tau = 6, 1, inputs, 2, 1
		d, err := Compile(t.Context(), randomModel(t, c, 4, false), CompileOptions{Target: "ice40", Style: "auto"})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.plan.Options.Style; got != want {
			t.Errorf("nodes of %d inputs: style %s, want %s", inputs, got, want)
		}
	}
}
