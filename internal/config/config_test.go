package config_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// full is the file of the example in the documentation. It has all keys except the keys of csv.
var full = filepath.Join("testdata", "full.yaml")

func load(t *testing.T, path string, sets ...string) config.Config {
	t.Helper()
	c, err := config.Load(path, sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parse(t *testing.T, text string, sets ...string) config.Config {
	t.Helper()
	c, err := config.Parse("m.yaml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDocumentedExample reads the example in the documentation. Apart from its name, it must equal a file that only
// names the data set, because the example spells out the defaults.
func TestDocumentedExample(t *testing.T) {
	c := load(t, full)
	if diff := cmp.Diff([]string{"name"}, c.Diff(parse(t, "data: {set: mnist}"))); diff != "" {
		t.Errorf("keys that differ from the defaults (-want +got):\n%s", diff)
	}
	if c.Name != "mnist-8k-6" || c.Model.Width != 8000 || c.Train.Optimizer.Eps != 1e-8 ||
		c.Train.Checkpoint.Minutes != 5 {
		t.Errorf("%+v is not the content of the file", c)
	}
}

func TestDefaults(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       func(*config.Config)
	}{
		{"mnist", "data: {set: mnist}", func(c *config.Config) { c.Encoder.Bits, c.Model.Tau = 4, 10 }},
		{"fashion-mnist", "data: {set: fashion-mnist}", func(c *config.Config) { c.Encoder.Bits, c.Model.Tau = 4, 10 }},
		{"cifar10", "data: {set: cifar10}", func(c *config.Config) { c.Encoder.Bits, c.Model.Tau = 16, 30 }},
		{
			"cifar10, just below wide", "data: {set: cifar10}\nmodel: {width: 127990}",
			func(c *config.Config) { c.Encoder.Bits, c.Model.Tau, c.Model.Width = 16, 30, 127990 },
		},
		{
			"cifar10, wide", "data: {set: cifar10}\nmodel: {width: 128000}",
			func(c *config.Config) { c.Encoder.Bits, c.Model.Tau, c.Model.Width = 16, 100, 128000 },
		},
		{
			"cifar100, wide", "data: {set: cifar100}\nmodel: {width: 128000}",
			func(c *config.Config) { c.Encoder.Bits, c.Model.Tau, c.Model.Width = 16, 30, 128000 },
		},
		{
			"given", "data: {set: mnist}\nencoder: {bits: 8}\nmodel: {tau: 3.5}",
			func(c *config.Config) { c.Encoder.Bits, c.Model.Tau = 8, 3.5 },
		},
		{
			"zeros that mean something",
			"data: {set: mnist}\nmodel: {skip_logit: 0, init_noise: 0}\ntrain: {seed: 0, checkpoint: {minutes: 0}, " +
				"optimizer: {beta1: 0, beta2: 0}}",
			func(c *config.Config) {
				c.Encoder.Bits, c.Model.Tau, c.Model.SkipLogit = 4, 10, 0
				c.Train.Seed, c.Train.Checkpoint.Minutes, c.Train.Optimizer.Beta1, c.Train.Optimizer.Beta2 = 0, 0, 0, 0
			},
		},
		{
			"csv", "data: {set: csv, train: a.csv}\nencoder: {bits: 8}\nmodel: {tau: 3}",
			func(c *config.Config) {
				c.Data.Train, c.Data.Header, c.Data.TestShare = "a.csv", "auto", 0.2
				c.Encoder.Bits, c.Encoder.BitsIn, c.Model.Tau = 8, 8, 3
			},
		},
		{
			"csv with a test file", "data: {set: csv, train: a.csv, test: b.csv, header: no}\nencoder: {bits: 8, bits_in: " +
				"12}\nmodel: {tau: 3}",
			func(c *config.Config) {
				c.Data.Train, c.Data.Test, c.Data.Header = "a.csv", "b.csv", "no"
				c.Encoder.Bits, c.Encoder.BitsIn, c.Model.Tau = 8, 12, 3
			},
		},
		{
			"step", "data: {set: mnist}\ntrain: {schedule: {kind: step, every: 30, warmup: 0.5}}",
			func(c *config.Config) {
				c.Encoder.Bits, c.Model.Tau = 4, 10
				c.Train.Schedule = config.Schedule{Kind: "step", Warmup: 0.5, Every: 30, Factor: 0.1}
			},
		},
		{
			"cosine with a negative zero", "data: {set: mnist}\ntrain: {schedule: {kind: cosine, final: -0, warmup: -0.0}}",
			func(c *config.Config) {
				c.Encoder.Bits, c.Model.Tau, c.Train.Schedule.Kind = 4, 10, "cosine"
			},
		},
		{
			"validation", "data: {set: mnist}\ntrain: {validation: {share: 0.1, patience: 3}}",
			func(c *config.Config) {
				c.Encoder.Bits, c.Model.Tau = 4, 10
				c.Train.Validation = config.Validation{Share: 0.1, Patience: 3, Keep: "best"}
			},
		},
		{
			"csv with validation", "data: {set: csv, train: a.csv}\ntrain: {validation: {share: 0.1}}",
			func(c *config.Config) {
				c.Data.Train, c.Data.Header, c.Data.TestShare = "a.csv", "auto", 0.2
				c.Encoder.Bits, c.Encoder.BitsIn = 8, 8
				c.Train.Validation = config.Validation{Share: 0.1, Stratified: true, Keep: "best"}
			},
		},
		{
			"csv with validation as in earlier versions",
			"data: {set: csv, train: a.csv, order: none}\ntrain: {validation: {share: 0.1, stratified: false}}",
			func(c *config.Config) {
				c.Data.Train, c.Data.Header, c.Data.TestShare = "a.csv", "auto", 0.2
				c.Encoder.Bits, c.Encoder.BitsIn = 8, 8
				c.Train.Validation = config.Validation{Share: 0.1, Keep: "best"}
			},
		},
		{
			"csv with groups", "data: {set: csv, train: a.csv, group: user}\ntrain: {validation: {share: 0.1}}",
			func(c *config.Config) {
				c.Data.Train, c.Data.Header, c.Data.TestShare, c.Data.Group = "a.csv", "auto", 0.2, "user"
				c.Encoder.Bits, c.Encoder.BitsIn = 8, 8
				c.Train.Validation = config.Validation{Share: 0.1, Keep: "best"}
			},
		},
		{
			"stratified without a share", "data: {set: mnist}\ntrain: {validation: {stratified: true}}",
			func(c *config.Config) { c.Encoder.Bits, c.Model.Tau = 4, 10 },
		},
		{
			"sections of comments only", "data: {set: mnist}\nmodel:\n  # width: 3\ntrain: # nothing\n",
			func(c *config.Config) { c.Encoder.Bits, c.Model.Tau = 4, 10 },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := parse(t, test.text)
			want := config.Default()
			want.Name, want.Data.Set = "m", c.Data.Set
			test.want(&want)
			if keys := c.Diff(want); len(keys) > 0 {
				t.Errorf("differs in %v: got %+v, want %+v", keys, c, want)
			}
		})
	}
}

func TestName(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"a/b/digits.yaml", "", "digits"},
		{"b.yml", "", "b"},
		{"b.conf", "", "b.conf"},
		{"b.yaml", "\nname: mine", "mine"},
		{"b.yaml", "\nname: 8", "8"},
		{"b.yaml", "\nname: 007", "007"},
		{"b.yaml", "\nname: true", "true"},
	} {
		c, err := config.Parse(test.file, []byte("data: {set: mnist}"+test.text), nil)
		if err != nil || c.Name != test.want {
			t.Errorf("%s with %q: name %q, error %v, want %q", test.file, test.text, c.Name, err, test.want)
		}
	}
}

