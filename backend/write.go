// Package backend writes and reads the output folder of a compilation: Verilog, testbenches, netlist, report and
// further formats.
//
// [Write] writes all files to a temporary folder first and then moves them into place. The manifest contains the
// SHA-256 of all other files and comes last, so a folder with a manifest is complete. [Read] reads a folder and
// checks it.
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

	"ialgn/backend/internal/fhe"
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

// Product is a compiled netlist with everything that [Write] needs for the output folder.
type Product struct {
	Netlist  *netlist.Netlist
	GatesRaw int                   // gates of the model: width x depth
	Gates    int                   // gates after optimisation, before mapping to LUTs
	Raw      *netlist.Measures     // measures of the model's netlist before all passes
	Passes   []compiler.PassReport // one for each pass, in order
	Hardware *Hardware             // nil: the netlist is not lowered
	Started  time.Time             // start of the compilation
	Emit     []string              // formats to write in addition to the formats that are always written
	Header   []string              // header lines of the Verilog files
	Inputs   *inputs.Table         // how the inputs are computed; nil: not known
	Wrap     string                // wrapper to write, one of wrapper.Kinds; empty: none
	Tag      int                   // bits of the tag that travels with a sample; 0: no tag
	Baud     int                   // bit rate of a serial line; 0: the default of package wrapper
	Fold     *Fold                 // the folded engine; nil: none
	Board    *wrapper.Board        // board whose pins the wrapper uses; nil: none
	MHz      float64               // clock frequency for constraints; 0: no constraints
	Vectors  *verilog.Vectors      // vectors for the testbenches; nil: none
	Samples  *Samples              // description of the vectors for the report
	// Rejection describes the output uncertain for the report; nil if there is no such output or no validation samples.
	Rejection *Rejection
	Manifest  Manifest        // without Format and Files, which Write fills in
	Guard     outfile.Guard   // decides which files in the folder may be replaced
	Left      func(Leftovers) // if not nil, called with the files of an earlier output

	split *encoder.Split // if not nil, the wrapper contains the core of this split

	// library generates the machine code on its first call. All files that contain machine code use the result.
	library func() (*library.Library, error)
	// homomorphic makes the program for homomorphic encryption on its first call. The file and the report use it.
	homomorphic func() (*fhe.Program, error)
}

// Hardware describes, for the report, a netlist that was lowered to a target.
type Hardware struct {
	Style    verilog.Style
	Target   *target.Family   // nil: [target.Generic]
	Hint     *counts.Hint     // justification of the counts, for the proof
	Mapping  *lut.Report      // how the gates were mapped
	Pipeline *pipeline.Report // nil: no registers
}

// Write writes a product to the output folder dir and returns its report. The files are
//
//	NAME.v, NAME_tb.v   the Verilog module and its testbench
//	NAME_vectors.txt    samples and expected results, which all testbenches read
//	NAME.netlist        the netlist's text form, which [Read] reads
//	NAME.hint.json      for a lowered netlist: the [counts.Hint]
//	NAME_cells.v        for a netlist in LUTs: models of the primitives, for simulators
//	NAME_stream.v       or _axis.v and so on, with Wrap: the wrapper
//	NAME_core.v         for a wrapper that contains the encoder ([Core]): the rest
//	NAME_fold.v, ...    with Fold: the folded engine and its memories, .hex files
//	NAME_uart.pcf       or _spi.pcf, with Board: the pins
//	NAME.aig and so on  the formats in Emit
//	NAME_inst.vh, ...   files of package handover, for users of the Verilog
//	NAME_stream_tb.v, NAME_stream_inst.vh, ...   the same for the wrapper and the folded engine
//	NAME.json           with Inputs: how feature words are computed, and what a host must know
//	NAME_host.py, .c    with Inputs and a wrapper that has a host: the host's program
//	report.json         the [Report]
//	manifest.json       the [Manifest]
//
// where NAME is the manifest's module. If a file of an earlier output is not part of the new output, Write removes it
// if it is unchanged, and keeps it otherwise. Write does not touch other files. It returns an error if it would
// overwrite a file that the user added or changed, unless the product's Guard allows everything.
//
// All files are first written to a temporary folder inside dir, so an error (or the end of ctx) leaves dir unchanged.
// Then the old manifest is moved to the temporary folder, the new files are renamed into place, and the new manifest
// comes last. A folder with a manifest is therefore never a mix of old and new. If Write is interrupted between these
// steps, the old manifest in the temporary folder tells the next call which files do not belong to the user. If two
// calls write at the same time, each call moves its files into place while the other call waits. In the end, the
// folder has the complete output of the later call.
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
		defer os.Remove(dir) // succeeds only if dir is empty
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

