package message

import (
	"strings"
	"unicode"
)

// flagNames maps options to flags, for flags whose name is not the option's name in kebab case.
var flagNames = map[string]string{
	"Optimise": "-O", "Path": "-o", "MHz": "--freq", "Folders": "--data", "ActivityFile": "--activity", "LUT": "--lut",
	"LUTs": "--luts",
}

// Flags names an option as on the command line, such as `--scope core`.
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

// kebab turns a name in mixed case into a flag's name: MaxLevels becomes max-levels.
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
