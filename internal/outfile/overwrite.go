// This file keeps a command from destroying what is not its own to replace.
//
// A command makes a [Guard] of the files that it reads and of its option --force, and asks
// it about each file that it is going to write, before it does any work: [Guard.Check] returns
// an error where the file is there already and is one of the command's inputs, or none that
// ialgn wrote, by its [Form]. What is not there yet, empty files and what is no regular file,
// such as /dev/null, may always be written. The check follows symbolic links, as writing does,
// and knows hard links to an input.

package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ialgn/internal/message"
)

// Guard knows what a command must not write over. The zero value knows no input, and takes no
// file for ialgn's that does not have the form.
type Guard struct {
	force  bool
	inputs []input
}

// input is a file that the command reads.
type input struct {
	path string
	info os.FileInfo
}

// NewGuard returns the guard of a command that reads these files. With force it allows everything.
// Inputs that are no regular files, and those that are not there, are for the command to report.
func NewGuard(force bool, inputs ...string) Guard {
	g := Guard{force: force}
	for _, path := range inputs {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			g.inputs = append(g.inputs, input{path, info})
		}
	}
	return g
}

// Forced reports whether everything may be written over.
func (g Guard) Forced() bool { return g.force }

// Check returns an error that begins with the path if the file must not be written over. A
// file that the command could not read is refused, too: nobody can say what it is.
func (g Guard) Check(path string, form Form) error {
	info, err := os.Stat(path)
	if g.force || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	for _, in := range g.inputs {
		if os.SameFile(in.info, info) {
			return Remedied(fmt.Errorf("%s: an input of the command (%s), which would be overwritten", path, in.path))
		}
	}
	if info.Size() == 0 {
		return nil
	}
	head, err := beginning(path)
	if err != nil || !form.is(head) {
		return Foreign(path, form.name)
	}
	return nil
}

// Output is a file that is going to be written.
type Output struct {
	Path string
	Form Form
}

// Outputs returns files of one form.
func Outputs(form Form, paths ...string) (files []Output) {
	for _, path := range paths {
		files = append(files, Output{path, form})
	}
	return files
}

// CheckAll is [Guard.Check] of several files: either all of them may be written, or it returns
// an error about the first that may not.
func (g Guard) CheckAll(files []Output) error {
	for _, f := range files {
		if err := g.Check(f.Path, f.Form); err != nil {
			return err
		}
	}
	return nil
}

// Foreign returns the error about a file that is there already and is not what a command writes.
func Foreign(path, what string) error {
	return Remedied(fmt.Errorf("%s: exists, but is not %s written by ialgn", path, what))
}

// Remedied returns an error about a file that must not be written over, with what to do.
func Remedied(err error) error { return message.WithHint(err, "choose another name, or give {Force}") }

// Distinct returns an error if two of the paths, of which empty ones do not count, name one file.
func Distinct(paths ...string) error {
	known := map[string]bool{}
	for _, path := range paths {
		if path == "" || path == os.DevNull {
			continue
		}
		at, err := located(path)
		if err != nil {
			return err
		}
		if known[at] {
			return message.WithHint(fmt.Errorf("%s: would be written twice", path), "name two files")
		}
		known[at] = true
	}
	return nil
}

// located returns where a path leads: an absolute path, its symbolic links followed, also one to a file that is not
// there.
func located(path string) (string, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	to, err := filepath.EvalSymlinks(at)
	if err == nil {
		return to, nil
	}
	if to, linked := os.Readlink(at); linked == nil && errors.Is(err, fs.ErrNotExist) {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		return located(to)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(at))
	if err != nil {
		return at, nil
	}
	return filepath.Join(folder, filepath.Base(at)), nil
}

// Apart returns an error if a path, to which the option by adds lines, names one of the other paths, which the command
// reads or writes itself. It knows symbolic and hard links.
func Apart(by, path string, others ...string) error {
	at, err := located(path)
	if err != nil || path == os.DevNull {
		return err
	}
	info, _ := os.Stat(at)
	for _, other := range others {
		there, err := located(other)
		if err != nil || other == "" {
			continue
		}
		known, err := os.Stat(there)
		if at == there || err == nil && info != nil && os.SameFile(info, known) {
			return message.WithHint(message.Optionf("{"+by+"} %s: the command itself reads or writes this file (%s)", path,
				other),
				"name another file")
		}
	}
	return nil
}

// headBytes is more than the forms look at, but for the longest headers of models.
const headBytes = 16 << 20

// beginning returns the first bytes of a file.
func beginning(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	return head, err
}
