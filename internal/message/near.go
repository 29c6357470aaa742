package message

import (
	"fmt"
	"strings"
)

// Nearest returns the name that was probably meant by a word that is none of the names: the one
// with the fewest letters to insert, delete, replace or swap, if these are few for the length of
// the word. It returns "" if no name is near; of equally near ones the first counts.
func Nearest(word string, names []string) string {
	best, distance := "", min(max(2, len(word)/4)+1, len(word))
	for _, name := range names {
		if d := edits(strings.ToLower(word), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// Near returns err, which is about a word that is none of the names, with the hint that one of
// them was probably meant, if any is near. A hint that err has already follows.
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

// NoSuch returns the error about a word that names none of the things of a kind, such as a
// target, with their names and the one that was probably meant.
func NoSuch(kind, word string, names []string) error {
	return Near(fmt.Errorf("%s %.40q: no such %s, use one of %s", kind, word, kind, strings.Join(names, ", ")), word,
		names)
}

// edits returns the least number of inserted, deleted, replaced and swapped neighbouring bytes
// that turn a into b, each byte being touched once (optimal string alignment), by three rows of
// its table.
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
