package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/backend"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// files are the contents of an output folder's files that a mutant changes, by format or by name.
type files map[string]string

// netlistText returns the text form of a netlist.
func netlistText(n *netlist.Netlist) (string, error) {
	var b strings.Builder
	err := netlist.WriteText(&b, n)
	return b.String(), err
}

// hintText returns the hint with other names of nets.
func (d *design) hintText(rename func(netlist.Net) netlist.Net) (string, error) {
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(d.out.Hint.Map(rename))
	return b.String(), err
}

// write makes the mutant's folder: the design's files, those that are changed, and a
// manifest that is signed for them.
func (d *design) write(dir string, changed files) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range slices.Concat(d.out.Manifest.Files, []backend.File{{Name: "manifest.json"}}) {
		data, err := os.ReadFile(filepath.Join(d.dir, f.Name))
		if err != nil {
			return err
		}
		for _, key := range []string{f.Format, f.Name} {
			if text, ok := changed[key]; ok {
				data = []byte(text)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), data, 0o666); err != nil {
			return err
		}
	}
	return testkit.ResignFolder(dir)
}
