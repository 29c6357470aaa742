package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ialgn/internal/netgen"
	"ialgn/internal/testkit"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/model"
	"ialgn/trainer"
)

func TestMain(m *testing.M) { testscript.Main(m, programs) }

// programs maps names to programs. The test binary runs a program if it is started under the program's name.
var programs = map[string]func(){"ialgn": main}

// small is a configuration that trains in a tenth of a second. With random operations, most of its gates matter.
const small = `name: tiny
data: {set: digits}
encoder: {bits: 4}
model: {width: 60, depth: 4, anchors: 8, tau: 2, init: random}
train: {epochs: 2, batch: 100, seed: 7, checkpoint: {minutes: 0}}
`

// TestScript runs the scripts of testdata/script. Each runs in its own folder, which holds small.yaml. The scripts
// have these commands in addition to testscript's:
//
//	status N COMMAND...        runs COMMAND and expects exit status N
//	replace OLD NEW FILE       replaces the first OLD in FILE
//	json FILE ASSERTION...     expects one JSON object in FILE; see assert
//	lines FILE N ASSERTION...  expects N JSON objects in FILE, one per line
//	same FILE KEY FILE KEY     expects that two values are equal
//	interrupt LOG N COMMAND... sends SIGINT when LOG has N lines, and expects exit status 130
//	killed LOG N COMMAND...    sends SIGKILL when LOG has N lines, and expects no exit status
//	samples FILE N [label] [header] [idx]  writes the first N test digits, or only labels (idx and label)
//	truncate FILE BYTES        cuts off the end of FILE
//	[long] COMMAND...          runs COMMAND only in make test-all
//	real FILE N                writes every Nth sample of FILE, an array or a table of the real data, to FILE
//	[!real] COMMAND...         runs COMMAND only if there are no real data
//	cuts MODEL FILE            writes FILE, an equivalent of MODEL whose encoder has cuts instead of offsets and scales
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			bin, _, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			e.Setenv("BIN", bin) // holds only ialgn
			if cache, err := goCache(); err == nil {
				e.Setenv("GOCACHE", cache)
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "small.yaml"), []byte(small), 0o666)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"resign": signAnew,
			"status": exitsWith, "json": jsonObject, "lines": jsonLines, "same": same,
			"interrupt": interrupt, "samples": samples, "truncate": truncate, "replace": replace,
			"killed": kill, "cuts": cuts, "real": realPart,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "long":
				return testkit.Whole(), nil
			case "real":
				_, ok := testkit.RealData("real")
				return ok && !testing.Short(), nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		RequireExplicitExec: true,
	})
}

// goCache returns the folder of the go command's build cache.
func goCache() (string, error) {
	if cache := os.Getenv("GOCACHE"); cache != "" {
		return cache, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "go-build"), err
}

// signAnew is the command "resign DIR": it updates the manifest to match the files of the folder.
func signAnew(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1)
	ts.Check(testkit.ResignFolder(ts.MkAbs(args[0])))
}

// cuts is the command "cuts MODEL FILE". The training record of the new model describes the new model's feature
// words.
func cuts(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2)
	m, err := model.Load(ts.MkAbs(args[0]))
	ts.Check(err)
	m.Encoder = netgen.ByCuts(&m.Encoder)
	test, err := trainer.LoadTest(context.Background(), nil, &m.Encoder, m.Classes, m.Config.Data, []string{ts.MkAbs(".")})
	ts.Check(err)
	m.Record.Test = test.SHA256
	_, err = m.Save(ts.MkAbs(args[1]))
	ts.Check(err)
}

// want checks that a script command has enough arguments and is not negated.
func want(ts *testscript.TestScript, neg bool, args []string, least int) {
	if neg || len(args) < least {
		ts.Fatalf("wrong use of a script command: %q", args)
	}
}

// exitStatus returns the exit status in an error of a finished command.
func exitStatus(err error) int {
	var e interface {
		error
		ExitCode() int
	}
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return e.ExitCode()
	}
	return -1
}

func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2)
	if got := exitStatus(ts.Exec(args[1], args[2:]...)); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

func jsonObject(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1)
	assertAll(ts, []byte(ts.ReadFile(args[0])), args[1:])
}

func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2)
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	if strconv.Itoa(len(lines)) != args[1] {
		ts.Fatalf("%s has %d lines, want %s", args[0], len(lines), args[1])
	}
	for _, line := range lines {
		assertAll(ts, []byte(line), args[2:])
	}
}

func same(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 4)
	var values [2]string
	for i := range values {
		v, err := lookUp(decode(ts, []byte(ts.ReadFile(args[2*i]))), args[2*i+1])
		ts.Check(err)
		values[i] = fmt.Sprint(v)
	}
	if values[0] != values[1] {
		ts.Fatalf("%s of %s is %s, %s of %s is %s", args[1], args[0], values[0], args[3], args[2], values[1])
	}
}

// decode reads one JSON object and fails the script if more follows.
func decode(ts *testscript.TestScript, data []byte) map[string]any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v map[string]any
	ts.Check(d.Decode(&v))
	if d.More() {
		ts.Fatalf("more than one JSON value:\n%s", data)
	}
	return v
}

