package trainer

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"

	"github.com/google/go-cmp/cmp"
)

// TestKeptEncoder trains a model further on files of a later month (encoder.ranges: model). Each file differs in one
// thing from the file that the model was trained on.
func TestKeptEncoder(t *testing.T) {
	dir := t.TempDir()
	// table writes a file with the columns x, y, colour and class. change may edit each row.
	table := func(name, header string, change func(i int, row []string) []string) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := range 60 {
			row := []string{
				fmt.Sprint(i), fmt.Sprintf("%.1f", float64(i*7%60)/2), []string{"red", "blue"}[i/2%2], []string{"p", "q", "r"}[i%3],
			}
			fmt.Fprintln(&b, strings.Join(change(i, row), ","))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	same := func(_ int, row []string) []string { return row }
	put := func(column int, value string) func(i int, row []string) []string {
		return func(i int, row []string) []string {
			if i == 7 {
				row[column] = value
			}
			return row
		}
	}
	const header = "x,y,colour,class"
	cfg := func(file, ranges, categories string) config.Config {
		c, err := config.Parse("t.yaml", []byte("data: {set: csv, train: "+file+", label: class, missing: median, categories: "+
			categories+"}\nencoder: {bits: 4, thresholds: quantile, ranges: "+ranges+"}\nmodel: {width: 6, depth: 2, "+
			"anchors: 3, tau: 1}\ntrain: {epochs: 1, batch: 10}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	classAs := func(format string) func(i int, row []string) []string {
		return func(i int, row []string) []string {
			row[3] = fmt.Sprintf(format, i%3)
			return row
		}
	}
	base, numbered := filepath.Join(dir, "base"), filepath.Join(dir, "numbered")
	train(t, Run{Config: cfg(table("a.csv", header, same), "robust", "colour"), Model: base})
	train(t, Run{Config: cfg(table("n.csv", header, classAs("%d")), "robust", "colour"), Model: numbered})
	for name, c := range map[string]struct {
		file       string
		base       string // the model to start from; empty means the first model
		categories string
		clipped    int // features with clipped values
		unknown    []dataset.Unknown
		err        string
	}{
		"the same rows":   {file: table("same.csv", header, same)},
		"a drift above":   {file: table("above.csv", header, put(0, "70")), clipped: 1},
		"a drift below":   {file: table("below.csv", header, put(1, "-3")), clipped: 1},
		"a drift of both": {file: table("both.csv", header, put(1, "1e30")), clipped: 1},
		"a missing value": {file: table("missing.csv", header, put(0, "NA"))},
		"a word that the model does not know": {
			file:    table("word.csv", header, put(2, "green")),
			unknown: []dataset.Unknown{{Name: "colour", Count: 1, Word: "green", At: 9}},
		},
		"numbers of classes written in another way": {file: table("written.csv", header, classAs("%d.0")), base: numbered},
		"columns in another order": {
			file: table("order.csv", "class,colour,y,x", func(_ int, r []string) []string {
				return []string{r[3], r[2], r[1], r[0]}
			}),
		},
		"another column": {
			file: table("more.csv", "z,"+header, func(i int, r []string) []string { return append([]string{"1.5"}, r...) }),
		},
		"another column of words": {
			file: table("words.csv", "x,y,colour,by,class", func(_ int, r []string) []string {
				return append(r[:3:3], "somebody", r[3])
			}),
		},
		"a class less": {
			file: table("less.csv", header, func(i int, r []string) []string {
				r[3] = []string{"p", "r"}[i%2]
				return r
			}), clipped: 1, // the test part consists of other rows
		},
		"a class more": {
			file: table("class.csv", header, put(3, "s")), err: `the classes ["s"] are not in the model to start from`,
		},
		"a column less": {
			file: table("column.csv", "x,colour,class", func(_ int, r []string) []string {
				return append(r[:1:1], r[2:]...)
			}), err: `these columns of the model are missing: ["y"]`,
		},
		"a column with another name": {
			file: table("name.csv", "x,width,colour,class", same),
			err:  `these columns of the model are missing: ["y"]; new columns: ["width"]`,
		},
		"words as numbers": {
			file:       table("numbers.csv", header, func(_ int, r []string) []string { r[2] = "1"; return r }),
			categories: "''", err: "column 3 (\"colour\") is a number here, and a category in the model",
		},
		"a word among numbers": {file: table("letters.csv", header, put(0, "high")), err: `line 9: column 1 ("x"): "high" is not`},
	} {
		t.Run(name, func(t *testing.T) {
			if c.categories == "" {
				c.categories = "colour"
			}
			start := base
			if c.base != "" {
				start = c.base
			}
			r := Run{Config: cfg(c.file, "model", c.categories), Model: filepath.Join(t.TempDir(), "m"), Start: start}
			s, err := r.Train(t.Context())
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q in it", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Clipped) != c.clipped {
				t.Errorf("clipped %+v, want values of %d features", s.Clipped, c.clipped)
			}
			if diff := cmp.Diff(c.unknown, s.Unknown); diff != "" {
				t.Errorf("unknown words (-want +got):\n%s", diff)
			}
			was, is := loadModel(t, start), loadModel(t, r.Model)
			if !reflect.DeepEqual(was.Encoder, is.Encoder) || !reflect.DeepEqual(was.Classes, is.Classes) {
				t.Errorf("the encoder is %+v, want %+v", is.Encoder, was.Encoder)
			}
			if _, err := LoadTest(t.Context(), nil, &is.Encoder, is.Classes, r.Config.Data, nil); err != nil {
				t.Errorf("its test part: %v", err)
			}
			r.Start, r.Resume, r.Config.Train.Epochs = "", true, 2
			train(t, r) // the checkpoint has the encoder
		})
	}
	none := Run{Config: cfg(filepath.Join(dir, "a.csv"), "model", "colour"), Model: filepath.Join(dir, "n")}
	if _, err := none.Train(t.Context()); err == nil || !strings.Contains(message.HintIn(err, message.Flags), "--init MODEL") {
		t.Errorf("without a model to start from: %v", err)
	}
	drifted := Run{Config: cfg(filepath.Join(dir, "above.csv"), "robust", "colour"), Model: none.Model, Start: base}
	if _, err := drifted.Train(t.Context()); err == nil || !strings.Contains(message.HintIn(err, message.Flags), "encoder.ranges: model") {
		t.Errorf("other ranges without the key: %v, want a hint at it", err)
	}
}

// TestMajority checks the warning about an accuracy that is no better than always answering with one class.
func TestMajority(t *testing.T) {
	for _, c := range []struct {
		counts   []int
		accuracy float64
		class    string
		warns    bool
	}{
		{[]int{70, 20, 10}, 0.7, "a", true},
		{[]int{20, 70, 10}, 0.69, "b", true},
		{[]int{20, 70, 10}, 0.71, "b", false},
		{[]int{50, 50}, 0.5, "a", true},
		{[]int{50, 50}, 0.51, "a", false},
		{[]int{0, 3}, 1, "b", true},
		{[]int{1, 2}, 2.0 / 3, "b", true},
		{[]int{1, 2}, 1, "b", false},
		{[]int{0, 0}, 0, "", true},
		{[]int{1999, 1}, 0.9995, "a", true},
	} {
		m := MajorityOf([]string{"a", "b", "c"}, c.counts)
		if warning := m.Warning(&config.Train{}, c.accuracy); m.Class != c.class || (warning != nil) != c.warns {
			t.Errorf("%v and an accuracy of %g: majority %+v, warning %v", c.counts, c.accuracy, m, warning)
		}
	}
	for _, c := range []struct {
		train config.Train
		warns bool
	}{
		{config.Train{ClassWeights: "balanced"}, false},
		{config.Train{Offsets: "integer"}, true},
		{config.Train{Validation: config.Validation{Metric: "f1_macro"}}, true},
		{config.Train{Offsets: "integer", Validation: config.Validation{Metric: "f1_macro"}}, false},
	} {
		if warning := (Majority{"a", 0.7}).Warning(&c.train, 0.6); (warning != nil) != c.warns {
			t.Errorf("%+v: warning %v", c.train, warning)
		}
	}
}
