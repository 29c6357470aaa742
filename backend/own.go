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

// CertificatePath returns where [Output.Certify] writes the certificate of a folder.
func CertificatePath(dir string) string { return filepath.Join(dir, certificateName) }

// Leftovers are the files of the output before that a new one lacks, by their names.
type Leftovers struct {
	Removed []string `json:"removed,omitempty"`
	Kept    []string `json:"kept,omitempty"` // they were changed, or [Write] never made them
}

// owned holds what earlier calls of [Write] recorded of the files that they made, by the files' names.
type owned map[string][]File

// findOwned returns what the manifest of dir records, and what calls recorded that were killed while they put their
// files into place. With force a manifest that cannot be read names nothing.
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

// oldManifest returns the manifest of dir, nil if there is none, and an error if what is there is not ours to replace.
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

// add adds the files of a manifest whose names [Write] gives.
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

// has reports whether a file of dir is as a call of Write made it: a plain file with a digest that is on record.
func (own owned) has(ctx context.Context, dir, name string) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular() &&
		slices.ContainsFunc(own[name], func(f File) bool { return f.Size == info.Size() && f.check(ctx, dir, "") == nil })
}

// check returns an error if one of the files that a product is going to write is in dir already, and is the user's or
// was changed by the user.
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

// checkFolders returns an error if a folder is where a file of the output goes: no file is put in its place, even with
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

// stages returns the folders in which calls of [Write] make their files, or made them before
// they were killed.
func stages(dir string) (all []string) {
	entries, _ := os.ReadDir(dir) // one that cannot be read shows when it is written
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stageName) && e.IsDir() {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	return all
}

// putAside moves the manifest of dir into a stage, where it says of an interrupted call which
// files were there before.
func putAside(dir, stage string) error {
	err := os.Rename(filepath.Join(dir, manifestName), filepath.Join(stage, replacedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
