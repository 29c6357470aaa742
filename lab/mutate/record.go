package main

import (
	"bytes"
	_ "embed" // for the records
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ialgn/internal/handover"
	"ialgn/internal/testkit"
)

// recorded holds the recorded mutants, one JSON object a line.
//
//go:embed testdata/mutants.jsonl
var recorded string

// mutant is a changed folder. The fields with tags are those of a record.
type mutant struct {
	Kind    string `json:"kind"`
	Changed string `json:"changed"` // part of the folder that is changed
	Network string `json:"network"` // name of a network of [networks]
	Options string `json:"options"` // options of `ialgn compile`
	// Shown says what showed, when the record was made, that the mutant matters. "iverilog": original and mutant print
	// different outputs for the same samples, packets, resets and errors of the protocol. "yosys", "verilator -E" and
	// "iverilog -D OURS": they do so if iverilog gets the text that this program makes of both. "the manifest": the
	// folder claims something else than the design was compiled with.
	Shown string `json:"shown"`
	Edits []edit `json:"edits"`
	// Word has the manifest's version word computed again after a change of the options.
	Word bool `json:"word,omitempty"`

	name, what    string
	trained, rare bool   // generated in a trained network, in a rare place
	check         string // that found it
}

func (m *mutant) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s, %s in %s of %s %s", m.name, m.Kind, m.Changed, m.designKey(), m.what))
}

// designKey names a design by its network and its options.
type designKey struct{ network, options string }

func (k designKey) String() string { return strings.TrimSpace(k.network + " " + k.options) }

func (m *mutant) designKey() designKey { return designKey{m.Network, m.Options} }

// edit is a change of one file of a folder. In the manifest the sizes and checksums of files are not there to be found.
type edit struct {
	File   string `json:"file"`
	Find   string `json:"find,omitempty"`   // must occur once; empty: Put replaces the whole file
	Put    string `json:"put,omitempty"`    // takes the place of Find
	Rename string `json:"rename,omitempty"` // only renames the file
}

// readRecords returns the recorded mutants whose line matches a pattern.
func readRecords(text string, pattern *regexp.Regexp) (list []*mutant, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if !pattern.MatchString(line) {
			continue
		}
		m := &mutant{name: fmt.Sprintf("mutants.jsonl:%d", number)}
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(m); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		list = append(list, m)
	}
	return list, nil
}

// write makes the mutant's folder: a copy of the design's, edited and signed.
func (m *mutant) write(design, dir string) error {
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(design))); err != nil {
		return err
	}
	if err := editManifest(dir, stripSums); err != nil {
		return err
	}
	for _, e := range m.Edits {
		if err := e.apply(dir); err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
	}
	if m.Word {
		if err := editManifest(dir, renewWord); err != nil {
			return err
		}
	}
	return testkit.ResignFolder(dir)
}

// errStale says that a record does not fit its design any more.
var errStale = errors.New("this text does not occur exactly once, so the record must be renewed")

func (e edit) apply(dir string) error {
	path := filepath.Join(dir, e.File)
	if e.Rename != "" {
		return os.Rename(path, filepath.Join(dir, e.Rename))
	}
	put := e.Put
	if e.Find != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Count(text, []byte(e.Find)) != 1 {
			return fmt.Errorf("%s: %q: %w", e.File, e.Find, errStale)
		}
		put = strings.Replace(string(text), e.Find, e.Put, 1)
	}
	return os.WriteFile(path, []byte(put), 0o666)
}

// editManifest has f change the entries of a folder's manifest.
func editManifest(dir string, f func(entries map[string]json.RawMessage) error) error {
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	if err := f(entries); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(entries, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// stripSums removes the sizes and checksums of files.
func stripSums(entries map[string]json.RawMessage) error {
	var list []map[string]any
	err := json.Unmarshal(entries["files"], &list)
	for _, file := range list {
		delete(file, "size")
		delete(file, "sha256")
	}
	if err == nil {
		entries["files"], err = json.Marshal(list)
	}
	return err
}

// renewWord computes the version word.
func renewWord(entries map[string]json.RawMessage) error {
	var version string
	var model struct{ SHA256 string }
	var options bytes.Buffer
	if err := errors.Join(json.Unmarshal(entries["ialgn"], &version), json.Unmarshal(entries["model"], &model),
		json.Compact(&options, entries["options"])); err != nil {
		return err
	}
	entries["version_word"] = fmt.Append(nil, handover.Version(version, model.SHA256, options.Bytes()))
	return nil
}
