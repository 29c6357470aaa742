package backend

import "slices"

// Formats returns the names of the formats that are written on request alone, in order.
func Formats() (names []string) {
	for _, f := range requested() {
		if f.emit != "" {
			names = append(names, f.emit)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
