package experiment

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	library "ialgn"
	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/plot"
	"ialgn/netlist"
)

// budget is the experiment frontier with the digits as data set.
func budget() Experiment {
	e := frontier
	keys := []string{
		"data.set=digits", "encoder.bits=4", "model.width=60", "model.inputs=6", "model.depth=1", "model.tau=1",
		"train.epochs=1",
	}
	e.Name, e.Entries = "budget", []Entry{
		{Network: coreLUTs, Keys: keys}, {Network: wholeLUTs, Keys: append(keys, "model.width=120")},
	}
	return e
}

// TestCosts checks that the LUTs of trained networks are in the table, the result and the picture, even if another
// experiment has already written a result without LUTs.
func TestCosts(t *testing.T) {
	r := Runner{Experiment: budget(), Scale: Paper, Seeds: 2, Options: grid.Options{Dir: t.TempDir(), Threads: 1}}
	r.Experiment.Costs, r.Experiment.Columns, r.Experiment.Picture = false, nil, nil
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "digits-60x1-core.seed1.json")
	if text := read(t, path); strings.Contains(text, "luts") {
		t.Fatalf("a result without costs:\n%s", text)
	}
	r.Experiment = budget()
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(read(t, path), `"luts": {`) {
		t.Error("the result has no costs")
	}
	for i, row := range table.Rows {
		core, encoder, whole := row.Values[0].Mean, row.Values[1].Mean, row.Values[2].Mean
		nodes := float64(row.Width)
		// A node of six inputs needs one LUT, and counting its output bit needs about one more LUT.
		if core < 1.5*nodes || core > 2.6*nodes || encoder <= 0 || math.Abs(core+encoder-whole) > 1e-9 {
			t.Errorf("row %d: core %v, encoder %v, whole %v of %v nodes", i, core, encoder, whole, nodes)
		}
		if want := []float64{core, whole}[i]; frontierPlace(&row) != want {
			t.Errorf("row %d is at %v in the picture, want %v", i, frontierPlace(&row), want)
		}
	}
	drawn := table.draw()
	if len(drawn) != 1 || len(drawn[0].Series) != 2 || drawn[0].Series[0].Kind != plot.Line {
		t.Errorf("pictures %+v", drawn)
	}
	if text := read(t, table.Files[0]); !strings.Contains(text, "LUT6, whole") || strings.Contains(text, "paper's protocol") {
		t.Errorf("table:\n%s", text)
	}
	m, err := library.Open(filepath.Join(r.Dir, "digits-60x1-core.seed1.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d, err := library.Compile(t.Context(), m, library.CompileOptions{Target: "xilinx7", Objective: "area"})
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for c := range netlist.Cell(d.Netlist().Cells()) {
		if d.Netlist().Kind(c) == netlist.Function {
			cells++
		}
	}
	if got := table.Rows[0].results[0].Costs.Full(); got != cells {
		t.Errorf("%d look-up tables are reported, the netlist has %d", got, cells)
	}
}

// TestPublished checks that published points appear only in the chart of their data set.
func TestPublished(t *testing.T) {
	if n := len(publishedLUTs("mnist")); n != 3 {
		t.Errorf("%d series for MNIST", n)
	}
	if n := len(publishedLUTs("digits")); n != 0 {
		t.Errorf("%d series for the digits", n)
	}
	for _, p := range others {
		if len(p.luts) != len(p.points) || len(p.luts) == 0 {
			t.Errorf("%s: %d LUTs, %d points", p.name, len(p.luts), len(p.points))
		}
	}
}

// TestExample compares examples/mnist/luts-2150.yaml with the table row that its first lines name.
func TestExample(t *testing.T) {
	example, err := config.Load("../../examples/mnist/luts-2150.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(frontier.Entries, func(n Entry) bool {
		return mustConfig(t, &frontier, &n, Paper).Name == "mnist-680x2-core"
	})
	row := mustConfig(t, &frontier, &frontier.Entries[i], Paper)
	if row.Name = example.Name; keys(t, row) != keys(t, example) {
		t.Errorf("the row has%sand the example%s", keys(t, row), keys(t, example))
	}
}
