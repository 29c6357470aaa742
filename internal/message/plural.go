// This file writes numbers with their nouns, and lists of choices, for reports and errors.

package message

import (
	"fmt"
	"strings"
)

// Plural returns a number with its noun, in the singular if the number is 1: "1 batch" for (1, "batch", "batches").
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// Or joins choices for a sentence, such as "a", "a or b", or "a, b or c".
func Or(choices []string) string {
	last := len(choices) - 1
	if last < 1 {
		return strings.Join(choices, "")
	}
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}
