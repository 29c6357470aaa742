package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// found says where a set's files are.
type found struct {
	dir   string
	files []file
}

// MissingError says that the files of a set were not found.
type MissingError struct {
	Set    string // name of the set
	Reason string // the folders that were searched, and what was missing in them
	Get    string // how to get the set, as a text for package message
}

// Error says what is missing and which places were searched.
func (e *MissingError) Error() string {
	return fmt.Sprintf("data set %s: not found: %s", e.Set, e.Reason)
}

// Hint says how to get the set. It names options by the names of their fields, as package message does.
func (e *MissingError) Hint() string { return e.HintIn(message.Fields) }

// HintIn says how to get the set. The argument words determines how the text names options.
func (e *MissingError) HintIn(words message.Words) string { return message.Text(words, e.Get) }

// find looks for the set's files. It looks first in dir, if dir is not empty, and then in the folders.
func (k *kind) find(dir string, folders []string) (found, error) {
	places := k.places(dir, folders)
	f, reason := locate(k.files, places)
	if reason != "" {
		return found{}, &MissingError{Set: k.name, Reason: reason, Get: k.get +
			", or name the folder with {Folders} or data.dir"}
	}
	return f, nil
}

// places lists the folders that may hold the files. Folders with the set's name come first, because all MNIST-like
// sets use the same file names. Folders with the name of another set are omitted for the same reason.
func (k *kind) places(dir string, folders []string) []string {
	var places []string
	add := func(base string) {
		for _, sub := range k.folders {
			places = append(places, filepath.Join(base, sub))
		}
	}
	if dir != "" {
		places = append(places, dir)
		add(dir)
	}
	for _, base := range folders {
		add(base)
		if !k.foreign(filepath.Base(base)) {
			places = append(places, base)
		}
	}
	return places
}

// foreign reports whether a folder's name belongs to another set.
func (k *kind) foreign(name string) bool {
	return slices.ContainsFunc(kinds, func(o *kind) bool { return o != k && slices.Contains(o.folders, name) })
}

// Candidates returns the paths at which the configuration's files are searched. For a member of an archive, it
// returns the archive's paths.
func Candidates(cfg config.Data, folders []string) (paths []string) {
	for _, name := range []string{cfg.Train, cfg.TrainLabels, cfg.Test, cfg.TestLabels} {
		if name == "" {
			continue
		}
		if archive, _, in := inArchive(name); in {
			name = archive
		}
		if filepath.IsAbs(name) {
			paths = append(paths, name)
			continue
		}
		for _, dir := range append([]string{"", cfg.Dir}, folders...) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

// locate returns the first place that holds all files. Each file has one or more possible names, with or without
// ".gz". If there is no such place, the second result says where locate looked and which files were missing.
func locate(files [][]string, places []string) (f found, reason string) {
	var tried []string
	for _, dir := range places {
		all, missing := inFolder(dir, files)
		if len(missing) == 0 {
			return found{dir, all}, ""
		}
		if len(missing) < len(files) {
			dir += " (without " + strings.Join(missing, ", ") + ")"
		}
		tried = append(tried, dir)
	}
	if len(tried) == 0 {
		return found{}, "there is no folder to search"
	}
	return found{}, "searched " + strings.Join(tried, ", ")
}

func inFolder(dir string, files [][]string) (all []file, missing []string) {
	for _, names := range files {
		path := firstFile(dir, names)
		if path == "" {
			missing = append(missing, names[0])
			continue
		}
		all = append(all, arrayFile(path))
	}
	return all, missing
}

// firstFile returns the first of the names that is a file in dir, plain or with ".gz". If there is no such file, it
// returns "". An absolute name is looked up without dir.
func firstFile(dir string, names []string) string {
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		archive, _, in := inArchive(name)
		for _, path := range []string{name, name + ".gz"} {
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return path
			}
		}
		if info, err := os.Stat(archive); in && err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}