// fileNames returns the names of the files that [staging.all] writes for a product.
func fileNames(p Product, formats []format) []string {
	names := []string{reportName}
	for _, f := range formats {
		names = append(names, p.Manifest.Module+f.suffix)
	}
	return names
}

// stageName is the prefix of the temporary folders. replacedName is the name of the old output's manifest in such a
// folder.
const (
	stageName    = ".ialgn-"
	replacedName = "replaced.json"
)

// staging writes files into a temporary folder and keeps a list of them.
type staging struct {
	ctx   context.Context
	dir   string
	lock  *outfile.Lock
	own   owned // files of earlier outputs that were in the folder when writing began
	files []File
}

// newStaging makes a locked temporary folder in the output folder. It returns an error if a file that Write would
// overwrite belongs to the user. It removes the temporary folders of killed processes, whose locks are free.
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

// abandon removes the files after an error and returns the error.
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

// file writes a file and adds an entry for the file to the manifest.
func (s *staging) file(name, format string, write func(io.Writer) error) error {
	f, err := s.write(name, write)
	f.Format = format
	s.files = append(s.files, f)
	return err
}

// write writes a file to disk.
func (s *staging) write(name string, write func(io.Writer) error) (File, error) {
	file, err := os.Create(filepath.Join(s.dir, name))
	if err != nil {
		return File{}, fmt.Errorf("output folder: %w", err)
	}
	defer file.Close() // closing twice is harmless
	f, err := digest(s.ctx, file, write)
	if err = cmp.Or(err, file.Sync(), file.Close()); err != nil {
		if errors.As(err, new(*fs.PathError)) { // the error then names the folder
			name = filepath.Join(filepath.Dir(s.dir), name)
		}
		return File{}, fmt.Errorf("%s: %w", name, cause(err))
	}
	f.Name = name
	return f, nil
}

// digest calls the function write, passes the function's output on to w, and returns the output's size and SHA-256.
// It fails when ctx ends.
func digest(ctx context.Context, w io.Writer, write func(io.Writer) error) (File, error) {
	hash := sha256.New()
	count := &counted{ctx: ctx, w: io.MultiWriter(w, hash)}
	buffer := bufio.NewWriterSize(count, 1<<16)
	if err := cmp.Or(write(buffer), buffer.Flush()); err != nil {
		return File{}, err
	}
	return File{Size: count.size, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
}

// counted is a writer that counts the bytes that pass through it. It fails when ctx has ended.
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

// jsonTo returns a function that writes v as indented JSON.
func jsonTo(v any) func(io.Writer) error {
	return func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	}
}

// install moves the staged files into dir. First it removes the old manifest and the files that the old manifest
// names; the new manifest comes last. If install is interrupted, the folder has a part of the new output and no
// manifest, and never a mix of old and new files. A lock ensures that no other process installs files at the same
// time.
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

// mayInstall returns the files in the manifest of dir. It returns an error if a file that would be overwritten was
// added or changed by the user since newStaging.
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

// names returns the names of the files to write.
func (s *staging) names() (names []string) {
	for _, f := range s.files {
		names = append(names, f.Name)
	}
	return names
}

// replaced returns the names of the files in dir to remove. These are the files of the old output that the new output
// overwrites, and the unchanged files of the old output that are not part of the new output.
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

// remove removes a file if it exists.
func remove(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("output folder: %w", err)
	}
	return nil
}

// syncDir flushes a folder to disk, so that renames in the folder survive a crash. It has no effect on Windows, which
// does not allow access to a folder's data.
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
