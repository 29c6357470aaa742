//go:build !amd64

package shared

// vectors returns nil, because only the plain path exists.
func vectors() *path { return nil }
