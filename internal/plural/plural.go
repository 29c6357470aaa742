// Package plural writes numbers with their nouns, for reports and errors.
package plural

import "fmt"

// Of returns a number with its noun: "1 batch" of (1, "batch", "batches"), else the many.
func Of(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
