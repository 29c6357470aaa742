package experiment

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// split says how a CSV file of the data folder is divided into a training file and a test file. The new files are
// splits/SET-train.csv and splits/SET-test.csv in the folder of the experiment, where other programs can read them.
type split struct {
	file      string
	label     string // name of the column with the classes, which must not be numbers
	separator rune   // separator of the fields; 0 for a comma

	// group is a column of whole numbers: rows in which it is a multiple of five become the test part. If it is "", a
	// fifth of each class is drawn, the same rows as with data.test_share 0.2 and data.split_seed 0.
	group string
}

const (
	splitFolder = "splits"
	testShare   = 0.2
	testEvery   = 5 // rows whose group is a multiple of this number are in the test part
)

// divide writes the training file and the test file of a data set into a folder, unless the data set needs none or the
// folder has them. It returns the error for the source file if this file was not found.
func (e *Experiment) divide(ctx context.Context, set, dir string, folders []string) (*dataset.MissingError, error) {
	i := slices.IndexFunc(e.Sets, func(s tableSet) bool { return s.name == set })
	if i < 0 || e.Sets[i].split == nil {
		return nil, nil
	}
	s := e.Sets[i].split
	path, err := locate(ctx, config.Data{Set: "csv", Train: s.file, Label: s.label}, folders)
	var missing *dataset.MissingError
	switch {
	case errors.As(err, &missing):
		return missing, nil
	case err != nil:
		return nil, err
	}
	all, err := readRows(path, cmp.Or(s.separator, ','))
	if err != nil {
		return nil, err
	}
	train, test, err := s.parts(all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	base := filepath.Join(dir, splitFolder, set)
	return nil, cmp.Or(train.keep(base+"-train.csv"), test.keep(base+"-test.csv"))
}

// locate returns the path of a CSV file. If the file is not found, it returns a [dataset.MissingError].
func locate(ctx context.Context, data config.Data, folders []string) (string, error) {
	for _, path := range dataset.Candidates(data, folders) {
		if st, err := os.Stat(path); err == nil && !st.IsDir() {
			return path, nil
		}
	}
	_, err := dataset.Open(ctx, data, 8, folders)
	return "", cmp.Or(err, fmt.Errorf("%s: not found", data.Train))
}

// rows is the content of a CSV file with a header.
type rows struct {
	header  []string
	records [][]string
}

func readRows(path string, separator rune) (*rows, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	r := csv.NewReader(in)
	r.Comma = separator
	all, err := r.ReadAll()
	if err == nil && len(all) < 2 {
		err = errors.New("the file has no records")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &rows{all[0], all[1:]}, nil
}

// column returns the trimmed values of a column.
func (r *rows) column(name string) ([]string, error) {
	at := slices.Index(r.header, name)
	if at < 0 {
		return nil, fmt.Errorf("there is no column %s", name)
	}
	values := make([]string, len(r.records))
	for i, record := range r.records {
		values[i] = strings.TrimSpace(record[at])
	}
	return values, nil
}

// parts returns the training part and the test part of a table.
func (s *split) parts(all *rows) (train, test *rows, err error) {
	chosen, err := s.choose(all)
	if err != nil {
		return nil, nil, err
	}
	train, test = &rows{header: all.header}, &rows{header: all.header}
	for i, record := range all.records {
		part := train
		if chosen[i] {
			part = test
		}
		part.records = append(part.records, record)
	}
	return train, test, nil
}

// choose returns which rows of a table are in the test part.
func (s *split) choose(all *rows) ([]bool, error) {
	if s.group == "" {
		words, err := all.column(s.label)
		if err != nil {
			return nil, err
		}
		classes := slices.Clone(words)
		slices.Sort(classes)
		classes = slices.Compact(classes)
		labels := make([]uint8, len(words))
		for i, word := range words {
			at, _ := slices.BinarySearch(classes, word)
			labels[i] = uint8(at)
		}
		chosen, _, err := dataset.Split{Share: testShare, Classes: classes}.Choose(labels)
		return chosen, err
	}
	groups, err := all.column(s.group)
	chosen := make([]bool, len(groups))
	for i, group := range groups {
		number, err := strconv.Atoi(group)
		if err != nil {
			return nil, fmt.Errorf("row %d: %s is %q, want a whole number", i+1, s.group, group)
		}
		chosen[i] = number%testEvery == 0
	}
	return chosen, err
}

// keep writes the rows to a file. If the file has the same content already, keep leaves it. If it has another content,
// keep returns an error, because runs in the folder may have been trained on it.
func (r *rows) keep(path string) error {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	if err := cmp.Or(w.Write(r.header), w.WriteAll(r.records)); err != nil {
		return err
	}
	switch old, err := os.ReadFile(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case bytes.Equal(old, text.Bytes()):
		return nil
	default:
		return message.WithHint(fmt.Errorf("%s: has other rows than the table in the data folder gives now", path),
			"choose another folder, or remove the file if no run in this folder needs it")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return outfile.Write(path, func(out io.Writer) error {
		_, err := text.WriteTo(out)
		return err
	})
}
