package dataset

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// TestNeighbours finds files by their names. Words in the middle of other words do not count.
func TestNeighbours(t *testing.T) {
	for name, test := range map[string]struct {
		words map[string][]string
		files []string
		want  []string
	}{
		"ecg-train-x.npy.gz":            {labelWords, []string{"ecg-train-y.npy.gz"}, []string{"ecg-train-y.npy.gz"}},
		"x.npy.gz":                      {labelWords, []string{"y.npy"}, []string{"y.npy"}},
		"X_train.npy":                   {labelWords, []string{"y_train.npy", "y_test.npy"}, []string{"y_train.npy"}},
		"trainX.npy":                    {labelWords, []string{"trainY.npy"}, []string{"trainY.npy"}},
		"X.npy":                         {labelWords, []string{"y.npy", "Y.npy"}, []string{"y.npy", "Y.npy"}},
		"data.npy":                      {labelWords, []string{"labels.npy", "label.npy"}, []string{"labels.npy"}},
		"train-images-idx3-ubyte":       {labelWords, []string{"train-labels-idx1-ubyte"}, []string{"train-labels-idx1-ubyte"}},
		"train-images.idx3-ubyte":       {labelWords, []string{"train-labels.idx1-ubyte"}, []string{"train-labels.idx1-ubyte"}},
		"box.npy":                       {labelWords, []string{"boy.npy"}, nil},
		"features.npy":                  {labelWords, []string{"features.npy"}, nil},
		"KDDTrain+.csv":                 {testWords, []string{"KDDTest+.csv"}, []string{"KDDTest+.csv"}},
		"Wafer_TRAIN.tsv":               {testWords, []string{"Wafer_TEST.tsv"}, []string{"Wafer_TEST.tsv"}},
		"a-train.csv":                   {testWords, []string{"a-test.csv.gz", "b-test.csv"}, []string{"a-test.csv.gz"}},
		"train.csv":                     {testWords, []string{"test.csv", "test.csv.gz"}, []string{"test.csv", "test.csv.gz"}},
		"restrain.csv":                  {testWords, []string{"restest.csv"}, nil},
		"train-images-idx3-ubyte.gz":    {testWords, []string{"t10k-images-idx3-ubyte"}, []string{"t10k-images-idx3-ubyte"}},
		"table.csv":                     {testWords, []string{"test.csv"}, nil},
		"Training data of the week.csv": {testWords, []string{"Test data of the week.csv"}, []string{"Test data of the week.csv"}},
	} {
		files := map[string][]byte{name: nil}
		for _, f := range test.files {
			files[f] = nil
		}
		dir := writeFiles(t, files)
		var got []string
		for _, path := range neighbours(filepath.Join(dir, name), test.words) {
			got = append(got, filepath.Base(path))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestIdentifierColumns judges columns of whole numbers and words by their names and values.
func TestIdentifierColumns(t *testing.T) {
	const n = 60
	for name, test := range map[string]struct {
		column string
		value  func(i int) int
		kind   string
		group  bool
	}{
		"id with repetitions":   {"UNIQUE_ID", func(i int) int { return i * i % 31 }, "dropped", false},
		"id with few values":    {"id", func(i int) int { return i % 9 }, "number", false},
		"code that ends in id":  {"source_id", func(i int) int { return i * i % 31 }, "number", false},
		"key that ends in id":   {"orderId", func(i int) int { return i * 7 % 61 }, "dropped", false},
		"measured acid":         {"acid", func(i int) int { return i * 7 % 61 }, "number", false},
		"shuffled row numbers":  {"Unnamed: 0", func(i int) int { return i * 7 % 61 }, "dropped", false},
		"row of a chess board":  {"row", func(i int) int { return i % 8 }, "number", false},
		"patients":              {"patient_id", func(i int) int { return i / 2 % 7 }, "dropped", true},
		"four patients":         {"patient", func(i int) int { return i / 2 % 4 }, "number", false},
		"patients of one class": {"patient", func(i int) int { return i % 6 }, "dropped", true},
		"patients with a row":   {"patient", func(i int) int { return i * 7 % 61 }, "dropped", false},
		"a patient too large":   {"patient", func(i int) int { return max(0, i-55) }, "dropped", false},
		"patients in a count":   {"patients", func(i int) int { return i * i % 31 }, "number", false},
	} {
		text := rows(test.column+",x,class", n, func(i int) string {
			return join(test.value(i), i*i%11, i%2)
		})
		s, err := survey(t.Context(), config.Data{TestShare: 0.2}, inMemory("in.csv", []byte(text)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c := s.Columns[0]; string(c.Kind) != test.kind {
			t.Errorf("%s: column %+v, want a %s", name, c, test.kind)
		}
		note := s.ChooseGroup()
		if got := s.Group == test.column; got != test.group || got != (note != "") {
			t.Errorf("%s: group %q, note %q", name, s.Group, note)
		}
	}
}

// TestChooseGroup chooses among several columns of owners. The other columns are not features either.
func TestChooseGroup(t *testing.T) {
	text := rows("session,user,size,class", 80, func(i int) string { return join(i/4, i/4%6, i*i%11, i%2) })
	s, err := lookAt(text, "")
	if err != nil {
		t.Fatal(err)
	}
	if note := s.ChooseGroup(); s.Group != "user" || note == "" {
		t.Errorf("group %q, note %q", s.Group, note)
	}
	keys, err := s.Keys()
	want := []Key{{"data.header", "yes"}, {"data.group", "user"}, {"data.drop", "session"}}
	if diff := cmp.Diff(want, keys); diff != "" || err != nil {
		t.Errorf("error %v, keys (-want +got):\n%s", err, diff)
	}
}
