// Package testkit has what tests of several packages need: external programs that may be missing, guard pages, arrays
// of NumPy, clocked testbenches, and manifests and models that are signed again after an edit.
package testkit