func TestSet(t *testing.T) {
	c := load(t, full, "train.epochs=3", "train.optimizer.lr=1e-3", "name=a.b", "train.epochs=4", "data.dir=",
		"data.dir=x=y z")
	want := load(t, full)
	want.Train.Epochs, want.Train.Optimizer.LR, want.Name, want.Data.Dir = 4, 1e-3, "a.b", "x=y z"
	if keys := c.Diff(want); len(keys) > 0 {
		t.Errorf("differs in %v", keys)
	}
	mended := parse(t, "data: {set: mnist}\nmodel: {width: 0}", "model.width=80")
	if mended.Model.Width != 80 {
		t.Errorf("width %d, want 80, by which the wrong value was overridden", mended.Model.Width)
	}
}

// TestGoCode builds a configuration in code instead of a file.
func TestGoCode(t *testing.T) {
	c := config.Default()
	c.Data.Set = "mnist"
	if err := c.Complete().Check(); err != nil {
		t.Error(err)
	}
	if err := c.Check(); err == nil || err.Error() != `name: missing, and the default "" cannot be part of a file name` {
		t.Errorf("Check of an incomplete configuration: error %v", err)
	}
	if keys := c.Complete().Diff(parse(t, "data: {set: mnist}\nname: mnist")); len(keys) > 0 {
		t.Errorf("differs from the file in %v", keys)
	}
}

