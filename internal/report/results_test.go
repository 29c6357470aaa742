package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/backend"
	"ialgn/internal/flow"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/synth"
	"ialgn/internal/target"
	"ialgn/internal/wrapper"
)

// TestNotChecked checks that a figure of report.json is marked as not checked, unless a certificate for exactly these
// files says that the figure was compared.
func TestNotChecked(t *testing.T) {
	const gates = "left of the 6,000 of the model"
	for _, c := range []struct {
		name   string
		change func(p *Page)
		want   bool
	}{
		{"checked", func(*Page) {}, true},
		{"no certificate", func(p *Page) { p.Verified = nil }, false},
		{"of other files", func(p *Page) { p.Verified.Manifest.SHA256 = "other" }, false},
		{"different", func(p *Page) { p.Verified.Result = "different" }, false},
		{"unproved", func(p *Page) { p.Verified.Result = "unproved" }, false},
		{"of a version that compared no figures", func(p *Page) { p.Verified.Unchecked = nil }, false},
		{"the key left out", func(p *Page) { p.Verified.Unchecked = []string{"gates"} }, false},
		{"a key of that beginning", func(p *Page) { p.Verified.Unchecked = []string{"gates_ra", "gate"} }, true},
	} {
		p := full()
		c.change(p)
		note := p.results()[1].Facts[0].Note
		if want := map[bool]string{true: gates, false: gates + " (not checked)"}[c.want]; note != want {
			t.Errorf("%s: %q, want %q", c.name, note, want)
		}
		if got := read(t, html(t, p)); strings.Contains(got.all, "have not been checked") != (c.want == false && c.name != "the key left out") {
			t.Errorf("%s: the section about areas has the wrong note", c.name)
		}
	}
}

// TestRates checks latency and throughput of designs with a clock, without a clock, and behind a serial line.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		name                string
		change              func(p *Page)
		latency, throughput string
	}{
		{"no registers", func(p *Page) { p.Synthesis = nil }, "no clock", "no clock"},
		{"no known clock", func(p *Page) {
			p.Output.Report.Pipeline, p.Synthesis = &pipeline.Report{Stages: 3}, nil
		}, "3 clocks", "1 in 1 clock"},
		{"the clock of the options", func(p *Page) {
			p.Output.Report.Pipeline, p.Output.Manifest.Options = &pipeline.Report{Stages: 3}, json.RawMessage(`{"mhz":20}`)
		}, "3 clocks", "20,000,000 samples/s"},
		{"a serial line", func(p *Page) {
			p.Output.Report.Wrapper = &wrapper.Rate{Kind: "uart", Cycles: 9, SamplesPerSecond: 170.5}
		}, "set by the serial line", "170 samples/s"},
		{"a serial line with the clock of the other side", func(p *Page) {
			p.Output.Report.Wrapper = &wrapper.Rate{Kind: "spi", Cycles: 64.5}
		}, "set by the serial line", "1 in 64.5 clocks"},
		{"a clock that routing did not reach", func(p *Page) {
			p.Output.Report.Pipeline, p.Output.Manifest.Options = &pipeline.Report{Stages: 3}, json.RawMessage(`{"mhz":500}`)
		}, "3 clocks", "141,540,000 samples/s"},
	} {
		p := full()
		c.change(p)
		if l, r := p.latency().Value, p.throughput().Value; l != c.latency || r != c.throughput {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, l, r, c.latency, c.throughput)
		}
	}
}

