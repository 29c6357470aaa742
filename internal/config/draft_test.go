package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
)

func TestDraft(t *testing.T) {
	d, err := ParseDraft("my.yaml", []byte("data: {set: digits}\nmodel: {depth: 3}"), []string{"train.seed=7"})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"model.depth": true, "train.seed": true, "encoder.bits": false} {
		if d.Given(key) != want {
			t.Errorf("%s: given %v, want %v", key, !want, want)
		}
	}
	// Keys that the draft gives keep their value and place. The draft can be completed more than once.
	for _, bits := range []string{"4", "6"} {
		c, err := d.With([]string{"encoder.bits=" + bits, "model.tau=2", "model.depth=5"}, []string{"model.width=100", "train.seed=9"})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Parse("my.yaml", nil, []string{
			"data.set=digits", "model.depth=3", "train.seed=9", "encoder.bits=" + bits,
			"model.tau=2", "model.width=100",
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := c.Diff(want); diff != nil {
			t.Errorf("bits %s: differs in %v", bits, diff)
		}
	}
	if got := d.Written("train.seed"); !slices.Equal(got, []string{"data.set=digits", "model.depth=3"}) {
		t.Errorf("written %v", got)
	}
	if _, err := d.With(nil, nil); err == nil || !strings.Contains(err.Error(), "encoder.bits") {
		t.Errorf("a draft without bits: error %v", err)
	}
	if _, err := d.With([]string{"encoder.bits=4", "model.tau=2", "model.inputs=9"}, nil); err == nil {
		t.Error("a chosen key that is out of its range: no error")
	}
}

// TestDraftAt reads places of a grid. Their keys must replace keys of the draft and must not depend on earlier
// places. Errors must name the place.
func TestDraftAt(t *testing.T) {
	d, err := ParseDraft("my.yaml", []byte("data: {set: mnist}\nmodel: {width: 300, depth: 3}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		place      []string
		width      int
		depth      int
		tau        float64
		seed       uint64
		want, mend string
	}{
		{place: []string{"model.width=128000", "train.seed=4"}, width: 128_000, depth: 3, tau: 10, seed: 4},
		{place: []string{"model.depth=5"}, width: 300, depth: 5, tau: 10, seed: 1},
		{place: nil, width: 300, depth: 3, tau: 10, seed: 1},
		{place: []string{"model.depth=0"}, want: "--grid model.depth: 0 is outside 1 to"},
		{place: []string{"model.widht=5"}, want: `--grid "model.widht": unknown key`, mend: "model.width"},
		{place: []string{"model=5"}, want: "--grid model: is a section, not a key"},
		{place: []string{"model.depth=x"}, want: `--grid model.depth: "x" is not a whole number`},
	} {
		c, err := d.At(test.place, "Grid")
		if test.want != "" {
			if err == nil || !strings.HasPrefix(message.In(err, message.Flags), test.want) ||
				!strings.Contains(message.Hint(err), test.mend) {
				t.Errorf("%v: error %v, hint %q", test.place, err, message.Hint(err))
			}
			continue
		}
		got := []any{c.Value("model.width"), c.Value("model.depth"), c.Value("model.tau"), c.Value("train.seed")}
		if want := []any{test.width, test.depth, test.tau, test.seed}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v, error %v", test.place, got, want, err)
		}
	}
	c, err := d.At([]string{"model.width=301"}, "Grid")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CheckClasses(10, 784); err == nil ||
		!strings.HasPrefix(message.In(err, message.Flags), "--grid model.width: 301 chains cannot be split") {
		t.Errorf("error %v", err)
	}
}

func TestYAML(t *testing.T) {
	for _, sets := range [][]string{
		{"data.set=mnist"},
		{"data.set=digits", "encoder.bits=4", "model.tau=2.25", "train.epochs=3"},
		{
			"data.set=csv", "data.train=it's: here #1.csv", "data.label=label", "encoder.bits=4", "encoder.thresholds=quantile",
			"model.tau=1e-3", "model.inputs=6", "model.width=30", "train.candidates.kind=gradient", "train.schedule.kind=cosine",
			"train.validation.share=0.25", "name=true",
		},
		{"data.set=cifar10", "train.augment.flip=true", "train.augment.shift=2", "train.augment.share=0.5", "model.hidden=8"},
		{"data.set=mnist", "model.topology=layered", "model.widths=400,200", "model.inputs=4"},
	} {
		c, err := Parse("a.yaml", nil, sets)
		if err != nil {
			t.Fatal(err)
		}
		text := string(c.YAML())
		again, err := Parse("b.yaml", []byte(text), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := again.Diff(c); diff != nil {
			t.Errorf("%v differ in\n%s", diff, text)
		}
		if d := cmp.Diff(text, string(again.YAML())); d != "" {
			t.Errorf("written again (-first +again):\n%s", d)
		}
	}
}