// TestJSONOfTable checks that the configuration of a table has no keys of splits that it does not use. Earlier versions
// can then read it, and models keep their bytes.
func TestJSONOfTable(t *testing.T) {
	b, err := json.Marshal(parse(t, "data: {set: csv, train: a.csv, order: none}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"group", "order", "stratified"} {
		if strings.Contains(string(b), `"`+key+`"`) {
			t.Errorf("%s has the key %s", b, key)
		}
	}
}

func TestJSON(t *testing.T) {
	odd := load(t, full, "train.seed=18446744073709551615", "model.tau=0.1", "train.optimizer.eps=1.2345678901234567e-9",
		"model.skip_logit=-0", `data.dir=a/<ü>&"`)
	for _, c := range []config.Config{
		odd,
		parse(t, "data: {set: csv, train: a.csv, label: x, split_seed: 7, test_share: 0.3}\nencoder: {bits: 8, "+
			"thresholds: quantile}\nmodel: {tau: 3}"),
		parse(t, "data: {set: csv, train: a.csv, test: b.csv}\nencoder: {bits: 8}\nmodel: {tau: 3}"),
		parse(t, "data: {set: csv, train: a.csv, group: user}\nmodel: {tau: 3}"),
		parse(t, "data: {set: csv, train: a.csv, order: time}\nmodel: {tau: 3}"),
		parse(t, "data: {set: csv, train: a.csv}\nmodel: {tau: 3}\ntrain: {validation: {share: 0.1}}"),
		parse(t, "data: {set: mnist}\ntrain: {schedule: {kind: step, every: 30, factor: 0.3, warmup: 0.1}, validation: "+
			"{share: 0.1, patience: 2}}"),
		parse(t, "data: {set: mnist}\ntrain: {schedule: {kind: cosine, final: 0.01}}"),
	} {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var got config.Config
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.DisallowUnknownFields()
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if keys := c.Diff(got, "train.checkpoint.minutes"); len(keys) > 0 {
			t.Errorf("%s differs in %v", b, keys)
		}
		if err := got.Check(); err != nil {
			t.Errorf("read back from JSON: %v", err)
		}
	}
}

// TestIdleKeysAreChecked gives random-wired networks keys that apply only to IALGN networks. The keys have no effect,
// but must be valid.
func TestIdleKeysAreChecked(t *testing.T) {
	parse := func(keys string) (config.Config, error) {
		return config.Parse("m.yaml", []byte("data: {set: mnist}\nmodel: {"+keys+"}\n"), nil)
	}
	for _, topology := range []string{"rwlgn", "rwlgn-spine", "rwlgn-classwise", "ialgn"} {
		want, err := parse("topology: " + topology)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse("anchors: 7, first_pin: fixed, topology: " + topology)
		if err != nil || got.Equal(want) != (topology != "ialgn") {
			t.Errorf("%s: differs in %v, error %v", topology, got.Diff(want), err)
		}
	}
	for keys, want := range map[string]string{
		"anchors: 0":      "model.anchors: 0 is outside",
		"first_pin: free": `model.first_pin: "free" is unknown`,
	} {
		if _, err := parse("topology: rwlgn, " + keys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", keys, err, want)
		}
	}
}

func TestDiff(t *testing.T) {
	c := load(t, full)
	for _, key := range config.Keys() {
		other := c
		set(t, &other, key)
		if diff := cmp.Diff([]string{key}, c.Diff(other)); diff != "" {
			t.Errorf("%s changed: keys (-want +got):\n%s", key, diff)
		}
		if c.Equal(other) || len(c.Diff(other, "name", key)) > 0 && key != "name" {
			t.Errorf("%s changed: Equal %v, Diff without it %v", key, c.Equal(other), c.Diff(other, key))
		}
	}
	if !c.Equal(load(t, full)) {
		t.Error("the same file twice is not equal")
	}
	nan := c
	nan.Model.Tau = math.NaN()
	if !nan.Equal(nan) || nan.Equal(c) {
		t.Error("NaN must equal NaN and no other value")
	}
}

// TestLoadNamesPlaceAndHint compares the text, place and hint of every error about a file.
func TestLoadNamesPlaceAndHint(t *testing.T) {
	for _, test := range errorCases {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Parse("m.yaml", []byte(test.text), test.sets)
			if err == nil {
				t.Fatalf("no error, want %s", test.want)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.hint, message.Hint(err)); diff != "" {
				t.Errorf("hint (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckClasses(t *testing.T) {
	text := "data: {set: mnist}\nmodel:\n  width: 8001\n  anchors: 64\n"
	c := parse(t, text)
	standard := config.Default()
	for _, test := range []struct {
		name            string
		config          config.Config
		classes, inputs int
		want, hint      string
	}{
		{"fits", c, 3, 64, "", ""},
		{
			"width", c, 10, 64, "m.yaml:3:10: model.width: 8001 chains cannot be split into 10 classes",
			"use a multiple of 10, for example 8000",
		},
		{
			"fewer chains than classes", parse(t, text, "model.width=4"), 10, 64,
			"Set model.width: 4 chains cannot be split into 10 classes", "use a multiple of 10, for example 10",
		},
		{
			"default width", parse(t, "data: {set: mnist}\nmodel: {depth: 3}"), 26, 64,
			"m.yaml:2:1: model.width: 8000 chains cannot be split into 26 classes", "use a multiple of 26, for example 8008",
		},
		{
			"without a file", standard, 26, 64, "model.width: 8000 chains cannot be split into 26 classes",
			"use a multiple of 26, for example 8008",
		},
		{
			"anchors", c, 3, 63, "m.yaml:4:12: model.anchors: 64 different candidates cannot be drawn from 63 input bits",
			"use at most 63, or a larger encoder.bits",
		},
		{
			"no classes", c, 0, 63, "m.yaml:1:13: data.set: 0 classes and 63 input bits",
			"use a data set with samples and features",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			err := test.config.CheckClasses(test.classes, test.inputs)
			if err != nil {
				got = err.Error()
			}
			if got != test.want || message.Hint(err) != test.hint {
				t.Errorf("error %q, hint %q, want %q, %q", got, message.Hint(err), test.want, test.hint)
			}
		})
	}
}

// TestCheckNumbers builds configurations in code. It sets each numeric key to each kind of wrong number.
func TestCheckNumbers(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e9, 1e9} {
		for _, key := range []string{
			"encoder.bits", "model.width", "model.depth", "model.anchors", "model.hidden", "model.skip_logit",
			"model.init_noise", "model.tau",
			"train.optimizer.lr", "train.optimizer.beta1", "train.optimizer.beta2", "train.optimizer.eps", "train.epochs",
			"train.batch",
			"train.schedule.warmup", "train.schedule.final", "train.schedule.every", "train.schedule.factor",
			"train.validation.share", "train.validation.patience", "train.checkpoint.minutes",
		} {
			c := load(t, full)
			if !setNumber(&c, key, bad) {
				continue
			}
			if err := c.Check(); err == nil || !strings.Contains(err.Error(), key+": ") {
				t.Errorf("%s = %g: error %v", key, bad, err)
			}
		}
	}
}

func TestPrivateChains(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want bool
	}{
		{nil, true},
		{[]string{"model.hidden=2"}, false},
		{[]string{"model.topology=rwlgn-spine"}, false},
	} {
		cfg, err := config.Parse("m.yaml", []byte("data: {set: mnist}"), c.sets)
		if err != nil {
			t.Fatal(err)
		}
		if got := cfg.Model.PrivateChains(); got != c.want {
			t.Errorf("%v: private chains %v", c.sets, got)
		}
	}
}

func TestLimitsOfEncoding(t *testing.T) {
	c := parse(t, "data: {set: csv, train: a.csv}\nencoder: {bits: 8}\nmodel: {tau: 3}")
	for _, test := range []struct {
		key      string
		min, max int
	}{{"encoder.bits", encoding.MinBits, encoding.MaxBits}, {"encoder.bits_in", encoding.MinBitsIn, encoding.MaxBitsIn}} {
		for n, want := range map[int]bool{test.min - 1: false, test.min: true, test.max: true, test.max + 1: false} {
			setNumber(&c, test.key, float64(n))
			if err := c.Check(); (err == nil) != want {
				t.Errorf("%s = %d: error %v, but package encoding takes %d to %d", test.key, n, err, test.min, test.max)
			}
		}
		setNumber(&c, test.key, 8)
	}
}

func TestLoadErrors(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "none.yaml")
	if _, err := config.Load(missing, nil); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), missing+": ") || message.Hint(err) == "" {
		t.Errorf("missing file: error %v, hint %q", err, message.Hint(err))
	}
	if _, err := config.Load(folder, nil); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("a folder: error %v, want one that names it", err)
	}
	long := filepath.Join(folder, "long.yaml")
	if err := os.WriteFile(long, []byte(strings.Repeat("#", 1<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(long, nil); err == nil || err.Error() != long+
		": longer than 16384 bytes; this is not a configuration" {
		t.Errorf("a long file: error %v", err)
	}
}

func TestByteOrderMark(t *testing.T) {
	if c := parse(t, "\ufeffdata: {set: mnist}"); c.Data.Set != "mnist" {
		t.Errorf("set %q", c.Data.Set)
	}
}

func TestKeys(t *testing.T) {
	keys := config.Keys()
	for _, key := range []string{"name", "data.test_share", "train.optimizer.lr", "train.checkpoint.minutes"} {
		if !slices.Contains(keys, key) {
			t.Errorf("key %s is not in %v", key, keys)
		}
	}
}