// TestEarlierSynthesis reads reports of earlier versions of synth, which do not record the slowest path. If such a
// report has a clock, the clock belongs to a path from register to register. If it has only a delay, the delay
// belongs to the critical path.
func TestEarlierSynthesis(t *testing.T) {
	for _, c := range []struct{ name, text, want, kind string }{
		{
			"a clock", `"fmax_mhz": 80, "critical_path": {"from": "posedge clk", "to": "posedge clk", "ns": 12}`, "80.0 MHz",
			"path from register to register",
		},
		{
			"one stage", `"critical_path": {"from": "<async>", "to": "posedge clk", "ns": 8}`, "125.0 MHz",
			"path from input to register",
		},
		{"no registers", `"critical_path": {"from": "<async>", "to": "<async>", "ns": 14}`, "14.00 ns", "from input to output"},
	} {
		dir := t.TempDir()
		at := filepath.Join(dir, "synth", "ice40-hx8k")
		if err := os.MkdirAll(at, 0o777); err != nil {
			t.Fatal(err)
		}
		text := `{"target": "ice40-hx8k", "bitstream_seed": 1, "seeds": [{"seed": 1, ` + c.text + `}]}`
		if err := os.WriteFile(filepath.Join(at, synth.ReportName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		all, err := syntheses(dir)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %v, %v", c.name, all, err)
		}
		if got := full().speed(&all[0].Report); len(got) == 0 || got[0].Value != c.want || !strings.Contains(got[0].Note, c.kind) {
			t.Errorf("%s: %v, want %s, %s", c.name, got, c.want, c.kind)
		}
	}
}

// TestLevel checks that no number of samples is shown for a level that was verified without a simulation.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		certificate backend.Certificate
		want        string
	}{
		{backend.Certificate{}, ""},
		{backend.Certificate{Level: "software"}, "level software"},
		{backend.Certificate{Level: "rtl", Samples: 1000}, "level rtl, 1,000 samples simulated"},
	} {
		if got := level(&c.certificate); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestWords checks the labels with which the page replaces JSON keys.
func TestWords(t *testing.T) {
	for key, want := range map[string]string{
		"flip_flops.total": "flip-flops: total", "k": "inputs of a LUT", "samples_per_second": "samples per second",
		"first.0.what": "difference: 1: what differs", "made_up": "made up", "rtl.build_cpu_seconds": "rtl: CPU seconds to build",
	} {
		if got := words(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// TestResults checks that accuracy, verification, size and clock come first, and that figures of the classifier alone
// are separate from figures of the whole design.
func TestResults(t *testing.T) {
	p := full()
	p.Output.Report.Mapping = &lut.Report{K: 4}
	p.Output.Report.Pipeline = &pipeline.Report{Stages: 3}
	p.Output.Report.Wrapper = &wrapper.Rate{Kind: "stream", Cycles: 65, Latency: 70}
	s := &p.Synthesis[0]
	s.Report.Module, s.Report.Device, s.Check["checked"] = "net_stream", target.Device{LUTs: 7680}, 100.0
	want := []group{
		{"The network", "", []fact{
			{"Test accuracy", "80.00 %", "8 of 10 samples"},
			{"Balanced accuracy", "68.75 %", "mean recall of the classes"},
			{"Macro F1", "68.75 %", "mean F1 of the classes"},
			{"Latency", "70 clocks", "0.4946 \u00b5s at 141.5 MHz on ice40-hx8k"},
			{"Throughput", "2,177,538 samples/s", "one sample per 65 clocks, at 141.5 MHz on ice40-hx8k"},
			{"Verification", "verified", "level formal, 200 samples simulated"},
		}},
		{"The classifier alone", "As compiled: the comparators of the features, the gates, and the head that counts and " +
			"compares. Without a loader, before synthesis.", []fact{
			{"Gates", "1,126", "left of the 6,000 of the model"},
			{"LUTs", "1,284", "of 4 inputs, as mapped by ialgn"},
			{"Levels", "5", "cells on the longest path between registers, in 3 stages"},
		}},
		{
			"The whole design on ice40-hx8k",
			"Module net_stream: the classifier and its loader (stream), after place and route. Values written by ialgn synth; ialgn verify does not check them.",
			[]fact{
				{"LUTs", "1,486", "as yosys maps them"},
				{"Flip-flops", "980", ""},
				{"Share of the device", "22.68 %", "1,742 of 7,680 ICESTORM_LC"},
				{"Clock", "141.5 MHz", "after routing, path from register to register; target 48.0 MHz, met"},
				{"Samples per second", "2,177,538", "at this clock, one sample per 65 clocks"},
				{"Bitstream", "verified", "read back and simulated, 100 samples"},
			},
		},
	}
	if diff := cmp.Diff(want, p.results()); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	all := string(html(t, p))
	if results, first := strings.Index(all, `<h2 id="results">`), strings.Index(all, "<h2 "); results != first {
		t.Error("the results do not come first")
	}
}

// TestResultsOfLess checks the results of a design that was not placed. It has no clock, and its share of the device
// is computed from yosys's counts.
func TestResultsOfLess(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Page)
		want   group
	}{
		{"not placed", func(p *Page) {
			p.Synthesis[0].Report.Device = target.Device{LUTs: 20800, FlipFlops: 41600}
			p.Synthesis[0].Report.NotPlaced = "vivado: not installed."
		}, group{
			"The whole design on t",
			"Module m: the classifier without a loader, after synthesis; not placed: vivado: not installed. Values written by ialgn synth; ialgn verify does not check them.",
			[]fact{
				{"LUTs", "416", "as yosys maps them"},
				{"Flip-flops", "7", ""},
				{"Share of the device", "2.00 %", "416 of 20,800 LUTs"},
			},
		}},
		{"no device", func(p *Page) {
			p.Synthesis[0].Report.NotPlaced = "there is no device to place it on"
		}, group{
			"The whole design on t",
			"Module m: the classifier without a loader, after synthesis; not placed: there is no device to place it on. Values written by ialgn synth; ialgn verify does not check them.",
			[]fact{{"LUTs", "416", "as yosys maps them"}, {"Flip-flops", "7", ""}},
		}},
		{"folded, one sample a clock, clock not met", func(p *Page) {
			foldedPage(p)
			p.Output.Report.Fold.Each[0].Cycles = 1
			p.Synthesis[0].Report.Slowest = flow.Slowest{Kind: flow.InputToRegister, NS: 100, MHz: 10}
		}, group{"The whole design on t", "Module m: the folded engine and its memories, after place and route. Values written by ialgn synth; ialgn verify does not check them.", []fact{
			{"LUTs", "416", "as yosys maps them"},
			{"Flip-flops", "7", ""},
			{"Clock", "10.0 MHz", "after routing, path from input to register; target 12.0 MHz, not met"},
			{"Samples per second", "10,000,000", "at this clock, one sample per 1 clock"},
		}}},
		{"no registers", func(p *Page) {
			p.Synthesis[0].Report.Slowest = flow.Slowest{Kind: flow.InputToOutput, NS: 13.97}
		}, group{
			"The whole design on t", "Module m: the classifier without a loader, after place and route. Values written by ialgn synth; ialgn verify does not check them.",
			[]fact{{"LUTs", "416", "as yosys maps them"}, {"Flip-flops", "7", ""}, {
				"Delay", "13.97 ns", "from input to output, after routing",
			}},
		}},
		{"folded with a loader", func(p *Page) {
			foldedPage(p)
			p.Output.Report.Wrapper = &wrapper.Rate{Kind: "uart"}
		}, group{
			"The whole design on t",
			"Module m: the folded engine, its memories and its loader (uart), after place and route. Values written by ialgn synth; ialgn verify does not check them.",
			[]fact{{"LUTs", "416", "as yosys maps them"}, {"Flip-flops", "7", ""}},
		}},
	} {
		p := full()
		p.Synthesis = []Synthesis{{Report: synth.Report{Target: "t", Module: "m", LUTs: 416, FFs: 7, MHz: 12}}}
		c.change(p)
		if diff := cmp.Diff(c.want, p.results()[2]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
