package backend

import "slices"

// Formats returns the sorted names of the formats that are written only on request.
func Formats() (names []string) {
	for _, f := range requested() {
		if f.emit != "" {
			names = append(names, f.emit)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
