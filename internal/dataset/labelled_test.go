package dataset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// readLabelled reads the classes and the feature words of all samples in a file.
func readLabelled(t *testing.T, text, labels []byte, enc *encoding.Encoder, classes []string, label string) (
	found []int, words [][]uint16, err error,
) {
	t.Helper()
	path, labelPath := filepath.Join(t.TempDir(), "in"), ""
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if labels != nil {
		labelPath = path + ".labels"
		if err := os.WriteFile(labelPath, labels, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := OpenLabelled(t.Context(), path, labelPath, enc, classes, config.Data{Label: label})
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	for {
		values := make([]uint16, 2)
		class, err := l.Next(values)
		if errors.Is(err, io.EOF) {
			return found, words, nil
		} else if err != nil {
			return nil, nil, err
		}
		found, words = append(found, class), append(words, slices.Clone(values))
	}
}

// labelledEncoders returns three encoders. The first is for integers without names, the second for real values with
// names, and the third for a table with known columns.
func labelledEncoders() (words, reals, table *encoding.Encoder) {
	q := &encoding.Quantiser{Offset: []float64{0, 0}, Scale: []float64{1, 1}}
	words, reals, table = encoderOf(2, nil, nil, 15), encoderOf(2, []string{"a", "b"}, q, 15), encoderOf(2, []string{
		"a",
		"b",
	}, q, 15)
	table.Columns = []encoding.Column{
		{Kind: encoding.LabelColumn, Name: "kind"},
		{Kind: encoding.NumberColumn, Name: "a"},
		{Kind: encoding.DroppedColumn, Name: "id"},
		{Kind: encoding.NumberColumn, Name: "b"},
	}
	return words, reals, table
}

func TestLabelled(t *testing.T) {
	words, reals, columns := labelledEncoders()
	tests := []struct {
		name         string
		text, labels string
		enc          *encoding.Encoder
		label        string
	}{
		{"label last", "1,2,cat\n3,4,dog\n", "", words, ""},
		{"header", "x,y,kind\n1,2,cat\n3,4,dog\n", "", words, ""},
		{"label by name", "kind,x,y\ncat,1,2\ndog,3,4\n", "", words, "kind"},
		{"label by number", "cat,1,2\ndog,3,4\n", "", words, "1"},
		{"semicolons", "1;2;cat\n3;4;dog\n", "", words, ""},
		{"spaces", "1, 2, cat\n3, 4, dog \n", "", words, ""},
		{"names in their order", "a,b,kind\n1,2,cat\n3,4,dog\n", "", reals, ""},
		{"names in another order", "b,kind,a\n2,cat,1\n4,dog,3\n", "", reals, "kind"},
		{"other columns", "id,b,kind,a,more\n9,2,cat,1,z\n9,4,dog,3,z\n", "", reals, "kind"},
		{"real values without a header", "1,2,cat\n3,4,dog\n", "", reals, ""},
		{"columns of training by place", "cat,1,7,2\ndog,3,7,4\n", "", columns, ""},
		{"columns of training by name", "b,a,kind\n2,1,cat\n4,3,dog\n", "", columns, ""},
		{"a label of another name", "b,a,truth\n2,1,cat\n4,3,dog\n", "", columns, "truth"},
		{"gzip", string(gzipped([]byte("1,2,cat\n3,4,dog\n"))), "", words, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			classes, got, err := readLabelled(t, []byte(tt.text), nil, tt.enc, []string{"dog", "cat"}, tt.label)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int{1, 0}, classes) + cmp.Diff([][]uint16{{1, 2}, {3, 4}}, got); diff != "" {
				t.Errorf("classes, samples (-want +got):\n%s", diff)
			}
		})
	}
	numbers := []string{"7", "10"}
	images, labels := idxBytes([]byte{1, 2, 3, 4}, 2, 2), idxBytes([]byte{10, 7}, 2)
	for name, of := range map[string][2][]byte{
		"arrays": {images, labels}, "numbers": {[]byte("1,2,10\n3,4,7\n"), nil},
		"numbers written in other ways": {[]byte("1,2,10.0\n3,4,7e0\n"), nil},
	} {
		classes, _, err := readLabelled(t, of[0], of[1], words, numbers, "")
		if diff := cmp.Diff([]int{1, 0}, classes); err != nil || diff != "" {
			t.Errorf("%s: error %v, classes (-want +got):\n%s", name, err, diff)
		}
	}
	if class := (notation{comma: true}).classOf(numbers, "10,0"); class != 1 {
		t.Errorf("a label with a decimal comma has class %d, want 1", class)
	}
}

func TestLabelledFaults(t *testing.T) {
	words, reals, columns := labelledEncoders()
	images := idxBytes([]byte{1, 2, 3, 4}, 2, 2)
	tests := []struct {
		name         string
		text, labels []byte
		enc          *encoding.Encoder
		label        string
		want         []string
	}{
		{"another class", []byte("1,2,cat\n3,4,cow\n"), nil, words, "", []string{
			"in: record 2: line 2: the label, column 3, is \"cow\", want a class of the model: [\"dog\" \"cat\"]",
		}},
		{"another class by name", []byte("b,a,kind\n2,1,cow\n"), nil, columns, "", []string{
			"line 2: the label, column 3 (",
			"cow",
		}},
		{"an empty label", []byte("1,2,cat\n3,4,\n"), nil, words, "", []string{"line 2: the label, column 3, is empty"}},
		{"no label", []byte("1,2\n3,4\n"), nil, words, "", []string{"in: there is no column of labels"}},
		{"no label of that name", []byte("a,b,state\n1,2,cat\n"), nil, reals, "kind", []string{
			"no column has the name of the label, \"kind\"",
		}},
		{
			"no label among columns of training", []byte("a,b,id\n1,2,3\n"), nil, columns,
			"",
			[]string{"no column has the name of the label, \"kind\""},
		},
		{"no label by place", []byte("1,2\n"), nil, columns, "", []string{"there is no column of labels"}},
		{"a feature for the label", []byte("a,b\n1,2\n"), nil, reals, "b", []string{"column 2 (\"b\") is a feature of the model"}},
		{
			"a feature is missing", []byte("a,kind\n1,cat\n"), nil, reals,
			"kind",
			[]string{"these columns of the model are missing in the header: [\"b\"]"},
		},
		{"labels beside a table", []byte("1,2,cat\n"), idxBytes([]byte{1}, 1), words, "", []string{"is a table"}},
		{"an array without labels", images, nil, words, "", []string{"in: an array without labels"}},
		{"labels of images", images, images, words, "", []string{"in.labels: header: 2 numbers per sample, want one number per label"}},
		{"fewer labels", images, idxBytes([]byte{1}, 1), words, "", []string{"1 labels, but 2 samples in"}},
		{
			"a label of no class", images, idxBytes([]byte{1, 2}, 2), words,
			"",
			[]string{"in.labels: record 1: label 1, want a class of the model"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readLabelled(t, tt.text, tt.labels, tt.enc, []string{"dog", "cat"}, tt.label)
			wantError(t, err, tt.want...)
		})
	}
}