func assertAll(ts *testscript.TestScript, data []byte, assertions []string) {
	v := decode(ts, data)
	for _, a := range assertions {
		if err := assert(v, a); err != nil {
			ts.Fatalf("%s: %v, in\n%s", a, err, data)
		}
	}
}

// assert checks an assertion about a JSON object. It has one of these forms: KEY (is present), !KEY (is absent),
// KEY=VALUE, KEY>NUMBER, KEY~PART (the value contains PART) or KEY#LENGTH. The parts of a KEY are separated by dots.
// An element of a list is selected by its index.
func assert(v map[string]any, a string) error {
	if key, ok := strings.CutPrefix(a, "!"); ok {
		if got, err := lookUp(v, key); err == nil {
			return fmt.Errorf("is there: %v", got)
		}
		return nil
	}
	at := strings.IndexAny(a, "=>~#")
	if at < 0 {
		_, err := lookUp(v, a)
		return err
	}
	got, err := lookUp(v, a[:at])
	if err != nil {
		return err
	}
	text, right := fmt.Sprint(got), a[at+1:]
	ok := false
	switch a[at] {
	case '=':
		ok = text == right
	case '~':
		ok = strings.Contains(text, right)
	case '#':
		list, _ := got.([]any)
		ok = strconv.Itoa(len(list)) == right
	case '>':
		x, err1 := strconv.ParseFloat(text, 64)
		y, err2 := strconv.ParseFloat(right, 64)
		ok = err1 == nil && err2 == nil && x > y
	}
	if !ok {
		return fmt.Errorf("it is %s", text)
	}
	return nil
}

func lookUp(v any, key string) (any, error) {
	for _, k := range strings.Split(key, ".") {
		switch node := v.(type) {
		case map[string]any:
			next, ok := node[k]
			if !ok {
				return nil, fmt.Errorf("there is no %s", k)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(k)
			if err != nil || i < 0 || i >= len(node) {
				return nil, fmt.Errorf("a list of %d has no %s", len(node), k)
			}
			v = node[i]
		default:
			return nil, fmt.Errorf("there is nothing below %v", v)
		}
	}
	return v, nil
}

// interrupt sends ialgn SIGINT, as ^C does.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3)
	if state := signalled(ts, os.Interrupt, args); state.ExitCode() != exitInterrupted {
		ts.Fatalf("exit status %d, want %d", state.ExitCode(), exitInterrupted)
	}
}

// kill sends ialgn SIGKILL.
func kill(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3)
	if state := signalled(ts, os.Kill, args); state.Exited() {
		ts.Fatalf("exit status %d before it was killed", state.ExitCode())
	}
}

// signalled runs ialgn as a separate process and sends it a signal when the log has the given number of lines. Its
// output goes to the files stdout.txt and stderr.txt.
func signalled(ts *testscript.TestScript, signal os.Signal, args []string) *os.ProcessState {
	program, err := os.Executable()
	ts.Check(err)
	out, err := os.Create(ts.MkAbs("stdout.txt"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs("stderr.txt"))
	ts.Check(err)
	defer errs.Close()
	p, err := os.StartProcess(program, args[2:], &os.ProcAttr{
		Dir: ts.MkAbs("."), Files: []*os.File{nil, out, errs},
	})
	ts.Check(err)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		log, _ := os.ReadFile(ts.MkAbs(args[0]))
		if bytes.Count(log, []byte("\n")) >= n {
			break
		}
		if time.Now().After(deadline) {
			ts.Check(errors.Join(p.Kill(), fmt.Errorf("%s has no %d lines after a minute", args[0], n)))
		}
	}
	ts.Check(p.Signal(signal))
	state, err := p.Wait()
	ts.Check(err)
	return state
}

// samples writes test digits as CSV, or as an IDX file of 8 x 8 images.
func samples(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2)
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	set, err := dataset.Open(context.Background(), config.Data{Set: "digits"}, 0, nil)
	ts.Check(err)
	csv, pixels := &bytes.Buffer{}, []byte{0, 0, 8, 3, 0, 0, byte(n >> 8), byte(n), 0, 0, 0, 8, 0, 0, 0, 8}
	labels := []byte{0, 0, 8, 1, 0, 0, byte(n >> 8), byte(n)}
	if slices.Contains(args, "header") {
		csv.WriteString(strings.Join(append(slices.Clone(set.FeatureNames), "digit")[:columns(args)], ",") + "\n")
	}
	rows := 0
	ts.Check(set.Read(context.Background(), dataset.Test, func(values []uint16, label int) error {
		if rows++; rows > n {
			return nil
		}
		var fields []string
		for _, v := range values {
			fields, pixels = append(fields, strconv.Itoa(int(v))), append(pixels, byte(v))
		}
		csv.WriteString(strings.Join(append(fields, set.Classes[label])[:columns(args)], ",") + "\n")
		labels = append(labels, byte(label))
		return nil
	}))
	data := csv.Bytes()
	switch idx, label := slices.Contains(args, "idx"), slices.Contains(args, "label"); {
	case idx && label:
		data = labels
	case idx:
		data = pixels
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// columns returns the number of columns to write. These are the 64 features and, if it is asked for, the label.
func columns(args []string) int {
	if slices.Contains(args, "label") {
		return 65
	}
	return 64
}

func truncate(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2)
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// replace replaces the first occurrence of a text in a file. If there is no occurrence, the script fails.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3)
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s does not hold %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o666))
}
