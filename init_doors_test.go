package ialgn_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn"
)

// TestInitDoors calls Init and Train for parts of the data sets of users' kinds, with nothing but the name of the file.
func TestInitDoors(t *testing.T) {
	folder := filepath.Join(os.Getenv("IALGN_DATA"), "real")
	if _, err := os.Stat(folder); err != nil || os.Getenv("IALGN_DATA") == "" {
		t.Skip("no folder real in $IALGN_DATA: set IALGN_DATA to the folder of the data sets")
	}
	for file, test := range map[string]struct {
		others       []string // files next to it
		every        int      // every so manieth record is in the part
		want, wanted []string // lines of the configuration, notes
		lacks        []string
	}{
		"dry-bean.csv.gz": {every: 20, want: []string{"test_share: 0.2", "separator: 'semicolon'"}},
		"nsl-kdd-train.csv.gz": {
			others: []string{"nsl-kdd-test.csv.gz"}, every: 25,
			want:   []string{"nsl-kdd-test.csv.gz'", "protocol_type, service, flag'", "# class_weights: balanced"},
			wanted: []string{"test samples are in"}, lacks: []string{"test_share"},
		},
		"wisdm.csv.gz": {
			every: 5, want: []string{"group: 'user'", "drop: 'UNIQUE_ID, XAVG'", "missing: 'median'"},
			wanted: []string{"column 'user' has 36 of them"},
		},
		"ecg-train-x.npy.gz": {
			others: []string{"ecg-train-y.npy.gz", "ecg-test-x.npy.gz", "ecg-test-y.npy.gz"}, every: 50,
			want:   []string{"ecg-train-y.npy.gz'", "ecg-test-x.npy.gz'", "ecg-test-y.npy.gz'"},
			wanted: []string{"labels are in", "test samples are in", "Class \"3\" has"},
		},
		"spoken-train-x.npy.gz": {
			others: []string{"spoken-train-y.npy.gz", "spoken-test-x.npy.gz", "spoken-test-y.npy.gz"}, every: 9,
			want: []string{"spoken-train-y.npy.gz'", "spoken-test-y.npy.gz'"}, lacks: []string{"class_weights"},
		},
	} {
		t.Run(file, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range append(test.others, file) {
				content := partOf(t, filepath.Join(folder, name), test.every)
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			o := ialgn.InitOptions{Data: filepath.Join(dir, file), Path: filepath.Join(dir, "t.yaml")}
			r, err := ialgn.Init(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(o.Path)
			if err != nil {
				t.Fatal(err)
			}
			checkText(t, "configuration", string(text), test.want, test.lacks)
			checkText(t, "notes", strings.Join(r.Notes, "\n"), test.wanted, nil)
			cfg, err := ialgn.LoadConfig(ialgn.TrainOptions{}, o.Path, "train.epochs=1",
				fmt.Sprintf("model.width=%d", 4*len(r.Classes)))
			if err != nil {
				t.Fatal(err)
			}
			warn := func(err error) {
				if strings.Contains(err.Error(), "data.test") {
					t.Error(err)
				}
			}
			m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, ialgn.TrainOptions{Warn: warn})
			if err != nil {
				t.Fatal(err)
			}
			m.Close()
		})
	}
}

// checkText checks which parts a text has.
func checkText(t *testing.T, what, text string, want, lacks []string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(text, part) {
			t.Errorf("the %s lacks %q:\n%s", what, part, text)
		}
	}
	for _, part := range lacks {
		if strings.Contains(text, part) {
			t.Errorf("the %s has %q:\n%s", what, part, text)
		}
	}
}

// partOf returns the header and every so manieth record of a compressed table or array.
func partOf(t *testing.T, path string, every int) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var part []byte
	if strings.HasSuffix(path, ".csv.gz") {
		lines := bytes.SplitAfter(all, []byte("\n"))
		part = lines[0]
		for i := 1; i < len(lines); i += every {
			part = append(part, lines[i]...)
		}
	} else {
		part = partOfArray(t, all, every)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(part); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// partOfArray returns an array of NumPy with every so manieth record of another one.
func partOfArray(t *testing.T, all []byte, every int) []byte {
	t.Helper()
	const lead = 10 // magic number, version and length of the header
	end := lead + int(binary.LittleEndian.Uint16(all[8:]))
	header := string(all[lead:end])
	shape := regexp.MustCompile(`'shape': \((\d+)`).FindStringSubmatchIndex(header)
	var n int
	if _, err := fmt.Sscan(header[shape[2]:shape[3]], &n); err != nil {
		t.Fatal(err)
	}
	size := (len(all) - end) / n
	header = fmt.Sprintf("%s%d%s", header[:shape[2]], (n+every-1)/every, header[shape[3]:])
	part := append([]byte{}, all[:8]...)
	part = binary.LittleEndian.AppendUint16(part, uint16(len(header)))
	part = append(part, header...)
	for i := 0; i < n; i += every {
		part = append(part, all[end+i*size:end+(i+1)*size]...)
	}
	return part
}
