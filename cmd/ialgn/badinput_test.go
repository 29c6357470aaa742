package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/testkit"
)

var update = flag.Bool("update", false, "accept the messages as they are now as the golden files")

// badInput is an input that a user may pass by mistake or malice. Large texts are made only when harm is called,
// because the scripts start this test binary more than a thousand times as the program ialgn.
type badInput struct {
	name   string
	harm   func(b *bench) // damages the files of a [bench]; nil if only the flags are wrong
	args   string         // arguments of the program, separated by spaces; an underscore is a space inside an argument
	place  string         // the file, flag or argument that the message must name
	remedy string         // a part of the advice that the message must give
	began  bool           // the error shows only after a part of the output was printed
}

// badInputs maps the name of a golden file to its cases.
var badInputs = map[string][]badInput{
	"config": badConfigs, "model": badModels, "checkpoint": badCheckpoints, "data": badData, "samples": badSamples,
	"netlist": badNetlists, "hint": badHints, "manifest": badManifests, "flags": badFlags,
	"kinds": badKinds,
}

// TestBadInput runs the program on each bad input. It expects exit status 1 and nothing on standard output. The
// message must have at most two lines, and name the place and the remedy. No file may change. The messages are kept
// in testdata/badinput, where people can review them.
func TestBadInput(t *testing.T) {
	sound := soundFiles(t)
	total := 0
	for _, group := range slices.Sorted(maps.Keys(badInputs)) {
		t.Run(group, func(t *testing.T) {
			var all strings.Builder
			for _, c := range badInputs[group] {
				all.WriteString(c.run(t, sound))
			}
			checkGolden(t, filepath.Join("testdata", "badinput", group+".txt"), all.String())
		})
		total += len(badInputs[group])
	}
	if total < 60 {
		t.Errorf("%d bad inputs, want at least 60", total)
	}
}

// checkGolden compares a text with a golden file, in the package's folder.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(packageFolder, name)
	if *update {
		writeFile(t, path, got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got): read the messages as a user would, and accept them with go test -update\n%s", name, diff)
	}
}

// packageFolder is the working folder at the start. Tests change the working folder.
var packageFolder, _ = os.Getwd()

// bench is a folder with valid files of every kind. Each test case damages some of them. The files are:
//
//	small.yaml, m.st, m.st.checkpoint              configuration, model and checkpoint of the digits
//	table.csv, table.yaml, t.st                    a CSV data set, its configuration and its model
//	mnist.yaml, c.yaml, sets/mnist, sets/cifar-10  configurations and data sets in IDX and CIFAR format
//	raw, lut                                       folders compiled from m.st, without and with LUTs
//	new.csv, new.idx                               digits to classify
type bench struct{ t *testing.T }

// soundFiles makes the files of a bench once and returns their contents by name.
func soundFiles(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("IALGN_DATA", "")
	t.Setenv("XDG_CACHE_HOME", "/nowhere")
	writeFile(t, "small.yaml", small)
	writeFile(t, "table.csv", "length,width,kind\n"+strings.Repeat("1,2,oak\n3,4,elm\n5,6.5,elm\n", 10))
	writeFile(t, "table.yaml", "data: {set: csv, train: table.csv, label: kind}\nencoder: {bits: 4}\nmodel: {width: 8, "+
		"depth: 2, anchors: 2, tau: 1}\ntrain: {epochs: 1, checkpoint: {minutes: 0}}\n")
	writeFile(t, "mnist.yaml", "data: {set: mnist}\nmodel: {width: 20, depth: 2, anchors: 2}\ntrain: {epochs: 1}\n")
	writeFile(t, "c.yaml", "data: {set: cifar10}\nmodel: {width: 20, depth: 2, anchors: 2}\ntrain: {epochs: 1}\n")
	writeMNIST(t, "sets")
	record := string(append([]byte{9}, make([]byte, 3072)...))
	for _, name := range []string{
		"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5",
		"test_batch",
	} {
		writeFile(t, "sets/cifar-10/"+name+".bin", record)
	}
	writeFile(t, "new.csv", strings.Repeat(strings.Repeat("7,", 63)+"7\n", 3))
	writeFile(t, "new.idx", "\x00\x00\x08\x03\x00\x00\x00\x01\x00\x00\x00\x08\x00\x00\x00\x08"+strings.Repeat("\x05", 64))
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1", "--log", "epochs.jsonl")
	must(t, "train", "table.yaml", "-o", "t.st", "--quiet")
	must(t, "export", "m.st", "-o", "net.json", "--to", "torchlogix-json")
	must(t, "compile", "m.st", "-o", "raw", "--module", "net")
	must(t, "compile", "m.st", "-o", "lut", "--module", "net", "--lut", "4", "--scope", "core")
	return allFiles(t)
}

// allFiles returns the contents of all files below the working folder. A folder has the content "/".
func allFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			files[path] = "/"
		case d.Type().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			files[path] = string(data)
		default:
			files[path] = d.Type().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// restore resets the files of the working folder to the valid files.
