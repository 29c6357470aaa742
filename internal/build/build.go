// Package build says which state of the source the running program was built from.
package build

import (
	"runtime/debug"
	"strings"
)

// Commit returns the commit that the program was built from, with a plus after it where the
// source had changes of its own; empty where `go build` did not record one, as in tests.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commit(info.Settings)
}

// Date returns the day of that commit, such as 2026-11-25; empty where Commit is.
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

// digits is how much of a commit's name is shown.
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
