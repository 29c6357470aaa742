// Package testkit holds helpers for tests of several packages: external programs that may be missing, guard pages,
// NumPy arrays, clocked testbenches, and manifests and models whose checksums are recomputed after an edit.
package testkit
