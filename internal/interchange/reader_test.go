package interchange

import (
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/message"
)

// TestUnusedFactsAreRefused checks that each format refuses the facts and options that it does not use.
func TestUnusedFactsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		said    given.Source
		refused []string // formats that refuse the fact or option; all others accept it
		want    string
	}{
		"wiring": {
			given.Source{Wiring: &given.File{Name: "w.c"}},
			[]string{"torchlogix", "dwn", "circuit-json", "aiger", "blif", "qonnx"},
			`wires are given, "w.c", but`,
		},
		"thresholds": {given.Source{Thresholds: [][]float32{{1}}}, []string{"qonnx"}, "thresholds are given, but"},
		"framework": {
			given.Source{Facts: &given.Facts{Framework: "DWN"}},
			[]string{"difflogic", "torchlogix", "circuit-json"},
			`framework is "DWN", but the file is from `,
		},
		"none and thresholds": {
			given.Source{Thresholds: [][]float32{{1}}, Facts: &given.Facts{Thermometer: given.Thermometer{None: true}}},
			ReaderNames(), "",
		},
		"nothing": {},
	} {
		if c.said.Facts == nil {
			c.said.Facts = &given.Facts{}
		}
		for i := range formats {
			f := &formats[i]
			want := ""
			for _, name := range c.refused {
				if name == f.name {
					want = c.want
				}
			}
			err := f.used(&c.said)
			if (err == nil) == slices.Contains(c.refused, f.name) || err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s given for format %s: error %v, want %q", name, f.name, err, want)
			}
		}
	}
}

// TestAsked checks that the hint about a missing fact names an option that gives the fact.
func TestAsked(t *testing.T) {
	for _, f := range formats {
		h := message.Hint(f.asked(&given.Missing{What: "wiring", Why: "a test"}))
		if strings.Contains(h, "Wiring") != f.wiring || h == "" {
			t.Errorf("%s: hint %q", f.name, h)
		}
		if h := message.Hint(f.asked(&given.Missing{What: "group_sum.k", Why: "a test"})); !strings.Contains(h, "group_sum.k=VALUE") {
			t.Errorf("%s: hint %q", f.name, h)
		}
	}
}
