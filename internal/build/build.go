// Package build says which state of the source the running program was built from.
package build

import "runtime/debug"

// Commit returns the commit that the program was built from, with a plus after it where the
// source had changes of its own; empty where `go build` did not record one, as in tests.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commit(info.Settings)
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
