package doctest

import (
	"fmt"
	"slices"
	"strings"
)

// Compare returns an error for the first documented line that is not in the output. The lines must be in the same
// order. The documented line "..." matches any number of lines, and "..." at the end of a line matches any text in
// its place. Lines after the last "..." are compared with the end of the output. mask is applied to all lines before
// they are compared.
func Compare(documented, output []string, mask func(string) string) error {
	for len(output) > 0 && output[len(output)-1] == "" {
		output = output[:len(output)-1]
	}
	at, gap := 0, false
	for i, line := range documented {
		if line == "..." {
			rest := documented[i+1:]
			if gap = true; len(rest) > 0 && !slices.Contains(rest, "...") {
				at, gap = max(at, len(output)-len(rest)), false
			}
			continue
		}
		want, begins := strings.CutSuffix(line, "...")
		want = mask(want)
		first := at
		for ; at < len(output); at++ {
			got := mask(output[at])
			if got == want || begins && strings.HasPrefix(got, want) {
				break
			}
			if !gap {
				return fmt.Errorf("the document shows %q, it prints %q", line, output[at])
			}
		}
		if at == len(output) {
			return fmt.Errorf("the document shows %q, which is not in what it prints:\n%s", line,
				strings.Join(output[first:], "\n"))
		}
		at++
		gap = false
	}
	if at < len(output) && !gap {
		return fmt.Errorf("it also prints %q, which the document does not show", output[at])
	}
	return nil
}
