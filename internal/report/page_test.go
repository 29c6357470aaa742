package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn"
	"ialgn/backend"
	"ialgn/compiler"
	"ialgn/internal/activity"
	"ialgn/internal/config"
	"ialgn/internal/diagnose"
	"ialgn/internal/encoding"
	"ialgn/internal/explain"
	"ialgn/internal/flow"
	"ialgn/internal/folded"
	"ialgn/internal/model"
	"ialgn/internal/synth"
	"ialgn/netlist"
)

// evil is a name that runs a script in a page that does not escape names.
const evil = `</title><script>alert("1")</script><img src=x onerror=y>&'`

// full returns a page with content in every place. All names on the page are [evil].
func full() *Page {
	sizes := netlist.Sizes{Gates: 1234, Head: 20, Encoder: 30, Total: 1284}
	measures := &netlist.Measures{Cells: sizes, LUTs: sizes, Levels: netlist.Sizes{Total: 7}}
	return &Page{
		Version: "0.1.0", ModelFile: evil + ".safetensors",
		Output: &backend.Output{
			Dir: "there",
			Manifest: backend.Manifest{
				Module: evil, Scope: "full", Options: json.RawMessage(`{"optimise":2,"wrap":"stream"}`),
				Model: backend.ModelRef{Name: "m", SHA256: "abc123"},
				Files: []backend.File{{Name: "net.v", Format: "verilog", Size: 54321, SHA256: "def456"}},
			},
			Report: backend.Report{
				GatesRaw: 6000, Gates: 1126, Cells: sizes, LUTs: &sizes, Levels: netlist.Sizes{Total: 5}, Raw: measures,
				Seconds: 1.5, PeakBytes: 27e6,
				Passes: []compiler.PassReport{
					{Sweep: 1, Name: "constants", Before: 6459, After: 6453, Measures: measures},
					{Name: evil, Before: 6453, After: 1284, Measures: measures},
				},
			},
		},
		Info: &model.Info{Model: &model.Model{
			Config: config.Config{
				Name: evil, Model: config.Model{Topology: "ialgn", Width: 300, Depth: 1, Inputs: 2},
				Train: config.Train{Optimizer: config.Optimizer{Eps: 1e-8}},
			},
			Classes: []string{evil, "one"}, Width: 300, Encoder: encoding.Encoder{Bits: 4},
			Sections: []model.Section{{Layers: 1}},
			Record: model.Record{DataSet: evil, Kept: 2, Start: &model.Start{Name: evil}, Epochs: []model.Epoch{
				{
					Loss: 2.5, TrainCorrect: 10, TrainSamples: 100, TestCorrect: 3, TestSamples: 10, ValidationCorrect: 1,
					ValidationSamples: 2, RelaxedCorrect: 4,
				},
				{
					Loss: 0.5, TrainCorrect: 90, TrainSamples: 100, TestCorrect: 8, TestSamples: 10, ValidationCorrect: 2,
					ValidationSamples: 2, RelaxedCorrect: 5,
				},
			}},
		}},
		Statistics: diagnose.Statistics{
			Operations: [16]float64{3: 1},
			Depth:      []diagnose.LayerDepth{{Mean: 0.207, P90: 1, Max: 1}},
		},
		Reads: &explain.Reads{All: []int{3, 4}, ByClass: [][]int{{1, 4}, {2, 0}}},
		Test: &Test{
			Correct: 8, Samples: 10, Confusion: [][]int{{7, 1}, {1, 1}}, ROCAUC: new(0.75), AveragePrecision: new(0.5),
			ExpectedError: 0.0321, LogLoss: 0.5123, Rejection: ialgn.Rejection{
				{Answered: 1, Accuracy: 0.8, BalancedAccuracy: 0.6875}, {Margin: 1, Answered: 0.7, Accuracy: 1, BalancedAccuracy: 1},
			},
			OtherData: true,
		},
		Verified: &backend.Certificate{
			Result: "verified", Level: "formal", Samples: 200, Version: "0.1.0",
			Time:        time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC),
			Assumptions: []string{"the inputs are thermometer codes"}, Unchecked: backend.OfTheRun, Tools: map[string]string{"proof": "abc 1.01"},
			Checks: backend.Checks{
				Formal: map[string]any{"proved": true, "checked": 300.0},
				RTL:    map[string]any{"mismatches": 0.0},
			},
		},
		Synthesis: []Synthesis{{
			Report: synth.Report{
				Target: "ice40-hx8k", LUTs: 1486, Carries: 32, FFs: 980, MHz: 48, Met: true, Fmax: 141.54,
				Slowest: flow.Slowest{Kind: flow.RegisterToRegister, NS: 7.07, MHz: 141.54}, Least: 141.54, Most: 150,
				Routed: 2, Bitstream: "a/b/net.bin", BitstreamSeed: 2,
				Runs: []synth.Placed{{Seed: 2, Result: &flow.Result{
					Fmax:  150,
					Cells: []flow.Use{{Cell: "ICESTORM_LC", Used: 1742, Available: 7680}},
				}}},
			},
			Check: map[string]any{"result": "verified", "mismatches": 0.0},
		}},
		Activity: &ialgn.Activity{
			Report: &activity.Report{
				What: "settled values", Samples: 11,
				Parts: []activity.Group{{Name: "settled gates", Nets: 1234, Silent: 4, Transitions: 615, Mean: 0.05}},
			},
			Power:  &ialgn.Power{Library: evil, Energy: 57.821, Leakage: 76.2, MHz: 50, Milliwatts: 2.891, LeavesOut: "wires"},
			Static: []ialgn.Static{{Device: "hx1k", Core: 296, Volts: 1.2, Source: evil}},
		},
	}
}

