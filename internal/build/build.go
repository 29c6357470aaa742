// Package build identifies the running program: the commit that it was built from, and the digest of its file.
package build

import (
	"runtime/debug"
	"strings"
)

// Commit returns the commit that the program was built from, followed by a plus if the source had uncommitted
// changes. It returns "" if `go build` did not record a commit, for example in tests.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commit(info.Settings)
}

// Date returns the day of the commit, such as 2026-11-25, or "" if the commit is unknown.
func Date() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return date(info.Settings)
}

func date(settings []debug.BuildSetting) string {
	for _, s := range settings {
		if s.Key == "vcs.time" {
			day, _, _ := strings.Cut(s.Value, "T")
			return day
		}
	}
	return ""
}

// digits is the number of digits of a commit that are shown.
const digits = 12

func commit(settings []debug.BuildSetting) string {
	name, plus := "", ""
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			name = s.Value[:min(digits, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				plus = "+"
			}
		}
	}
	if name == "" {
		return ""
	}
	return name + plus
}
