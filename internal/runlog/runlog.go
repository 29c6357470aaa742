// Package runlog writes and reads the log of training runs that `ialgn train --log` writes. A log has one line for
// each epoch, in JSON or CSV.
//
// A [Writer] appends [Epoch]s to a file, whose ending determines the form. A [Follower] reads such a file while the
// file grows, and reads each byte once. It groups the lines by runs. A file may have runs of several seeds and of
// several calls.
package runlog

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/estimate"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/trainer"
)

// Epoch is a line of a log. Shares are from 0 to 1. Times are in seconds.
type Epoch struct {
	Run        string         `json:"-"` // name of the configuration; only in CSV
	Time       string         `json:"time"`
	Seed       *uint64        `json:"seed,omitempty"` // nil if unknown, which is possible in JSON
	Fold       *int           `json:"fold,omitempty"` // fold of a cross-validation, from 1; nil: none
	Epoch      int            `json:"epoch"`          // from 1
	Rate       float64        `json:"learning_rate"`  // in the epoch's last step
	Loss       float64        `json:"loss"`
	Train      float64        `json:"train_accuracy"`
	Validation *float64       `json:"validation_accuracy,omitempty"` // nil without a validation set
	Metric     *float64       `json:"validation_metric,omitempty"`   // nil if the metric is the accuracy
	Test       float64        `json:"test_accuracy"`
	Relaxed    *float64       `json:"relaxed_test_accuracy,omitempty"` // nil except with estimator soft
	Seconds    float64        `json:"seconds"`                         // since the call began
	InStep     float64        `json:"step_seconds"`
	GateRate   float64        `json:"gate_steps_per_second"`
	LUTs       *estimate.LUTs `json:"luts_estimate,omitempty"`
	Balanced   *float64       `json:"balanced_accuracy,omitempty"` // on the test samples; nil in logs of earlier versions
	MacroF1    *float64       `json:"f1_macro,omitempty"`          // like Balanced
}

// Of returns the line for a finished epoch. began is the time at which the call began.
func Of(p trainer.Progress, began time.Time) Epoch {
	e := Epoch{
		Time: time.Now().UTC().Format(time.RFC3339), Epoch: p.Epoch, Rate: p.LearningRate, Loss: p.Loss,
		Train: p.TrainAccuracy, Test: share(p.Finished.TestCorrect, p.Finished.TestSamples), Relaxed: p.Relaxed,
		Metric:  p.Metric,
		Seconds: time.Since(began).Seconds(), InStep: p.InStep.Seconds(), GateRate: p.GateStepsRate, LUTs: p.LUTs,
	}
	if n := p.Finished.ValidationSamples; n > 0 {
		v := share(p.Finished.ValidationCorrect, n)
		e.Validation = &v
	}
	if s := p.Scores; s != nil {
		e.Balanced, e.MacroF1 = &s.BalancedAccuracy, &s.MacroF1
	}
	return e
}

func share(part, all int) float64 { return float64(part) / float64(all) }

// check returns an error for values that no run can have.
func (e *Epoch) check() error {
	if e.Epoch < 1 || e.Epoch > mostEpochs {
		return fmt.Errorf("epoch: is %d, want 1 to %d", e.Epoch, mostEpochs)
	}
	for _, v := range []struct {
		name  string
		value *float64
	}{
		{"train_accuracy", &e.Train},
		{"validation_accuracy", e.Validation},
		{"test_accuracy", &e.Test},
		{"relaxed_test_accuracy", e.Relaxed},
		{"balanced_accuracy", e.Balanced},
		{"f1_macro", e.MacroF1},
	} {
		if v.value != nil && !(*v.value >= 0 && *v.value <= 1) {
			return fmt.Errorf("%s: is %v, want a share from 0 to 1", v.name, *v.value)
		}
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"loss", e.Loss}, {"learning_rate", e.Rate}, {"seconds", e.Seconds}} {
		if math.IsNaN(v.value) || math.IsInf(v.value, 0) {
			return fmt.Errorf("%s: is %v, want a number", v.name, v.value)
		}
	}
	return nil
}

// mostEpochs is larger than the number of epochs of any run.
const mostEpochs = 1_000_000_000

// column is a column of a CSV log. get turns a field of an epoch into text, and set turns text into the field.
// Fields that an epoch does not have are empty.
type column struct {
	name string
	get  func(e *Epoch) string
	set  func(e *Epoch, text string) error
}