func restore(t *testing.T, sound map[string]string) {
	t.Helper()
	have := allFiles(t)
	for name := range have {
		if sound[name] != have[name] {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range sound {
		if text != "/" && text != have[name] {
			writeFile(t, name, text)
		}
	}
}

// run damages the bench, runs the program and returns its message.
func (c badInput) run(t *testing.T, sound map[string]string) string {
	t.Helper()
	restore(t, sound)
	if c.harm != nil {
		c.harm(&bench{t})
	}
	before := allFiles(t)
	words := strings.Fields(c.args)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "_", " ")
	}
	code, stdout, stderr := runProgram(t, words...)
	here, _ := os.Getwd()
	stderr = strings.ReplaceAll(stderr, here, "HERE")
	if code != exitUsage || (stdout == "") == c.began {
		t.Errorf("%s: exit status %d, standard output %q, want exit status %d and no output, unless the case began\n%s",
			c.name, code, stdout, exitUsage, stderr)
	}
	c.judge(t, stderr)
	if diff := cmp.Diff(before, allFiles(t)); diff != "" {
		t.Errorf("%s: files changed (-before +after):\n%.2000s", c.name, diff)
	}
	return fmt.Sprintf("# %s\n$ ialgn %s\n%s\n", c.name, c.args, stderr)
}

// messageForm matches an error of one line, followed by at most one hint.
var messageForm = regexp.MustCompile(`^ialgn: [^\n]+\n(ialgn: hint: [^\n]+\n(  [^\n]+\n)*)?$`)

// judge checks that a message has the form that all messages have, names the place and the remedy, and contains no
// text from Go's own errors.
func (c badInput) judge(t *testing.T, message string) {
	t.Helper()
	if !messageForm.MatchString(message) || len(message) > 700 || c.place == "" || c.remedy == "" {
		t.Errorf("%s: not a message of one line and a hint:\n%s", c.name, message)
	}
	for _, part := range []string{c.place, c.remedy} {
		if !strings.Contains(message, part) {
			t.Errorf("%s: the message lacks %q:\n%s", c.name, part, message)
		}
	}
	for _, part := range []string{
		"runtime error", "goroutine", "%!", "reflect", ".go:", "Go struct", "Go value", "\x00",
		"\x1b",
	} {
		if strings.Contains(message, part) {
			t.Errorf("%s: the message must not contain %q:\n%s", c.name, part, message)
		}
	}
}

// wrote returns a function that replaces the content of a file.
func wrote(name, text string) func(*bench) {
	return func(b *bench) { writeFile(b.t, name, text) }
}

// replaced returns a function that replaces the first occurrence of the text old in a file. The function panics if
// there is no occurrence.
func replaced(name, old, text string) func(*bench) {
	return change(name, func(s string) string {
		if !strings.Contains(s, old) {
			panic(fmt.Sprintf("%s has no %q", name, old))
		}
		return strings.Replace(s, old, text, 1)
	})
}

// cut keeps the first n bytes of a file or, for a negative n, removes the last -n bytes.
func cut(name string, n int) func(*bench) {
	return change(name, func(s string) string {
		if n < 0 {
			n += len(s)
		}
		return s[:n]
	})
}

func remove(name string) func(*bench) {
	return func(b *bench) {
		if err := os.Remove(name); err != nil {
			b.t.Fatal(err)
		}
	}
}

func change(name string, to func(string) string) func(*bench) {
	return func(b *bench) {
		data, err := os.ReadFile(name)
		if err != nil {
			b.t.Fatal(err)
		}
		writeFile(b.t, name, to(string(data)))
	}
}

// headerOf edits the JSON header of a model file and updates the file's checksum.
func headerOf(name string, to func(h map[string]any)) func(*bench) {
	return change(name, func(s string) string {
		n := binary.LittleEndian.Uint64([]byte(s))
		var h map[string]any
		if err := json.Unmarshal([]byte(s[8:8+n]), &h); err != nil {
			panic(err)
		}
		to(h)
		text, err := json.Marshal(h)
		if err != nil {
			panic(err)
		}
		for len(text)%8 != 0 {
			text = append(text, ' ')
		}
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
		return string(testkit.ResignModel(append(file, s[8+n:]...)))
	})
}

// metadata replaces a text in one metadata entry of a model file.
func metadata(name, key, old, text string) func(*bench) {
	return headerOf(name, func(h map[string]any) {
		meta := h["__metadata__"].(map[string]any)
		if was := meta[key].(string); !strings.Contains(was, old) {
			panic(fmt.Sprintf("%s: %s has no %q", key, was, old))
		}
		meta[key] = strings.Replace(meta[key].(string), old, text, 1)
	})
}

// tensor sets a property of a tensor in a model file.
func tensor(name, tensor, key string, value any) func(*bench) {
	return headerOf(name, func(h map[string]any) { h[tensor].(map[string]any)[key] = value })
}

// poke overwrites the last bytes of a tensor in a model file and updates the checksum.
func poke(name, tensor string, text string) func(*bench) {
	return change(name, func(s string) string {
		n := int(binary.LittleEndian.Uint64([]byte(s)))
		var h map[string]struct {
			Offsets []int `json:"data_offsets"`
		}
		if err := json.Unmarshal([]byte(s[8:8+n]), &h); err != nil {
			panic(err)
		}
		end := 8 + n + h[tensor].Offsets[1]
		return string(testkit.ResignModel([]byte(s[:end-len(text)] + text + s[end:])))
	})
}
