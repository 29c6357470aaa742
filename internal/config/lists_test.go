package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLists(t *testing.T) {
	got, err := parseLists("g.yaml", []byte("\ufeff# A grid.\nmodel.width: [300, '600']\ntrain.seed: 1..5\ndata.set:\n"+
		"  - mnist # digits\n  - \"cifar10\"\ntrain.optimizer.lr: [0.010, 1e-3]\nmodel.refill: [true]\n"))
	want := []List{
		{Key: "model.width", Values: []string{"300", "600"}},
		{Key: "train.seed", Values: []string{"1..5"}, Single: true},
		{Key: "data.set", Values: []string{"mnist", "cifar10"}},
		{Key: "train.optimizer.lr", Values: []string{"0.010", "1e-3"}},
		{Key: "model.refill", Values: []string{"true"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got):\n%s, error %v", diff, err)
	}
	for _, text := range []string{"", "# nothing\n"} {
		if got, err := parseLists("g.yaml", []byte(text)); len(got) != 0 || err != nil {
			t.Errorf("%q: %v, error %v", text, got, err)
		}
	}
	if got, err := parseLists("g.yaml", []byte("k: 1")); err != nil || len(got) != 1 {
		t.Errorf("a single key: %v, error %v", got, err)
	}
}

func TestListsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"- 1":                         "g.yaml:1:1: want keys with lists of values",
		"just text":                   "g.yaml:1:1: want keys with lists of values",
		"a: [1]\nmodel: {width: [1]}": "g.yaml:2:1: model: want a value or a list of values",
		"a: [[1]]":                    "g.yaml:1:1: a: want a value or a list of values",
		"a:":                          "g.yaml:1:1: a: want a value or a list of values",
		"a: [null]":                   "g.yaml:1:1: a: want a value or a list of values",
		"a: &x [1]\nb: *x":            "g.yaml:1:4: an anchor",
		"a: !!int 3":                  "g.yaml:1:4: a tag",
		"a: [1":                       "g.yaml:1:4: ",
		"a: [1]\n---\nb: [2]":         "g.yaml:3:",
		"\xff":                        "g.yaml: not text in UTF-8; this is not a grid",
		strings.Repeat("#", 1<<15):    "g.yaml: longer than 16384 bytes; this is not a grid",
	} {
		if got, err := parseLists("g.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, error %v, want one with %q", text, got, err, want)
		}
	}
}

// FuzzLists checks that no text causes a panic, and that an error starts with its place.
func FuzzLists(f *testing.F) {
	for _, text := range []string{"a: [1, 2]", "a: 1..2\nb:\n- x\n- 'y'", "a: {b: [1]}", "[[[[["} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := parseLists("g.yaml", src); err != nil && !strings.HasPrefix(err.Error(), "g.yaml:") {
			t.Errorf("error without a place: %v", err)
		}
	})
}