// columns lists the columns of a CSV log in order. Run and seed come first.
var columns = []column{
	{"run", func(e *Epoch) string { return e.Run }, func(e *Epoch, s string) error { e.Run = s; return nil }},
	{"seed", seedText, setSeed},
	{"time", func(e *Epoch) string { return e.Time }, func(e *Epoch, s string) error { e.Time = s; return nil }},
	whole("epoch", func(e *Epoch) *int { return &e.Epoch }),
	number("learning_rate", func(e *Epoch) *float64 { return &e.Rate }),
	number("loss", func(e *Epoch) *float64 { return &e.Loss }),
	number("train_accuracy", func(e *Epoch) *float64 { return &e.Train }),
	perhaps("validation_accuracy", func(e *Epoch) **float64 { return &e.Validation }),
	number("test_accuracy", func(e *Epoch) *float64 { return &e.Test }),
	perhaps("relaxed_test_accuracy", func(e *Epoch) **float64 { return &e.Relaxed }),
	number("seconds", func(e *Epoch) *float64 { return &e.Seconds }),
	number("step_seconds", func(e *Epoch) *float64 { return &e.InStep }),
	number("gate_steps_per_second", func(e *Epoch) *float64 { return &e.GateRate }),
	luts("inputs", func(l *estimate.LUTs) *int { return &l.Inputs }),
	luts("gates", func(l *estimate.LUTs) *int { return &l.Gates }),
	luts("head", func(l *estimate.LUTs) *int { return &l.Head }),
	luts("encoder", func(l *estimate.LUTs) *int { return &l.Encoder }),
	luts("total", func(l *estimate.LUTs) *int { return &l.Total }),
	perhaps("validation_metric", func(e *Epoch) **float64 { return &e.Metric }),
	perhaps("balanced_accuracy", func(e *Epoch) **float64 { return &e.Balanced }),
	perhaps("f1_macro", func(e *Epoch) **float64 { return &e.MacroF1 }),
	{"fold", foldText, setFold},
}

func foldText(e *Epoch) string {
	if e.Fold == nil {
		return ""
	}
	return strconv.Itoa(*e.Fold)
}

func setFold(e *Epoch, text string) error {
	if text == "" {
		return nil
	}
	fold, err := strconv.Atoi(text)
	e.Fold = &fold
	return err
}

func seedText(e *Epoch) string {
	if e.Seed == nil {
		return ""
	}
	return strconv.FormatUint(*e.Seed, 10)
}

func setSeed(e *Epoch, text string) error {
	if text == "" {
		return nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	e.Seed = &seed
	return err
}

// whole returns a column for a whole number that every epoch has.
func whole(name string, field func(e *Epoch) *int) column {
	return column{
		name, func(e *Epoch) string { return strconv.Itoa(*field(e)) },
		func(e *Epoch, text string) (err error) { *field(e), err = strconv.Atoi(text); return err },
	}
}

// number returns a column for a number that every epoch has.
func number(name string, field func(e *Epoch) *float64) column {
	return column{
		name, func(e *Epoch) string { return strconv.FormatFloat(*field(e), 'g', -1, 64) },
		func(e *Epoch, text string) (err error) { *field(e), err = strconv.ParseFloat(text, 64); return err },
	}
}

// perhaps returns a column for a number that may be nil.
func perhaps(name string, field func(e *Epoch) **float64) column {
	return column{
		name,
		func(e *Epoch) string {
			if v := *field(e); v != nil {
				return strconv.FormatFloat(*v, 'g', -1, 64)
			}
			return ""
		},
		func(e *Epoch, text string) error {
			if text == "" {
				return nil
			}
			v, err := strconv.ParseFloat(text, 64)
			*field(e) = &v
			return err
		},
	}
}

// luts returns a column for one part of the LUT estimate.
func luts(name string, field func(l *estimate.LUTs) *int) column {
	return column{
		"luts_estimate_" + name,
		func(e *Epoch) string {
			if e.LUTs == nil {
				return ""
			}
			return strconv.Itoa(*field(e.LUTs))
		},
		func(e *Epoch, text string) (err error) {
			if text == "" {
				return nil
			}
			if e.LUTs == nil {
				e.LUTs = &estimate.LUTs{}
			}
			*field(e.LUTs), err = strconv.Atoi(text)
			return err
		},
	}
}

// header returns the first line of a CSV log.
func header() string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ",")
}

// errNoLine is the error for a line that lacks values that every epoch has.
var errNoLine = errors.New("has no epoch, loss, train_accuracy and test_accuracy: is no line of a training log")

// parseJSON parses a line of a JSON log.
func parseJSON(line []byte) (Epoch, error) {
	var has struct {
		Epoch *int     `json:"epoch"`
		Loss  *float64 `json:"loss"`
		Train *float64 `json:"train_accuracy"`
		Test  *float64 `json:"test_accuracy"`
	}
	var e Epoch
	if err := json.Unmarshal(line, &has); err != nil {
		return e, message.ExplainJSON(err)
	}
	if has.Epoch == nil || has.Loss == nil || has.Train == nil || has.Test == nil {
		return e, errNoLine
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, message.ExplainJSON(err)
	}
	return e, e.check()
}

