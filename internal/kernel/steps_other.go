//go:build !amd64

package kernel

// vectors returns nil, because only the plain path exists.
func vectors() *steps { return nil }
