package main

import (
	"bytes"
	_ "embed" // for the recorded mutants
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

// recorded holds the recorded mutants, one JSON object in each line.
//
//go:embed testdata/mutants.jsonl
var recorded string

// mutant is a changed folder. Fields with tags are stored in records.
type mutant struct {
	Kind    string `json:"kind"`
	Changed string `json:"changed"` // the part of the folder that is changed
	Network string `json:"network"` // name of a network in [networks]
	Options string `json:"options"` // options of `ialgn compile`
	// Shown says how it was shown that the mutant has an effect, when the mutant was recorded:
	//
	//   - "iverilog": the original and the mutant print different outputs for the same samples, packets, resets and
	//     protocol errors.
	//   - "yosys", "verilator -E" and "iverilog -D OURS": this program turns each of the two designs into another
	//     text, and the two texts have different outputs in iverilog.
	//   - "the manifest": the manifest claims other options than the options with which the design was compiled.
	Shown string `json:"shown"`
	Edits []edit `json:"edits"`
	// Word is true if the options change, so that the manifest's version word must be computed again.
	Word bool `json:"word,omitempty"`

	name, what    string
	trained, rare bool   // whether the network is trained, and whether the change affects only few samples
	check         string // the check that found the mutant
}

func (m *mutant) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s, %s in %s of %s %s", m.name, m.Kind, m.Changed, m.designKey(), m.what))
}

// designKey identifies a design by its network and its options.
type designKey struct{ network, options string }

func (k designKey) String() string { return strings.TrimSpace(k.network + " " + k.options) }

func (m *mutant) designKey() designKey { return designKey{m.Network, m.Options} }

// edit is a change of one file in a folder. Before the search in a manifest, the sizes and checksums of files are
// removed.
type edit struct {
	File   string `json:"file"`
	Find   string `json:"find,omitempty"`   // text that occurs exactly once; if empty, Put replaces the whole file
	Put    string `json:"put,omitempty"`    // replaces Find
	Rename string `json:"rename,omitempty"` // new name of the file, whose content does not change
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

// write makes the folder of the mutant, which is an edited and signed copy of the design's folder.
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

// errStale says that a record no longer fits its design.
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

// editManifest changes the entries of a folder's manifest with f.
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
