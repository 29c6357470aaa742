package backend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// CertificatePath returns the path of a folder's certificate.
func CertificatePath(dir string) string { return filepath.Join(dir, certificateName) }

// Leftovers lists the files from an earlier output that are not part of the new output.
type Leftovers struct {
	Removed []string `json:"removed,omitempty"`
	Kept    []string `json:"kept,omitempty"` // files that the user changed or [Write] did not make
}

// owned holds, for each file name, what earlier calls of [Write] recorded about the file.
type owned map[string][]File

// findOwned returns the files that are recorded in the manifest of dir. It adds the files recorded by calls of
// [Write] that were killed while they moved files into place. If force is set, findOwned ignores a manifest that
// cannot be read.
func findOwned(dir string, force bool) (owned, error) {
	own := owned{}
	m, err := oldManifest(dir)
	if err != nil && !force {
		return nil, outfile.Remedied(err)
	}
	own.add(m)
	for _, stage := range stages(dir) {
		for _, name := range []string{replacedName, manifestName} {
			if m, _, err := readManifestFile(filepath.Join(stage, name)); err == nil {
				own.add(m)
			}
		}
	}
	return own, nil
}

// oldManifest returns the manifest of dir, or nil if there is none. It returns an error if dir has a manifest.json
// that must not be replaced.
func oldManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: exists and is no plain file", path)
	}
	m, _, err := readManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return m, err
}

// add adds the files that a manifest lists. It omits names that [Write] would not use.
func (own owned) add(m *Manifest) {
	if m == nil {
		return
	}
	for _, f := range m.Files {
		rest, ok := strings.CutPrefix(f.Name, m.Module)
		if f.Name == reportName || ok && rest != "" && (rest[0] == '.' || rest[0] == '_') {
			own[f.Name] = append(own[f.Name], f)
		}
	}
}

// has reports whether a file of dir is unchanged since a call of [Write] made it. An unchanged file is a regular file
// whose digest is recorded.
func (own owned) has(ctx context.Context, dir, name string) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular() &&
		slices.ContainsFunc(own[name], func(f File) bool { return f.Size == info.Size() && f.check(ctx, dir, "") == nil })
}

// check returns an error if dir already contains a file with one of these names that belongs to the user or was
// changed by the user.
func (own owned) check(ctx context.Context, dir string, names []string, guard outfile.Guard) error {
	if err := checkFolders(dir, names); err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		ours := own.has(ctx, dir, name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist) || guard.Forced() || ours:
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", path, cause(err))
		case !info.Mode().IsRegular():
			return message.WithHint(fmt.Errorf("%s: exists and is no plain file", path),
				"move it away, or choose another folder")
		case len(own[name]) > 0 && info.Size() > 0:
			return message.WithHint(fmt.Errorf("%s: changed since compile wrote it, and would be written over", path),
				"keep a copy of it elsewhere and give {Force}, or choose another folder")
		}
		if err := guard.Check(path, outfile.Any); err != nil {
			return err
		}
	}
	return guard.Check(CertificatePath(dir), outfile.Certificate) // the certificate will be removed
}

// checkFolders returns an error if a folder has the name of an output file. A folder is never replaced, even with
// force.
func checkFolders(dir string, names []string) error {
	for _, name := range slices.Concat(names, []string{manifestName, certificateName}) {
		path := filepath.Join(dir, name)
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return message.WithHint(fmt.Errorf("%s: exists and is a folder", path), "move it away, or choose another folder")
		}
	}
	return nil
}

// stages returns the temporary folders of calls of [Write] that are running or were killed.
func stages(dir string) (all []string) {
	entries, _ := os.ReadDir(dir) // if the folder cannot be read, writing to it returns the error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stageName) && e.IsDir() {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	return all
}

// putAside moves the manifest of dir into a stage. If the call is interrupted, the moved manifest shows which files
// belonged to the old output.
func putAside(dir, stage string) error {
	err := os.Rename(filepath.Join(dir, manifestName), filepath.Join(stage, replacedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