// columnsOf returns the columns that a header names. Unknown columns, for example from another version of ialgn, are
// ignored.
func columnsOf(header string) (list []column) {
	ignored := column{set: func(*Epoch, string) error { return nil }}
	for name := range strings.SplitSeq(header, ",") {
		c := ignored
		if i := slices.IndexFunc(columns, func(c column) bool { return c.name == name }); i >= 0 {
			c = columns[i]
		}
		list = append(list, c)
	}
	return list
}

// parseCSV parses a line of a CSV log with the given columns.
func parseCSV(line []byte, columns []column) (Epoch, error) {
	var e Epoch
	r := csv.NewReader(bytes.NewReader(line))
	r.FieldsPerRecord = -1
	fields, err := r.Read()
	if err != nil {
		return e, errors.New("is no line of CSV")
	}
	if len(fields) != len(columns) {
		return e, fmt.Errorf("has %d fields, want %d", len(fields), len(columns))
	}
	for _, name := range []string{"epoch", "loss", "train_accuracy", "test_accuracy"} {
		if !slices.ContainsFunc(columns, func(c column) bool { return c.name == name }) {
			return e, errNoLine
		}
	}
	for i, c := range columns {
		if err := c.set(&e, fields[i]); err != nil {
			return e, fmt.Errorf("%s: %.40q has no place there", c.name, fields[i])
		}
	}
	return e, e.check()
}

// IsCSV reports whether a log at path is in CSV, which depends on the name.
func IsCSV(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// Form returns the form that an existing log at path must have.
func Form(path string) outfile.Form {
	if IsCSV(path) {
		return outfile.LogTable
	}
	return outfile.Log
}

// Writer appends epochs to a log.
type Writer struct {
	file  *os.File
	csv   bool
	fresh bool // the file was created by this Writer and has no epochs yet
}

// Append opens a log for appending, in CSV if its name ends in .csv. If the last line was cut off, it first completes
// this line. For a new CSV log, it writes the header. An existing file must be a log in the same form, unless the
// guard allows any file.
func Append(path string, guard outfile.Guard) (*Writer, error) {
	if err := guard.Check(path, Form(path)); err != nil {
		return nil, err
	}
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, message.WithHint(err, "name a file in a folder that is there and can be written")
	}
	w := &Writer{file: f, csv: IsCSV(path), fresh: errors.Is(missing, fs.ErrNotExist)}
	if err := w.begin(guard.Forced()); err != nil {
		_ = w.Close() // err is the error to report
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

// begin completes a line that was cut off, and writes the header of a new CSV log. If forced is true, existing
// content need not be a log.
func (w *Writer) begin(forced bool) error {
	info, err := w.file.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); info.Mode().IsRegular() && size > 0 {
		return w.goOn(size, forced)
	}
	if w.csv {
		return w.put(header() + "\n")
	}
	return nil
}

// goOn checks the beginning and the end of an existing log. size is the length of the log in bytes.
func (w *Writer) goOn(size int64, forced bool) error {
	f, err := os.Open(w.file.Name())
	if err != nil {
		return err
	}
	defer f.Close()
	have := make([]byte, min(size, int64(len(header())+1)))
	if _, err := f.ReadAt(have, 0); err != nil {
		return err
	}
	if w.csv && !forced && string(have) != header()+"\n" {
		return message.WithHint(errors.New("is a log with other columns"), "choose another name")
	}
	last := have[:1]
	if _, err := f.ReadAt(last, size-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		return w.put("\n")
	}
	return nil
}

// Write appends an epoch with a single write, because other processes may append to the same file.
func (w *Writer) Write(e Epoch) error {
	w.fresh = false
	if !w.csv {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		return w.put(string(line) + "\n")
	}
	fields := make([]string, len(columns))
	for i, c := range columns {
		fields[i] = c.get(&e)
	}
	var b strings.Builder
	t := csv.NewWriter(&b)
	if err := t.Write(fields); err != nil {
		return err
	}
	t.Flush()
	return w.put(b.String())
}

func (w *Writer) put(text string) error {
	_, err := w.file.WriteString(text)
	return err
}

// Close closes the file. It removes the file if this Writer created it and wrote no epoch, because nothing was
// trained.
func (w *Writer) Close() error {
	info, err := w.file.Stat()
	empty := w.fresh && err == nil && info.Mode().IsRegular() && info.Size() <= w.headed()
	err = w.file.Close()
	if empty {
		os.Remove(w.file.Name())
	}
	return err
}

// headed returns the size of a log without epochs, which has at most a header.
func (w *Writer) headed() int64 {
	if w.csv {
		return int64(len(header()) + 1)
	}
	return 0
}
