package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
)

// foreign returns the configuration of a network that another program trained.
func foreign(t *testing.T) Config {
	t.Helper()
	c, err := Parse("foreign.yaml", []byte(`
data: {set: digits}
encoder: {bits: 4}
model: {topology: layered, widths: "30,20", inputs: 4, anchors: 7, hidden: 3, tau: 2.5}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFromFillsIn checks that From fills in the keys that a configuration does not give. The configuration is read
// from a file, written as a literal, or complete (with nothing to fill in).
func TestFromFillsIn(t *testing.T) {
	base := foreign(t)
	from := func(c Config) Config {
		t.Helper()
		c, err := c.From(&base)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	written, err := read("c.yaml", []byte("data: {set: digits}\nencoder: {bits: 9}\nmodel: {tau: 7, anchors: 9}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := base.Model
	want.Tau, want.Anchors = 7, 9
	got, err := from(written).finish()
	if diff := cmp.Diff(want, got.Model); diff != "" || got.Encoder != base.Encoder || err != nil {
		t.Errorf("from a file: encoder %+v, %v, model (-want +got):\n%s", got.Encoder, err, diff)
	}
	got, err = Config{Data: Data{Set: "digits"}, Model: Model{Tau: 7, Anchors: 9}}.ForRun(&base, nil)
	if diff := cmp.Diff(want, got.Model); diff != "" || got.Encoder != base.Encoder || err != nil {
		t.Errorf("from a literal: encoder %+v, %v, model (-want +got):\n%s", got.Encoder, err, diff)
	}
	if got := from(Default()); got.Model != Default().Model || got.Encoder != base.Encoder {
		t.Errorf("from a complete configuration: %+v, %+v", got.Model, got.Encoder)
	}
}

func TestFromLearned(t *testing.T) {
	base := foreign(t)
	c, err := read("c.yaml", []byte("data: {set: digits}\nencoder: {thresholds: learned}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.From(&base); err == nil || !strings.HasPrefix(err.Error(), "c.yaml:2:23: encoder.thresholds: learned, but") {
		t.Errorf("error %v", err)
	}
}

func TestParseData(t *testing.T) {
	for _, c := range []struct {
		sets string // overrides, separated by spaces
		want Data
		err  string
	}{
		{"data.set=digits", Data{Set: "digits"}, ""},
		{"data.set=csv data.test=t.csv", Data{Set: "csv", Train: "t.csv", Test: "t.csv", Header: "auto"}, ""},
		{
			"data.set=csv data.train=a.csv data.label=y",
			Data{Set: "csv", Train: "a.csv", Label: "y", Header: "auto", TestShare: 0.2},
			"",
		},
		{
			"data.set=arrays data.test=x.npy data.test_labels=y.npy",
			Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Test: "x.npy", TestLabels: "y.npy"},
			"",
		},
		{"data.set=csv", Data{}, "net.pt: data.train: missing, which the data set csv needs"},
		{"data.test=t.csv", Data{}, "Set: data.set is missing; hint: name a data set: digits, "},
		{"data.set=memory", Data{}, `Set data.set: "memory" is unknown`},
		{"data.set=digits data.test=x", Data{}, "Set data.test: has no meaning for the data set digits"},
		{"data.set", Data{}, "want KEY=VALUE"},
		{"data.st=csv", Data{}, "unknown key"},
		{"encoder.bits=3", Data{}, `Set "encoder.bits": not a key of section data`},
		{"data.set=csv data.test=t.csv data.test_share=0.5", Data{}, "there is nothing to split"},
	} {
		got, err := ParseData("net.pt", strings.Fields(c.sets))
		text := ""
		if err != nil {
			text = err.Error() + "; hint: " + message.Hint(err)
		}
		if c.err == "" && (err != nil || !cmp.Equal(c.want, got)) || !strings.Contains(text, c.err) {
			t.Errorf("%s: %+v, error %q, want %+v, %q", c.sets, got, text, c.want, c.err)
		}
	}
}
