package report

import (
	"encoding/json"
	"strings"
	"testing"

	"ialgn/backend/wrapper"
	"ialgn/compiler/pipeline"
)

// TestNotChecked: a figure of report.json is marked unless a certificate of these very files says that it was compared.
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
		if got := read(t, html(t, p)); strings.Contains(got.all, "Nothing has checked them") != (c.want == false && c.name != "the key left out") {
			t.Errorf("%s: the page says something else in its section of areas", c.name)
		}
	}
}

// TestRates: latency and throughput of designs with and without a clock, and of a serial line.
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
		}, "no clock", "170 samples/s"},
	} {
		p := full()
		c.change(p)
		if l, r := p.latency().Value, p.throughput().Value; l != c.latency || r != c.throughput {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, l, r, c.latency, c.throughput)
		}
	}
}

// TestBalanced: each class counts alike, however many samples it has, and one without any does not count.
func TestBalanced(t *testing.T) {
	for _, c := range []struct {
		confusion [][]int
		want      float64
	}{
		{[][]int{{90, 0}, {10, 0}}, 0.5},
		{[][]int{{3, 1, 0}, {0, 0, 0}, {0, 0, 4}}, 0.875},
		{[][]int{{0}}, 0},
	} {
		if got := (&Test{Confusion: c.confusion}).balanced(); got != c.want {
			t.Errorf("%v: %v, want %v", c.confusion, got, c.want)
		}
	}
}

// TestWords: keys of JSON are labels on the page.
func TestWords(t *testing.T) {
	for key, want := range map[string]string{
		"flip_flops.total": "flip-flops: total", "k": "inputs of a LUT", "samples_per_second": "samples a second",
		"first.0.what": "difference: 1: what differs", "made_up": "made up", "rtl.build_cpu_seconds": "rtl: CPU seconds to build",
	} {
		if got := words(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
