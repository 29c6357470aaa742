package dataset

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

func TestDigits(t *testing.T) {
	s, err := Open(context.Background(), config.Data{Set: "digits"}, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Shape{Planes: 1, Height: 8, Width: 8}); s.Shape != want {
		t.Errorf("shape %+v, want %+v", s.Shape, want)
	}
	train, test := mustCollect(t, s, Train), mustCollect(t, s, Test)
	if len(train) != 3823 || len(test) != 1797 {
		t.Errorf("%d + %d samples, want 3823 + 1797", len(train), len(test))
	}
	// These are the class counts that optdigits.names gives.
	counts := [2][10]int{}
	for part, all := range [][]sample{train, test} {
		for _, r := range all {
			counts[part][r.Label]++
		}
	}
	want := [2][10]int{
		{376, 389, 380, 389, 387, 376, 377, 387, 380, 382},
		{178, 182, 177, 183, 181, 182, 181, 179, 174, 180},
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("samples a class (-want +got):\n%s", diff)
	}
	if s.BitsIn != 5 || s.Max != 16 || s.Features != 64 || len(s.FeatureNames) != 64 {
		t.Errorf("set %+v", s)
	}
}

func TestDigitsFaults(t *testing.T) {
	row := strings.Repeat("0,", digitsFeatures)
	for name, tt := range map[string]struct{ data, want string }{
		"columns":      {"a,b\n1,2\n", "d: 1 features, want 64"},
		"one row less": {row + "class\n" + row + "3\n", "d: 1 records, want 2"},
		"value too large": {
			row + "class\n" + row + "3\n17" + row[1:] + "3\n",
			"d: record 2: line 3: column 1 (\"0\") is 17, want an integer of 0..16",
		},
		"no digit": {row + "class\n" + row + "10\n", `d: record 1: line 2: label "10", want a digit`},
	} {
		t.Run(name, func(t *testing.T) {
			src := &digitsSource{files: [2]file{inMemory("d", []byte(tt.data))}, samples: [2]int{2, 2}}
			wantError(t, src.read(Train, func([]uint16, int) error { return nil }), tt.want)
		})
	}
}

func TestListOpens(t *testing.T) {
	var names []string
	for _, info := range List() {
		names = append(names, info.Name)
		if info.Title == "" || info.Get == "" {
			t.Errorf("%s: no title, or nothing on how to get the set", info.Name)
		}
		if k, ok := findKind(info.Name); ok && (len(k.files) != len(info.Files) || len(k.classes) < 10) {
			t.Errorf("%s: %d files, %d classes", info.Name, len(info.Files), len(k.classes))
		}
	}
	if diff := cmp.Diff([]string{
		"digits", "mnist", "fashion-mnist", "cifar10", "cifar100", "parity", "copy", "csv",
		"arrays",
	}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	ctx := context.Background()
	dir := writeFiles(t, tinyMNIST())
	tests := []struct {
		name        string
		set         string
		folders     []string
		found       bool
		known       bool
		note        string
		trainSample int
	}{
		{"digits", "digits", nil, true, true, "the original digits of the UCI repository", 3823},
		{
			"a version of its own", "mnist",
			[]string{dir},
			true, false,
			"this is not the original: it has 3 + 2 samples instead of 60,000 + 10,000; " + kinds[0].get, 3,
		},
		{"csv", "csv", nil, false, false, "has no fixed files; name your files in a configuration", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st, err := Check(ctx, tt.set, tt.folders)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			if len(st.Parts) > 0 {
				n = st.Parts[0].Samples
			}
			if st.Found != tt.found || st.Known != tt.known || st.Note != tt.note || n != tt.trainSample {
				t.Errorf("status %+v", st)
			}
		})
	}
	st, err := Check(ctx, "cifar10", []string{dir})
	if err != nil || st.Found || !strings.Contains(st.Note, "searched "+dir) ||
		!strings.Contains(st.Note, "unpack https://") {
		t.Errorf("missing set: %+v, error %v, want not found and no error", st, err)
	}
	_, err = Check(ctx, "imagenet", nil)
	wantError(t, err, "unknown")
	broken := tinyMNIST()
	broken["train-labels-idx1-ubyte"] = idxBytes([]byte{1, 2, 10}, 3)
	_, err = Check(ctx, "mnist", []string{writeFiles(t, broken)})
	wantError(t, err, "record 3: label 10")
}

func TestRecognise(t *testing.T) {
	k, _ := findKind("mnist")
	c := k.known[0]
	for _, tt := range []struct {
		name, set, train, test string
		known                  bool
		note                   string
	}{
		{"itself", "mnist", c.train, c.test, true, "the original MNIST"},
		{"taken for another", "fashion-mnist", c.train, c.test, false, "this is the original MNIST, not fashion-mnist"},
		{
			"test part differs", "mnist", c.train, c.train, false, "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			known, note := recognise(tt.set, tt.train, tt.test)
			if known != tt.known || note != tt.note {
				t.Errorf("%t, %q", known, note)
			}
		})
	}
}

// TestRealMNIST reads the original files. Their digests are known. The first labels and some pixel sums must be the
// published values.
func TestRealMNIST(t *testing.T) {
	st, err := Check(context.Background(), "mnist", []string{realData(t, "mnist")})
	if err != nil {
		t.Fatal(err)
	}
	if !st.Known || st.Parts[0].Samples != 60000 || st.Parts[1].Samples != 10000 {
		t.Errorf("status %+v", st)
	}
	s, err := Open(context.Background(), config.Data{Set: "mnist"}, 8, []string{realData(t, "mnist")})
	if err != nil {
		t.Fatal(err)
	}
	var labels []int
	sum := 0
	err = s.Read(context.Background(), Train, func(values []uint16, label int) error {
		if len(labels) < 10 {
			labels = append(labels, label)
		}
		for _, v := range values {
			sum += int(v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{5, 0, 4, 1, 9, 2, 1, 3, 1, 4}, labels); diff != "" {
		t.Errorf("first labels (-want +got):\n%s", diff)
	}
	// This is the mean pixel that tutorials use for normalisation.
	if mean := fmt.Sprintf("%.4f", float64(sum)/255/60000/784); mean != "0.1307" {
		t.Errorf("mean pixel %s, want 0.1307", mean)
	}
}

func TestRealTabular(t *testing.T) {
	dir := realData(t, "tabular")
	tests := []struct {
		file, label       string
		features, classes int
		samples           int
		first             string // name of the first class
	}{
		{"DNA.csv.gz", "", 180, 3, 3186, "ei"},
		{"LetterRecognition.csv", "lettr", 16, 26, 20000, "A"},
		{"Satellite.csv", "classes", 36, 6, 6435, "cotton crop"},
		{"Shuttle.csv", "Class", 9, 7, 58000, "Bpv.Close"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			cfg := config.Data{Set: "csv", Train: "tabular/" + tt.file, Label: tt.label, TestShare: 0.2, SplitSeed: 1}
			s, err := Open(context.Background(), cfg, 8, []string{dir})
			if err != nil {
				t.Fatal(err)
			}
			if s.Features != tt.features || len(s.Classes) != tt.classes || s.Classes[0] != tt.first ||
				s.TrainSamples+s.TestSamples != tt.samples {
				t.Errorf("%d features, %d classes from %s, %d samples", s.Features, len(s.Classes), s.Classes[0],
					s.TrainSamples+s.TestSamples)
			}
			if got := len(mustCollect(t, s, Test)); got != s.TestSamples {
				t.Errorf("%d test samples read, %d announced", got, s.TestSamples)
			}
		})
	}
}