// foldedPage adds a folded engine to a page.
func foldedPage(p *Page) *Page {
	p.Output.Report.Fold = &backend.FoldReport{
		Lanes: 2, Memories: []backend.FoldMemory{{File: "net_fold_0.hex", Depth: 256, Width: 12}},
		Each: []backend.FoldCost{{
			Cost: folded.Cost{Lanes: 2, Steps: 58, Cycles: 256, Blocks: 4},
			Fits: []string{"ice40-hx8k", "ice40-up5k"}, SamplesPerSecond: 46875,
		}},
	}
	return p
}

func TestPageOfFoldedEngine(t *testing.T) {
	p := read(t, html(t, foldedPage(full())))
	for head, want := range map[string][]string{
		"2, chosen":      {"58", "256", "4", "46,875", "ice40-hx8k, ice40-up5k"},
		"net_fold_0.hex": {"256", "12"},
	} {
		if diff := cmp.Diff(want, p.rows[head]); diff != "" {
			t.Errorf("row %q (-want +got):\n%s", head, diff)
		}
	}
}

// page holds those parts of a page that a reader sees.
type page struct {
	headings map[string]string   // by identifier
	rows     map[string][]string // rows of all tables, by the row's title
	links    []string
	titles   []string // titles of the page and its charts
	pictures []string
	all      string
}

// read parses a page. It fails the test if the page is not well-formed, has a script, or fetches anything.
func read(t *testing.T, html []byte) page {
	t.Helper()
	p := page{headings: map[string]string{}, rows: map[string][]string{}}
	d := xml.NewDecoder(bytes.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []xml.StartElement
	var text strings.Builder
	var row []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			open = append(open, e.Copy())
			text.Reset()
			if e.Name.Local == "tr" {
				row = nil
			}
			for _, a := range e.Attr {
				switch name := a.Name.Local; {
				case name == "href" && (strings.HasPrefix(a.Value, "#") || a.Value == "data:,"):
					p.links = append(p.links, a.Value)
				case name == "href" && strings.HasPrefix(a.Value, "data:image/png;base64,"):
					p.pictures = append(p.pictures, a.Value)
				case name == "href" || name == "src" || name == "action" || strings.HasPrefix(name, "on"):
					t.Errorf("<%s> has the attribute %s=%q, which may run or fetch something", e.Name.Local, name, a.Value)
				}
			}
			if name := e.Name.Local; name == "script" || name == "img" || name == "iframe" || name == "object" {
				t.Errorf("the page has a <%s>", name)
			}
		case xml.CharData:
			text.Write(e)
			p.all += string(e)
		case xml.EndElement:
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if start.Name.Local != e.Name.Local {
				t.Fatalf("</%s> ends <%s>", e.Name.Local, start.Name.Local)
			}
			switch e.Name.Local {
			case "h2":
				p.headings[start.Attr[0].Value] = text.String()
			case "th", "td":
				row = append(row, text.String())
			case "tr":
				p.rows[row[0]] = row[1:]
			case "title":
				p.titles = append(p.titles, text.String())
			}
		}
	}
}

