package config

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
)

// unnameable matches characters that names of models may not contain.
var unnameable = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// longestName leaves room for a number after the name of the data.
const longestName = 80

// NameFor returns a name for models of a data file or configuration: the file's name without its endings, and with
// characters replaced that names of models may not contain.
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
