// Package backend writes the output folder of a compilation, which the other commands read.
//
// [Write] makes it: all files are made aside first, and the manifest, which holds their
// SHA-256, comes last, so that a folder with a manifest is whole. [Read] checks it.
package backend

import (
	"bufio"
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
	"time"

	"ialgn/compiler"
	"ialgn/internal/counts"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/inputs"
	"ialgn/internal/object/library"
	"ialgn/internal/outfile"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// Product is a compiled netlist and what its output folder says about it.
type Product struct {
	Netlist  *netlist.Netlist
	GatesRaw int                   // gates of the model: width times depth
	Gates    int                   // gates that optimisation left, before they became LUTs
	Raw      *netlist.Measures     // measures of the model's netlist before all passes
	Passes   []compiler.PassReport // one for each pass, in order
	Hardware *Hardware             // nil: the netlist is not lowered
	Started  time.Time             // when the compilation began
	Emit     []string              // formats beside verilog and netlist, which are always written
	Header   []string              // lines for the head of the Verilog files
	Inputs   *inputs.Table         // how the inputs are made; nil: nothing is known
	Wrap     string                // the wrapper that is written: stream, axis, uart or spi; empty: none
	Tag      int                   // bits of the tag that goes with a sample; 0: there is none
	Baud     int                   // bit rate of a serial line; 0: package wrapper's default
	Fold     *Fold                 // the folded engine; nil: there is none
	Board    *wrapper.Board        // board whose pins the wrapper uses; nil: none
	MHz      float64               // clock frequency for the constraints; 0: no constraints are written
	Vectors  *verilog.Vectors      // vectors for the testbenches; nil: there are none
	Samples  *Samples              // what the report says about the vectors
	Manifest Manifest              // all but Format and Files, which Write fills in
	Guard    outfile.Guard         // says which files in the folder may be replaced
	Left     func(Leftovers)       // unless nil, is given what became of files of the output before

	split *encoder.Split // what the wrapper contains instead of the netlist; nil: the netlist

	// library makes machine code, once for all files that are made of it.
	library func() (*library.Library, error)
}

// Hardware is what the report says of a netlist that was lowered to a target.
type Hardware struct {
	Style    verilog.Style
	Target   *target.Family   // nil: [target.Generic]
	Hint     *counts.Hint     // why the counts are right
	Mapping  *lut.Report      // how the gates were mapped
	Pipeline *pipeline.Report // nil: there are no registers
}

// Write makes the output folder dir of a product and returns its report. The files are
//
//	NAME.v, NAME_tb.v   the Verilog module and its testbench
//	NAME_vectors.txt    samples with what is wanted of them, which all testbenches read
//	NAME.netlist        the netlist's text form, which [Read] reads
//	NAME.hint.json      of a lowered netlist: the [counts.Hint]
//	NAME_cells.v        of a netlist in LUTs: what the primitives do, for simulators
//	NAME_stream.v       or _axis.v and so on, where Wrap asks for it: the wrapper
//	NAME_core.v         with a wrapper that has the encoder in it ([Core]): the rest
//	NAME_fold.v, ...    where there is a Fold: the folded engine and its memories, .hex files
//	NAME_uart.pcf       or _spi.pcf, where there is a Board: its pins
//	NAME.aig and so on  what Emit names
//	NAME_inst.vh, ...   what package handover has for those who use the Verilog
//	NAME_stream_tb.v, NAME_stream_inst.vh, ...   the same of the wrapper and the folded engine
//	NAME.json           where there are Inputs: how feature words are made, and what a host must know
//	NAME_host.py, .c    where there are Inputs, and a wrapper with a host: the program for the other end
//	report.json         the [Report]
//	manifest.json       the [Manifest]
//
// where NAME is the manifest's module. Files of an earlier output that this one lacks are removed if they are as they
// were written, and kept otherwise. Other files are left alone. A file that would be written over is an error unless an
// earlier call wrote it as it is, or the product's Guard allows everything.
//
// All files are first written to a folder of their own within dir, so that an error
// (or an interruption of ctx) leaves dir as it was. Then the old manifest goes there, the
// files are renamed into place, and the new manifest comes last: a folder with a
// manifest is never a mix of old and new. After an interruption between these, the next
// call finds in that folder which files are not the user's. Of two that write at the same time, each puts its
// files into place alone, and the last one's stay, whole.
func Write(ctx context.Context, dir string, p Product) (*Report, error) {
	p.prepare()
	formats, err := selectFormats(p)
	if err != nil {
		return nil, err
	}
	if err := CheckModule(p.Manifest.Module); err != nil {
		return nil, fmt.Errorf("module name: %w", err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		defer os.Remove(dir) // succeeds only where nothing was written
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("%s: cannot be made a folder (%w): name a folder that compile made, or is to make", dir,
			cause(err))
	}
	s, err := newStaging(ctx, dir, fileNames(p, formats), p.Guard)
	if err != nil {
		return nil, err
	}
	defer s.lock.Release()
	report, err := s.all(p, formats)
	if err != nil {
		return nil, s.abandon(err)
	}
	left, err := s.install(dir, p.Guard)
	if err != nil {
		return nil, err
	}
	if p.Left != nil {
		p.Left(left)
	}
	return report, os.RemoveAll(s.dir)
}

// fileNames returns the names of the files of a product, as [staging.all] writes them.
func fileNames(p Product, formats []format) []string {
	names := []string{reportName}
	for _, f := range formats {
		names = append(names, p.Manifest.Module+f.suffix)
	}
	return names
}

// stageName begins the names of the folders in which files are made, and replacedName is where
// the manifest of the output before goes in one of them.
const (
	stageName    = ".ialgn-"
	replacedName = "replaced.json"
)

// staging writes files under temporary names and keeps a list of them.
type staging struct {
	ctx   context.Context
	dir   string
	lock  *outfile.Lock
	own   owned // files of ours that the folder held when writing began
	files []File
}

// newStaging makes a folder for files in the making, locked, in an output folder in which none of
// these names is the user's. It removes those that killed processes left, whose locks are free.
func newStaging(ctx context.Context, dir string, names []string, guard outfile.Guard) (*staging, error) {
	alone, err := outfile.LockFolder(dir, true)
	if err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	defer alone.Release()
	s := &staging{ctx: ctx}
	if s.own, err = findOwned(dir, guard.Forced()); err != nil {
		return nil, err
	}
	if err := s.own.check(ctx, dir, names, guard); err != nil {
		return nil, err
	}
	for _, path := range stages(dir) {
		if left, err := outfile.LockFolder(path, false); err == nil {
			os.RemoveAll(path)
			left.Release()
		}
	}
	if s.dir, err = os.MkdirTemp(dir, stageName); err != nil {
		return nil, fmt.Errorf("output folder: %w", err)
	}
	if s.lock, err = outfile.LockFolder(s.dir, false); err != nil {
		return nil, s.abandon(fmt.Errorf("output folder: %w", err))
	}
	return s, nil
}

// abandon removes the files after an error, which it returns.
func (s *staging) abandon(err error) error {
	os.RemoveAll(s.dir)
	return err
}

// all writes every file of a product.
func (s *staging) all(p Product, formats []format) (*Report, error) {
	for _, f := range formats {
		if err := s.file(f.file(p), f.name, func(w io.Writer) error { return f.write(w, p) }); err != nil {
			return nil, err
		}
	}
	report, err := newReport(p)
	if err != nil {
		return nil, err
	}
	if err := s.file(reportName, "report", jsonTo(report)); err != nil {
		return nil, err
	}
	m := p.Manifest
	m.Format, m.Files = ManifestFormat, s.files
	_, err = s.write(manifestName, jsonTo(m))
	return report, err
}

// file writes a file that the manifest names.
func (s *staging) file(name, format string, write func(io.Writer) error) error {
	f, err := s.write(name, write)
	f.Format = format
	s.files = append(s.files, f)
	return err
}

// write writes a file to the disk.
func (s *staging) write(name string, write func(io.Writer) error) (File, error) {
	file, err := os.Create(filepath.Join(s.dir, name))
	if err != nil {
		return File{}, fmt.Errorf("output folder: %w", err)
	}
	defer file.Close() // a second time is harmless
	f, err := digest(s.ctx, file, write)
	if err = cmp.Or(err, file.Sync(), file.Close()); err != nil {
		if errors.As(err, new(*fs.PathError)) { // the name of the folder helps
			name = filepath.Join(filepath.Dir(s.dir), name)
		}
		return File{}, fmt.Errorf("%s: %w", name, cause(err))
	}
	f.Name = name
	return f, nil
}

// digest passes what is written on to w, until ctx is done, and returns size and SHA-256 of it.
func digest(ctx context.Context, w io.Writer, write func(io.Writer) error) (File, error) {
	hash := sha256.New()
	count := &counted{ctx: ctx, w: io.MultiWriter(w, hash)}
	buffer := bufio.NewWriterSize(count, 1<<16)
	if err := cmp.Or(write(buffer), buffer.Flush()); err != nil {
		return File{}, err
	}
	return File{Size: count.size, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// counted counts the bytes that pass, and lets none pass once ctx is done.
type counted struct {
	ctx  context.Context
	w    io.Writer
	size int64
}

func (c *counted) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.w.Write(b)
	c.size += int64(n)
	return n, err
}

// jsonTo returns a writer of v as indented JSON.
func jsonTo(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	}
}

// install moves the staged files into dir: the old manifest goes first, then the files
// that it named, and the new manifest comes last, so that an interruption leaves a
// part of the new output without a manifest, never old and new side by side. No other
// process does so at the same time.
func (s *staging) install(dir string, guard outfile.Guard) (left Leftovers, err error) {
	alone, err := outfile.LockFolder(dir, true)
	if err != nil {
		return left, s.abandon(fmt.Errorf("output folder: %w", err))
	}
	defer alone.Release()
	old, err := s.mayInstall(dir, guard)
	if err != nil {
		return left, s.abandon(err)
	}
	gone, left := s.replaced(dir, old)
	if err := putAside(dir, s.dir); err != nil {
		return left, s.abandon(fmt.Errorf("output folder: %w", err))
	}
	for _, name := range gone {
		if err := remove(dir, name); err != nil {
			return left, err
		}
	}
	for _, f := range append(s.files[:len(s.files):len(s.files)], File{Name: manifestName}) {
		if err := os.Rename(filepath.Join(s.dir, f.Name), filepath.Join(dir, f.Name)); err != nil {
			return left, fmt.Errorf("output folder: %w", err)
		}
	}
	return left, syncDir(dir)
}

// mayInstall returns the files that the manifest of dir names, or an error if a file of the user's would be written
// over that has come, or was changed, since newStaging looked.
func (s *staging) mayInstall(dir string, guard outfile.Guard) (old []File, err error) {
	own, err := findOwned(dir, guard.Forced())
	if err != nil {
		return nil, err
	}
	for name, files := range s.own {
		own[name] = append(own[name], files...)
	}
	s.own = own
	if err := own.check(s.ctx, dir, s.names(), guard); err != nil {
		return nil, err
	}
	if m, err := oldManifest(dir); err == nil && m != nil {
		old = m.Files
	}
	return old, nil
}

// names returns the names of the files that are written.
func (s *staging) names() (names []string) {
	for _, f := range s.files {
		names = append(names, f.Name)
	}
	return names
}

// replaced returns the names of the files in dir that go: those of an old output that are written anew, and those that
// this one lacks and that are as they were written.
func (s *staging) replaced(dir string, old []File) (gone []string, left Leftovers) {
	gone = []string{certificateName}
	names := s.names()
	for _, f := range old {
		_, err := os.Lstat(filepath.Join(dir, f.Name))
		switch {
		case err != nil || f.Name == manifestName || slices.Contains(gone, f.Name):
		case slices.Contains(names, f.Name):
			gone = append(gone, f.Name)
		case s.own.has(context.WithoutCancel(s.ctx), dir, f.Name):
			gone, left.Removed = append(gone, f.Name), append(left.Removed, f.Name)
		case !slices.Contains(left.Kept, f.Name):
			left.Kept = append(left.Kept, f.Name)
		}
	}
	return gone, left
}

// remove removes a file that may be there.
func remove(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output folder: %w", err)
	}
	return nil
}

// syncDir makes the renames of a folder durable, on systems that can: Windows denies access to a folder's data.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("output folder: %w", err)
	}
	return nil
}
