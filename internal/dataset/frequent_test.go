package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/config"
)

// join returns a line of a table.
func join(values ...any) string {
	var fields []string
	for _, v := range values {
		fields = append(fields, fmt.Sprint(v))
	}
	return strings.Join(fields, ",")
}

// manyWords returns a table with 80 words. The words w00 to w15 are in one row each, and all others in three rows.
func manyWords() string {
	var lines []string
	for i := range 80 {
		line := fmt.Sprintf("w%02d,%d", i, i%2)
		lines = append(lines, line)
		if i >= 16 {
			lines = append(lines, line, line)
		}
	}
	return "word,class\n" + strings.Join(lines, "\n") + "\n"
}

// TestFrequentWords reads a column with more words than can be features. The most frequent words of the training part
// must become features. Other words, and words that only the test file has, must set no feature.
func TestFrequentWords(t *testing.T) {
	train := manyWords()
	s, err := lookAt(train, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Columns[0]; c.Kind != "category" || len(c.Categories) != 64 || c.Categories[0] != "w16" || c.Rare != 16 {
		t.Errorf("column %+v", c)
	}
	set, err := openCSVText(t, config.Data{Categories: "word"}, 1, train, "word,class\nw79,0\nw00,1\nnew,1\n")
	if err != nil {
		t.Fatal(err)
	}
	if set.Features != 64 || set.FeatureNames[0] != "word=w16" || !set.Rare {
		t.Errorf("%d features, the first %s, rare %v", set.Features, set.FeatureNames[0], set.Rare)
	}
	for i, x := range mustCollect(t, set, Test) {
		if got := slices.Index(x.Values, 1); got != []int{63, -1, -1}[i] {
			t.Errorf("test sample %d sets feature %d", i, got)
		}
	}
	mustCollect(t, set, Train)
	unknown, err := set.Unknown(t.Context(), Train)
	if err != nil || len(unknown) != 1 || unknown[0].Count != 16 || unknown[0].Word != "w00" {
		t.Errorf("unknown words %+v, error %v", unknown, err)
	}
}

// TestManyRareWords judges a column whose frequent words are in few rows.
func TestManyRareWords(t *testing.T) {
	text := rows("word,x,class", 500, func(i int) string { return join(fmt.Sprint("w", i%200), i*i%7, i%2) })
	s, err := lookAt(text, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Columns[0]; c.Kind != "dropped" || !strings.Contains(c.Reason, "has 200 different words, and most rows") {
		t.Errorf("column %+v", c)
	}
}

// TestSharedGroups compares the groups of a test file with the groups of its training file.
func TestSharedGroups(t *testing.T) {
	train := rows("user,x,class", 12, func(i int) string { return join(fmt.Sprint("u", i/2), i, i%2) })
	for test, want := range map[string]string{
		"user,x,class\nu9,1,0\nu8,2,1\n": "",
		"user,x,class\nu9,1,0\nu3,2,1\nu3,2,0\n": `data.test: 1 of 2 groups, such as "u3", is in the training file, too ` +
			`(2 test samples): the test does not show how new groups are classified`,
		"user,x,class\nu5,1,0\nu3,2,1\nu5,1,0\n": `data.test: 2 of 2 groups, such as "u5", are in the training file, too ` +
			`(3 test samples): the test does not show how new groups are classified`,
	} {
		set, err := openCSVText(t, config.Data{Group: "user"}, 4, train, test)
		if err != nil {
			t.Fatal(err)
		}
		mustCollect(t, set, Test)
		got := ""
		if warning := set.Shared().Warning(); warning != nil {
			got = warning.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestSharedWithTest checks that only the test file is compared with the training file. A model's set may read the
// training file last, and folds of the training file have no test file.
func TestSharedWithTest(t *testing.T) {
	train := rows("user,x,class", 12, func(i int) string { return join(fmt.Sprint("u", i/2), float64(i)/2, i%2) })
	set, err := openCSVText(t, config.Data{Group: "user"}, 4, train, "user,x,class\nu9,1,0\nu3,2,1\n")
	if err != nil {
		t.Fatal(err)
	}
	mustCollect(t, set, Test)
	folds := set.files.cfg
	folds.Test, folds.Folds, folds.Fold = "", 2, 1
	fold, err := set.With(t.Context(), folds, config.Encoder{BitsIn: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustCollect(t, fold, Test)
	if got := fold.Shared(); fold.files.decodedFiles != set.files.decodedFiles || got != (Shared{}) {
		t.Errorf("a fold: %+v", got)
	}
	enc := asEncoder(set)
	enc.BitsIn = 4
	of, err := OpenFor(t.Context(), set.files.cfg, enc, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustCollect(t, of, Test)
	mustCollect(t, of, Train)
	if got := of.Shared(); got.Groups != 1 || got.Samples != 1 {
		t.Errorf("a model's set: %+v, want one group with one sample", got)
	}
}
