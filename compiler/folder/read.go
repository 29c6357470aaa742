package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/backend/verilog"
	"ialgn/backend/verilog/syntax"
	"ialgn/internal/jsonfault"
	"ialgn/netlist"
	"ialgn/netlist/counts"
)

// Output is an output folder that was read back.
type Output struct {
	Dir      string
	Manifest Manifest
	Report   Report
	Netlist  *netlist.Netlist
	Hint     *counts.Hint // of a lowered netlist, else nil

	signature File // the manifest itself
}

// Read reads an output folder of [Write]: the manifest, the report and the
// netlist. It returns an error that names the file if the folder has no manifest, if
// the manifest's format is unknown, or if a file is missing or is not the one that was
// written.
func Read(dir string) (*Output, error) {
	m, data, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	o := &Output{Dir: dir, Manifest: *m, signature: File{manifestName, "manifest", int64(len(data)), hex.EncodeToString(sum[:])}}
	for _, f := range m.Files {
		if err := f.check(dir); err != nil {
			return nil, err
		}
	}
	if err := o.load(); err != nil {
		return nil, err
	}
	return o, o.readReport()
}

// SHA256 returns that of the manifest, which names every other file by its own.
func (o *Output) SHA256() string { return o.signature.SHA256 }

// load reads what stands in the files that describe the circuit.
func (o *Output) load() error {
	if err := o.checkVerilog(); err != nil {
		return err
	}
	if err := o.readNetlist(); err != nil {
		return err
	}
	return o.readHint()
}

// Path returns the path of the folder's file of a format, such as "verilog". It
// returns an error that lists the formats if there is none.
func (o *Output) Path(format string) (string, error) {
	var have []string
	for _, f := range o.Manifest.Files {
		if f.Format == format {
			return filepath.Join(o.Dir, f.Name), nil
		}
		have = append(have, f.Format)
	}
	return "", fmt.Errorf("%s: holds no %s file, only %s: compile again with --emit %s",
		o.Dir, format, strings.Join(have, ", "), format)
}

// Paths returns the paths of all files of a format, in the order in which they were written.
func (o *Output) Paths(format string) []string {
	var paths []string
	for _, f := range o.Manifest.Files {
		if f.Format == format {
			paths = append(paths, filepath.Join(o.Dir, f.Name))
		}
	}
	return paths
}

// check compares a file with what the manifest says of it.
func (f File) check(dir string) error {
	path := filepath.Join(dir, f.Name)
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: the manifest's file cannot be read (%w): compile again", path, cause(err))
	}
	defer file.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return fmt.Errorf("%s: the manifest's file cannot be read (%w): compile again", path, cause(err))
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); size != f.Size || sum != f.SHA256 {
		return fmt.Errorf("%s: changed since compile wrote it (%d bytes with SHA-256 %s, the manifest says %d with %s): compile again",
			path, size, sum, f.Size, f.SHA256)
	}
	return nil
}

// checkVerilog refuses Verilog of other statements than those that are written, which tools may
// read in more than one way, and in files of other forms what does more than describe a circuit.
func (o *Output) checkVerilog() error {
	for _, f := range o.Manifest.Files {
		check := o.verilogCheck(f)
		if check == nil {
			continue
		}
		path := filepath.Join(o.Dir, f.Name)
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, cause(err))
		}
		if err := check(text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// verilogCheck returns what checks a file of Verilog that is to be simulated, nil for another file.
func (o *Output) verilogCheck(f File) func(text []byte) error {
	switch f.Format {
	case "verilog":
		return func(text []byte) error { return syntax.Check(text, o.Manifest.Module) }
	case "core":
		return func(text []byte) error { return syntax.Check(text, o.Manifest.Module+CoreSuffix) }
	case "cells":
		return syntax.CheckCells
	case FoldVerilog, "stream", "axis", "uart", "spi":
		return func(text []byte) error { return verilog.CheckPlain(bytes.NewReader(text), o.memories()...) }
	}
	return nil
}

// memories returns the names of the files that fill memories.
func (o *Output) memories() (names []string) {
	for _, f := range o.Manifest.Files {
		if f.Format == FoldProgram || f.Format == FoldEncoder {
			names = append(names, f.Name)
		}
	}
	return names
}

func (o *Output) readReport() error { return o.readJSON("report", &o.Report) }

// readHint reads the hint, if the folder has one.
func (o *Output) readHint() error {
	if !slices.ContainsFunc(o.Manifest.Files, func(f File) bool { return f.Format == "hint" }) {
		return nil
	}
	o.Hint = &counts.Hint{}
	if err := o.readJSON("hint", o.Hint); err != nil {
		return err
	}
	if err := o.Hint.Check(o.Netlist); err != nil {
		path, _ := o.Path("hint")
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (o *Output) readJSON(format string, v any) error {
	path, err := o.Path(format)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", format, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s: %w: compile again", path, jsonfault.Explain(err))
	}
	return nil
}

func (o *Output) readNetlist() error {
	path, err := o.Path("netlist")
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("netlist: %w", err)
	}
	defer file.Close()
	o.Netlist, err = netlist.ParseText(path, file)
	return err
}
