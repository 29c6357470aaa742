//go:build !amd64

package shared

// vectors returns nil: there is the plain path alone.
func vectors() *path { return nil }
