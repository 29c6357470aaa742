// This file keeps a command from destroying files that it has no right to replace.
//
// A command makes a [Guard] from the files that it reads and its option --force. Before it does any work, it asks the
// Guard about each file that it will write. [Guard.Check] returns an error if the file exists and is one of the
// command's inputs. It also returns an error if the file does not have the expected [Form], because ialgn did not
// write such a file. Three kinds of files may always be written: files that do not exist, empty files, and files that
// are not regular, such as /dev/null. The check follows symbolic links, as writing does, and recognises hard links to
// an input.

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

// Guard knows which files a command must not overwrite. The zero value has no inputs, and allows only files of the
// expected form to be overwritten.
type Guard struct {
	force  bool
	inputs []input
}

// input is a file that the command reads.
type input struct {
	path string
	info os.FileInfo
}

// NewGuard returns the guard of a command that reads the given files. If force is true, the guard allows everything.
// NewGuard ignores inputs that do not exist or are not regular files, because the command itself reports such inputs.
func NewGuard(force bool, inputs ...string) Guard {
	g := Guard{force: force}
	for _, path := range inputs {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			g.inputs = append(g.inputs, input{path, info})
		}
	}
	return g
}

// Forced reports whether every file may be overwritten.
func (g Guard) Forced() bool { return g.force }

// Check returns an error if the file must not be overwritten. The error begins with the path. Check also refuses a
// file that cannot be read, because the form of such a file is unknown.
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

// Output is a file that a command will write.
type Output struct {
	Path string
	Form Form
}

// Outputs returns outputs of the same form.
func Outputs(form Form, paths ...string) (files []Output) {
	for _, path := range paths {
		files = append(files, Output{path, form})
	}
	return files
}

// CheckAll calls [Guard.Check] for several files, and returns the first error.
func (g Guard) CheckAll(files []Output) error {
	for _, f := range files {
		if err := g.Check(f.Path, f.Form); err != nil {
			return err
		}
	}
	return nil
}

// Foreign returns the error for an existing file that the command did not write.
func Foreign(path, what string) error {
	return Remedied(fmt.Errorf("%s: exists, but is not %s written by ialgn", path, what))
}

// Remedied adds the usual hint to an error about a file that must not be overwritten.
func Remedied(err error) error { return message.WithHint(err, "choose another name, or give {Force}") }

// Distinct returns an error if two of the paths name the same file. Empty paths are ignored.
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

// located returns the absolute path of the file to which a path leads. It follows symbolic links. The file need not
// exist.
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

// Apart returns an error if path and one of the other paths name the same file. The argument by is the name of the
// option that makes the command append lines to path. The command also reads or writes the other paths. Apart
// recognises symbolic and hard links.
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

// headBytes is the number of bytes in which forms look for their marks. It is large enough for all forms, except for
// models with extremely long headers.
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
