package backend

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/counts"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/verilog"
	"ialgn/internal/verilog/syntax"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// Output is the content of an output folder.
type Output struct {
	Dir      string
	Manifest Manifest
	Report   Report
	Netlist  *netlist.Netlist
	Hint     *counts.Hint // hint of a lowered netlist; nil: the netlist is not lowered

	manifest  []byte // text of the manifest
	signature File   // size and digest of the manifest
	snapshot  string // folder with a private copy of the files; empty: read from Dir
}

// Read reads an output folder of [Write]: the manifest, the report and the netlist. It returns an error that names
// the file if the folder has no manifest, if the manifest has an unknown format, or if a file is missing or was
// changed. It stops with an error if ctx ends.
func Read(ctx context.Context, dir string) (*Output, error) {
	m, data, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	o := &Output{Dir: dir, Manifest: *m, manifest: data, signature: File{
		manifestName, "manifest", int64(len(data)),
		hex.EncodeToString(sum[:]),
	}}
	for _, f := range m.Files {
		if err := f.check(ctx, dir, ""); err != nil {
			return nil, err
		}
	}
	if err := o.load(); err != nil {
		return nil, err
	}
	return o, o.readReport()
}

// Hold makes a private copy of the folder's files for external programs. It returns an Output whose methods Path and
// Paths refer to the copy. The copied files have the SHA-256 values in the manifest, even if the folder is changed
// later. The caller must call Release.
func (o *Output) Hold(ctx context.Context) (*Output, error) {
	snapshot, err := outfile.MakeTemp("ialgn-folder-")
	if err != nil {
		return nil, err
	}
	private := *o
	private.snapshot = snapshot
	for _, f := range o.Manifest.Files {
		if err := f.check(ctx, o.Dir, snapshot); err != nil {
			private.Release()
			return nil, err
		}
	}
	return &private, nil
}

// Release removes the copy made by [Output.Hold], if there is one.
func (o *Output) Release() {
	if o.snapshot != "" {
		os.RemoveAll(o.snapshot)
	}
}

// InWords returns err with another text. Paths in the private copy are replaced by the paths in the user's folder.
func (o *Output) InWords(err error) error {
	if err == nil || o.snapshot == "" || !strings.Contains(err.Error(), o.snapshot) {
		return err
	}
	return &renamed{err, strings.ReplaceAll(err.Error(), o.snapshot, filepath.Clean(o.Dir))}
}

// renamed is an error with a different text.
type renamed struct {
	error
	text string
}

func (e *renamed) Error() string { return e.text }
func (e *renamed) Unwrap() error { return e.error }

// at returns the path to read a file from.
func (o *Output) at(name string) string { return filepath.Join(cmp.Or(o.snapshot, o.Dir), name) }

// Named converts a path from [Output.Path] to the path of the same file in the user's folder.
func (o *Output) Named(path string) string { return filepath.Join(o.Dir, filepath.Base(path)) }

// SHA256 returns the SHA-256 of the manifest. It identifies the whole output, since the manifest contains the
// SHA-256 of every other file.
func (o *Output) SHA256() string { return o.signature.SHA256 }

// load reads and checks the files that describe the circuit.
func (o *Output) load() error {
	if err := o.checkVerilog(); err != nil {
		return err
	}
	if err := o.readNetlist(); err != nil {
		return err
	}
	return o.readHint()
}

// Path returns the path of the folder's file with the given format, such as "verilog". If there is none, it returns
// an error that lists the formats.
func (o *Output) Path(format string) (string, error) {
	var have []string
	for _, f := range o.Manifest.Files {
		if f.Format == format {
			return o.at(f.Name), nil
		}
		have = append(have, f.Format)
	}
	return "", message.Optionf("%s: holds no %s file, only %s: compile again with {Emit %s}",
		o.Dir, format, strings.Join(have, ", "), format)
}

// Paths returns the paths of all files with the given format, in the order in which they were written.
func (o *Output) Paths(format string) []string {
	var paths []string
	for _, f := range o.Manifest.Files {
		if f.Format == format {
			paths = append(paths, o.at(f.Name))
		}
	}
	return paths
}

// check compares a file with its entry in the manifest. If snapshot is not empty, check also copies the file into the
// folder snapshot.
func (f File) check(ctx context.Context, dir, snapshot string) error {
	path := filepath.Join(dir, f.Name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		// opening a pipe would wait for its other end
		return fmt.Errorf("%s: the manifest's file is no plain file: compile again", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: the manifest's file cannot be read (%w): compile again", path, cause(err))
	}
	defer file.Close()
	hash, to := sha256.New(), io.Discard
	if snapshot != "" {
		private, err := os.Create(filepath.Join(snapshot, f.Name))
		if err != nil {
			return err
		}
		defer private.Close()
		to = private
	}
	size, err := io.Copy(hash, io.TeeReader(until{ctx, file}, to))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) && at.Path != path {
		return err // the copy could not be written
	} else if err != nil {
		return fmt.Errorf("%s: the manifest's file cannot be read (%w): compile again", path, cause(err))
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); size != f.Size || sum != f.SHA256 {
		return fmt.Errorf("%s: changed since compile wrote it (%d bytes with SHA-256 %s, the manifest says %d with %s): "+
			"compile again",
			path, size, sum, f.Size, f.SHA256)
	}
	return nil
}

// until is a reader that fails when its context has ended.
type until struct {
	ctx context.Context
	io.Reader
}

func (r until) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// checkVerilog returns an error if a Verilog file contains statements that [Write] does not use, since tools may
// interpret them differently. The files of a wrapper and of a folded engine may contain any statements that describe
// a circuit.
func (o *Output) checkVerilog() error {
	for _, f := range o.Manifest.Files {
		check := o.verilogCheck(f)
		if check == nil {
			continue
		}
		path := filepath.Join(o.Dir, f.Name)
		text, err := os.ReadFile(o.at(f.Name))
		if err != nil {
			return fmt.Errorf("%s: %w", path, cause(err))
		}
		if err := check(text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// verilogCheck returns the check for a Verilog file that is to be simulated, or nil for other files.
func (o *Output) verilogCheck(f File) func(text []byte) error {
	switch f.Format {
	case "verilog":
		return func(text []byte) error { return syntax.Check(text, o.Manifest.Module) }
	case "core":
		return func(text []byte) error { return syntax.Check(text, o.Manifest.Module+CoreSuffix) }
	case "cells":
		return syntax.CheckCells
	}
	if f.Format == FoldVerilog || slices.Contains(wrapper.Kinds(), f.Format) {
		return func(text []byte) error { return verilog.CheckPlain(bytes.NewReader(text), o.memories()...) }
	}
	return nil
}

// memories returns the names of the files that initialise memories.
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
		return fmt.Errorf("%s: %w", o.Named(path), err)
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
		return fmt.Errorf("%s: %w: compile again", o.Named(path), message.ExplainJSON(err))
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
	o.Netlist, err = netlist.ParseText(o.Named(path), file)
	return err
}
