package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// labelWords lists words in the names of files of features, each with the words that the files of labels have instead.
var labelWords = map[string][]string{
	"x": {"y"}, "data": {"labels"}, "features": {"labels"}, "images": {"labels"},
}

// testWords lists words in the names of training files, each with the words that test files have instead. The files of
// MNIST have the word t10k.
var testWords = map[string][]string{"train": {"test", "t10k"}, "training": {"test", "testing"}}

// FindLabels returns the files next to an array of features that may hold its labels. Their names differ only by
// a word, such as y instead of x. rejected gives the files whose name fits but whose content does not, each with the
// reason.
func FindLabels(ctx context.Context, path string) (fit, rejected []string) {
	features, err := openArray(arrayFile(path))
	if err != nil {
		return nil, nil
	}
	features.Close()
	for _, other := range neighbours(path, labelWords) {
		if err := labelsOf(ctx, features, other); err != nil {
			rejected = append(rejected, err.Error())
		} else {
			fit = append(fit, other)
		}
	}
	return fit, rejected
}

// labelsOf returns an error if an array cannot be the labels of the given features.
func labelsOf(ctx context.Context, features *array, path string) error {
	src := &arraySource{}
	src.labels[Train] = arrayFile(path)
	a, err := src.openLabels(Train)
	if err != nil {
		return err
	}
	defer a.Close()
	if a.count != features.count {
		return fmt.Errorf("%s: %s for %s", path, message.Plural(a.count, "label", "labels"),
			message.Plural(features.count, "sample", "samples"))
	}
	_, _, err = src.readLabels(ctx)
	return err
}

// FindTests returns the files next to a training file whose names say that they are its test files.
func FindTests(path string) []string { return neighbours(path, testWords) }

// FindTest finds the test file of the surveyed table next to it. try returns an error if the test samples in a file
// cannot be read as the survey with suggests. If there is a file whose name says that it is the test file, and try
// returns nil, FindTest returns the path of this file and the survey with its missing values. Otherwise it returns the
// survey itself. If there is such a file, refused says why it is not taken.
func (s *Survey) FindTest(ctx context.Context, cfg config.Data, folders []string,
	try func(with *Survey, test string) error,
) (with *Survey, test string, refused error) {
	tests := FindTests(cfg.Train)
	switch len(tests) {
	case 0:
		return s, "", nil
	case 1:
	default:
		return s, "", NotTest(tests[0], fmt.Errorf("%s may be the test file, too", tests[1]))
	}
	changed := *s
	changed.Columns, cfg.Test = slices.Clone(s.Columns), tests[0]
	err := changed.AddTest(ctx, cfg, folders)
	if err == nil {
		err = try(&changed, cfg.Test)
	}
	if err != nil {
		return s, "", NotTest(cfg.Test, err)
	}
	return &changed, cfg.Test, nil
}

// NotTest returns the note that a file next to the training samples does not have the test samples, with the reason.
func NotTest(file string, reason error) error {
	return fmt.Errorf("%s does not have the test samples: %s", file, strings.TrimPrefix(reason.Error(), file+": "))
}

// neighbours returns the files next to a file whose names differ from its name by one of the given words. The files may
// be compressed or not. The neighbours of an array in an archive are in the same archive.
func neighbours(path string, words map[string][]string) (found []string) {
	archive, name, in := inArchive(path)
	dir := archive + ":"
	if !in {
		dir, name = filepath.Split(path)
	}
	for _, other := range renamed(strings.TrimSuffix(name, ".gz"), words) {
		switch {
		case in:
			if a, err := openArray(arrayFile(dir + other)); err == nil {
				a.Close()
				found = append(found, dir+other)
			}
		default:
			for _, ending := range []string{"", ".gz"} {
				at := dir + other + ending
				if info, err := os.Stat(at); err == nil && !info.IsDir() && !slices.Contains(found, at) {
					found = append(found, at)
				}
			}
		}
	}
	return found
}

// renamed returns the names that differ from a name by one of the given words. The new word is in capitals if the old
// one is. If the old word is a single capital letter, the new one may also be small.
func renamed(name string, words map[string][]string) (names []string) {
	for _, at := range wordsIn(name) {
		old := name[at[0]:at[1]]
		for _, word := range words[strings.ToLower(old)] {
			for _, form := range inForm(word, old) {
				other := name[:at[0]] + form + name[at[1]:]
				names = append(names, other)
				if idx := strings.Replace(other, "idx3", "idx1", 1); idx != other {
					names = append(names, idx) // labels have fewer dimensions, which names of IDX files say
				}
			}
		}
	}
	return names
}

// inForm returns a word with the capitals of another word.
func inForm(word, like string) []string {
	capital := strings.ToUpper(word[:1]) + word[1:]
	switch {
	case !unicode.IsUpper(rune(like[0])):
		return []string{word}
	case len(like) == 1:
		return []string{word, capital}
	case strings.ToUpper(like) == like:
		return []string{strings.ToUpper(word)}
	}
	return []string{capital}
}
