// Package examples holds runnable configurations: one folder an example, with a README,
// the configuration and the expected outcome. The digits are embedded, for `ialgn
// demo`.
package examples

import _ "embed"

// Digits is the configuration of `ialgn demo`.
//
//go:embed digits/digits.yaml
var Digits []byte
