package message

import (
	"fmt"
	"strings"
)

// Nearest returns the name that was probably meant by an unknown word. The nearest name is the name that needs the
// fewest insertions, deletions, replacements and swaps of letters to become the word. If several names are equally
// near, Nearest returns the first. A name is too far away if the number of changes is large compared with the length
// of the word. If no name is near, Nearest returns "".
func Nearest(word string, names []string) string {
	best, distance := "", min(max(2, len(word)/4)+1, len(word))
	for _, name := range names {
		if d := edits(strings.ToLower(word), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// Near adds to err, an error about an unknown word, the hint that the nearest name was probably meant. If err already
// has a hint, the new hint comes first. If no name is near, Near returns err unchanged.
func Near(err error, word string, names []string) error {
	near := Nearest(word, names)
	if near == "" {
		return err
	}
	return &hinted{err, func(words Words) string {
		if further := HintIn(err, words); further != "" {
			return "did you mean " + near + "; " + further
		}
		return "did you mean " + near
	}}
}

// NoSuch returns the error for an unknown name. kind says what is named, such as a target. The error lists the known
// names, and its hint is the name that was probably meant.
func NoSuch(kind, word string, names []string) error {
	return Near(fmt.Errorf("%s %.40q: no such %s, use one of %s", kind, word, kind, strings.Join(names, ", ")), word,
		names)
}

// edits returns the least number of insertions, deletions, replacements and swaps of neighbouring bytes that turn a
// into b, if each byte is changed at most once (optimal string alignment). It keeps three rows of the algorithm's
// table.
func edits(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
