// Package examples holds runnable examples. Each example has its own folder with a README, a configuration and the
// expected result. The digits example is embedded for `ialgn demo`.
package examples

import _ "embed"

// Digits is the configuration of `ialgn demo`.
//
//go:embed digits/digits.yaml
var Digits []byte
