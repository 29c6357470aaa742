package config

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
)

// unnameable matches characters that names of models may not contain.
var unnameable = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// longestName is the greatest length of a name for the data. Models' names may be longer, so that a number fits after
// it.
const longestName = 80

// NameFor returns a name for models of a data file or configuration. It is the file's name without its endings.
// Characters that names of models may not contain are replaced.
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

// Quoted returns a text as a quoted value for a configuration file.
func Quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
