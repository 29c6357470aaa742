package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// simd is the SIMD path in use. It is chosen once, when the program starts. It is the path that IALGN_SIMD names or,
// by default, the best path of the processor.
var simd, simdError = choose(os.Getenv("IALGN_SIMD"), Paths())

// choose returns the wanted path, or the first existing path if want is empty.
func choose(want string, have []string) (string, error) {
	switch {
	case want == "":
		return have[0], nil
	case slices.Contains(have, want):
		return want, nil
	case want == "avx512" || want == "avx2":
		return "none", fmt.Errorf("IALGN_SIMD=%s: this processor lacks it; leave the variable unset, or use %s", want,
			strings.Join(have, " or "))
	}
	return "none", fmt.Errorf("IALGN_SIMD=%s: there is no such path; use avx512, avx2 or none", want)
}

// Path returns the SIMD path in use: avx512, avx2 or none. It returns an error if IALGN_SIMD names a path that does
// not exist.
func Path() (string, error) { return simd, simdError }

// Use switches to another path in [Paths], for tests and comparisons. It must not be called while a [Pass] is in use.
func Use(path string) error {
	chosen, err := choose(path, Paths())
	if err == nil {
		simd, simdError = chosen, nil
	}
	return err
}
