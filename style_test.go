package ialgn

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/plan"
)

// TestUsualStyle has the style that a network is written in where the options leave it open: primitives for iCE40 if
// nodes have more inputs than its LUTs, whose gates yosys maps for long.
func TestUsualStyle(t *testing.T) {
	for _, c := range []struct {
		inputs int
		o      CompileOptions
		want   Style
	}{
		{2, CompileOptions{Target: "ice40"}, ""},
		{4, CompileOptions{Target: "ice40"}, ""},
		{4, CompileOptions{Target: "ice40", Style: StyleAuto}, StyleGates},
		{5, CompileOptions{Target: "ice40"}, StyleLUT},
		{6, CompileOptions{Target: "ice40"}, StyleLUT},
		{6, CompileOptions{Target: "ice40", Style: StyleAuto}, StyleLUT},
		{6, CompileOptions{Target: "ice40", Style: StyleGates}, StyleGates},
		{6, CompileOptions{Target: "ice40", LUT: 3}, StyleLUT},
		{2, CompileOptions{Target: "ice40", Style: StyleLUT}, StyleLUT},
		{6, CompileOptions{}, ""},
		{6, CompileOptions{LUT: 4}, ""},
		{6, CompileOptions{Target: "generic", Style: StyleAuto}, StyleGates},
		{2, CompileOptions{Target: "ecp5"}, StyleLUT},
		{6, CompileOptions{Target: "xilinx7", Style: StyleGates}, StyleGates},
	} {
		p, err := plan.New(c.o.ForNodes(c.inputs))
		if err != nil {
			t.Fatal(err)
		}
		if p.Options.Style != c.want {
			t.Errorf("nodes of %d inputs, %+v: style %q, want %q", c.inputs, c.o, p.Options.Style, c.want)
		}
	}
}

// TestStyleOfNodes compiles networks for iCE40 whose nodes decide the style.
func TestStyleOfNodes(t *testing.T) {
	for inputs, want := range map[int]Style{2: StyleGates, 4: StyleGates, 5: StyleLUT, 6: StyleLUT} {
		c := config.Default()
		c.Data.Set, c.Name = "memory", "net"
		c.Model.Width, c.Model.Depth, c.Model.Inputs, c.Model.Anchors, c.Model.Tau = 6, 1, inputs, 2, 1
		d, err := Compile(t.Context(), randomModel(t, c, 4, false), CompileOptions{Target: "ice40", Style: StyleAuto})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Options().Style; got != want {
			t.Errorf("nodes of %d inputs: style %s, want %s", inputs, got, want)
		}
	}
}