// sections maps the identifiers of the page's headings to the headings.
var sections = map[string]string{
	"results": "Results", "looks": "What the network looks at", "configuration": "Configuration", "training": "Training", "confusion": "Confusion matrix",
	"rejection":  "Accuracy against the share answered",
	"operations": "Operations",
	"depth":      "Effective depth", "area": "Area and levels", "passes": "Passes", "verification": "Verification",
	"bitstream": "Synthesis and bitstream", "files": "Files", "power": "Switching and power",
}

func html(t *testing.T, p *Page) []byte {
	t.Helper()
	out, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPage(t *testing.T) {
	out := html(t, full())
	if again := html(t, full()); !bytes.Equal(out, again) {
		t.Error("making the page twice gives different bytes")
	}
	p := read(t, out)
	if diff := cmp.Diff(sections, p.headings); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	for id := range sections {
		if !strings.Contains(strings.Join(p.links, " ")+" ", "#"+id+" ") {
			t.Errorf("no link leads to #%s", id)
		}
	}
	for head, want := range map[string][]string{
		"name":                      {evil},
		"train.optimizer.eps":       {"1e-08"},
		"file":                      {"format", "bytes", "SHA-256"}, // this row is from the last table with this title
		"last epoch: test accuracy": {"80.00 %"},
		"epoch kept, chosen on the validation set": {"epoch 2"},
		evil:                         {"at the end", "6,453", "1,284", "1,284", "7", "0"},
		"one":                        {"50.00 %", "50.00 %", "50.00 %", "2"},
		"balanced accuracy":          {"68.75 %", "42.10 to 89.66 %"},
		"ROC AUC of one":             {"0.7500", ""},
		"expected calibration error": {"3.21 %", ""},
		"A":                          {"3", "100.00 %"},
		"feature 1":                  {"4", evil, "80.00 %", ""},
		"all classes":                {"2", "100.00 %", "7"},
		"pass-through":               {"0.00 %"},
		"1":                          {"0.207", "0.0", "1.0", "1.0"},
		"cells":                      {"30", "1,234", "20", "1,284"},
		"optimisation level":         {"2"},
		"interface":                  {"stream"},
		"compiled in (not checked)":  {"1.5 s"},
		"constants":                  {"0.00 %"},
		"proved":                     {"yes"},
		"assumption":                 {"the inputs are thermometer codes"},
		"clock aimed at":             {"48.0 MHz, met: yes"},
		"settled gates":              {"1,234", "4", "61.5", "0.0500"},
		"energy of a sample":         {"57.82 pJ"},
		"power":                      {"2.891 mW at 50 million samples per second"},
		"hx1k":                       {"296 uA at 1.2 V", "0.355 mW", evil},
		"bitstream":                  {"net.bin, of seed 2"},
		"ICESTORM_LC":                {"1,742", "7,680", "22.68 %", ""},
		"net.v":                      {"verilog", "54,321", "def456"},
	} {
		if diff := cmp.Diff(want, p.rows[head]); diff != "" {
			t.Errorf("row %q (-want +got):\n%s", head, diff)
		}
	}
	charts := []string{
		evil + ": report of ialgn", "Accuracy against the share of samples answered", "Accuracy by epoch", "Training loss by epoch", "Cells after each pass",
		"Levels after each pass",
		"Operations beyond the first layer", "Categories of operations beyond the first layer", "Effective depth by layer",
	}
	if diff := cmp.Diff(charts, p.titles); diff != "" {
		t.Errorf("title and charts (-want +got):\n%s", diff)
	}
	for _, want := range []string{
		"IALGN of 300 chains and 1 layers on " + evil, "8 of 10 test samples",
		"differs from the test set of the training record", "the parameters of " + evil, "test, relaxed network", "validation",
	} {
		if !strings.Contains(p.all, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageOfLittle checks that the page says which steps were not done, in the places where their results would be.
func TestPageOfLittle(t *testing.T) {
	p := full()
	p.Test, p.NotTested, p.Verified, p.Synthesis = nil, "mnist: not found", nil, nil
	p.Info.Model.Record = model.Record{}
	p.Output.Report.Passes, p.Output.Report.LUTs, p.Output.Report.Raw = nil, nil, nil
	got := read(t, html(t, p))
	headings := maps.Clone(sections)
	delete(headings, "rejection")
	if diff := cmp.Diff(headings, got.headings); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	for _, want := range []string{
		"Not evaluated: mnist: not found", "has not been trained", "compiled without passes",
		"ialgn verify compares", "ialgn synth makes", "not done",
	} {
		if !strings.Contains(got.all, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestStale checks that results that were made for an earlier content of the folder are marked.
func TestStale(t *testing.T) {
	p := full()
	p.Verified.Manifest.SHA256, p.Synthesis[0].Report.Manifest = "earlier", "earlier"
	got := read(t, html(t, p))
	if n := strings.Count(got.all, stale); n != 2 {
		t.Errorf("%d results are said to be for an earlier content, want 2", n)
	}
	if len(p.results()) != 2 || p.verdict() != "for an earlier content" {
		t.Errorf("an earlier result is among %+v", p.results())
	}
}

// TestMatrix checks the form of the confusion matrix. For few classes, the matrix is a table. For more classes, it is
// a drawing with numbers. For many classes, it is a drawing without numbers, followed by tables of the most frequent
// mistakes and of all classes.
func TestMatrix(t *testing.T) {
	for _, n := range []int{2, mostInTable, mostInTable + 1, mostNumbered, mostNumbered + 1, 100} {
		p := full()
		p.Info.Model.Classes, p.Test.Confusion = nil, nil
		for y := range n {
			p.Info.Model.Classes = append(p.Info.Model.Classes, fmt.Sprintf("%s %d", evil, y))
			row := make([]int, n)
			row[y], row[(y+1)%n] = 900+y, 100-y
			p.Test.Confusion = append(p.Test.Confusion, row)
		}
		out := html(t, p)
		got := read(t, out)
		drawing := fmt.Sprintf("Confusion matrix of %d classes", n)
		if slices.Contains(got.titles, drawing) != (n > mostInTable) {
			t.Errorf("%d classes: the choice between table and drawing is wrong: %q", n, got.titles[:2])
		}
		pointed := fmt.Sprintf("%s 1, predicted as %s %d: 99 of 1000", evil, evil, 2%n)
		if slices.Contains(got.titles, pointed) != (n > mostInTable) {
			t.Errorf("%d classes: no cell has a title such as %q, or cells have titles without a drawing", n, pointed)
		}
		if numbers := bytes.Contains(out, []byte(">901<")); numbers != (n <= mostNumbered) {
			t.Errorf("%d classes: numbers %v", n, numbers)
		}
		if n > mostInTable {
			right, predicted := float64(900+n-1), float64(900+n-1+100-(n-2))
			last := []string{percent(right / predicted), percent(right / 1000), percent(2 * right / (1000 + predicted)), "1,000"}
			if diff := cmp.Diff(last, got.rows[fmt.Sprintf("%s %d", evil, n-1)]); diff != "" {
				t.Errorf("%d classes, metrics of the last class (-want +got):\n%s", n, diff)
			}
		}
	}
}

func TestShortened(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "aquarium fishes!": "aquarium fishes!", "class name number 23": "class na\u2026mber 23",
		"größer und größer": "größer u\u2026 größer",
	} {
		if got := shortened(name); got != want || len([]rune(got)) > longestLabel {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func TestChartThatCannotBeDrawn(t *testing.T) {
	p := full()
	p.Statistics.Depth = nil
	if _, err := p.HTML(); err == nil || !strings.Contains(err.Error(), `there: chart "Effective depth by layer"`) {
		t.Errorf("error %v", err)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", -100: "-100",
		12345678: "12,345,678",
	} {
		if got := count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestFlatten(t *testing.T) {
	all, err := flatten(json.RawMessage(`{"b":{"y":1e9,"x":0.956},"a":[true,{"c":"text"}],"none":null,"n":1.23456789e-8}`),
		-1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(all),
		"[{a.0 yes} {a.1.c text} {b.x 0.956} {b.y 1000000000} {n 1.23456789e-08}]"; got != want {
		t.Errorf("flatten gives %s, want %s", got, want)
	}
	if all, err = flatten(json.RawMessage(`[0.95603784, 12345678, 1e300]`), 6); err != nil || len(all) != 1 ||
		!strings.HasPrefix(all[0].text, "0.956038, 12345678, 1000") {
		t.Errorf("six digits: %v, error %v", all, err)
	}
	if all, err = flatten(json.RawMessage(`{"seed":18446744073709551615}`), -1); err != nil || len(all) != 1 ||
		all[0].text != "18446744073709551615" {
		t.Errorf("a seed: %v, error %v", all, err)
	}
	if _, err := flatten(json.RawMessage(`{`), -1); err == nil {
		t.Error("broken JSON was accepted")
	}
}
