package artifact

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ialgn/internal/overwrite"
)

// CertificatePath returns where [Output.Certify] writes the certificate of a folder.
func CertificatePath(dir string) string { return filepath.Join(dir, certificateName) }

// owned holds the names of those files of an output folder that earlier calls of [Write] made.
type owned map[string]bool

// findOwned returns what the manifest of dir names, which any edition of the file may be, and
// what calls that were killed while they put their files into place had put there. With force
// a manifest that cannot be read names nothing.
func findOwned(dir string, force bool) (owned, error) {
	own := owned{}
	files, err := oldFiles(dir)
	if err != nil && !force {
		return nil, overwrite.Remedied(err)
	}
	own.add(files)
	for _, stage := range stages(dir) {
		if m, _, err := readManifestFile(filepath.Join(stage, replacedName)); err == nil {
			own.add(m.Files)
		}
		m, _, err := readManifestFile(filepath.Join(stage, manifestName))
		if err != nil {
			continue
		}
		for _, f := range m.Files {
			if f.check(context.Background(), dir, "") == nil {
				own[f.Name] = true
			}
		}
	}
	return own, nil
}

func (own owned) add(files []File) {
	for _, f := range files {
		own[f.Name] = true
	}
}

// check returns an error if one of the files that a product is going to write is in dir already
// and is the user's.
func (own owned) check(dir string, names []string, guard overwrite.Guard) error {
	for _, name := range names {
		if own[name] {
			continue
		}
		if err := guard.Check(filepath.Join(dir, name), overwrite.Any); err != nil {
			return err
		}
	}
	return guard.Check(CertificatePath(dir), overwrite.Certificate) // the certificate will be removed
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
