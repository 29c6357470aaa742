package message

import (
	"strings"
	"unicode"
)

// flagNames are the flags of options whose name does not say them.
var flagNames = map[string]string{
	"Optimise": "-O", "Path": "-o", "MHz": "--freq", "Folders": "--data", "ActivityFile": "--activity", "LUT": "--lut",
	"LUTs": "--luts",
}

// Flags are the words of the command line, such as `--scope core`.
func Flags(name, value string) string {
	flag, ok := flagNames[name]
	if !ok {
		flag = "--" + kebab(name)
	}
	if value == "" {
		return flag
	}
	return flag + " " + value
}

// kebab returns a name in mixed case as the command line has it: MaxLevels is max-levels.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
