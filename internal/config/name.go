package config

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
)

// unnameable is what names of models do not hold.
var unnameable = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// longestName leaves room for a number behind the name of the data.
const longestName = 80

// NameFor returns a name for models of a file of data or a configuration: its name without its endings, with what has
// no place in names of models replaced.
func NameFor(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{
		".gz", ".bz2", ".csv", ".tsv", ".arff", ".data", ".txt", ".npy", ".npz", ".yaml", ".yml",
	} {
		name = strings.TrimSuffix(name, ending)
	}
	name = strings.Trim(unnameable.ReplaceAllString(name, "-"), "-.")
	return cmp.Or(name[:min(len(name), longestName)], "data")
}

// Quoted returns a text as a value of a configuration file.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
