//go:build !amd64

package kernel

// vectors returns nil: there is the plain path alone.
func vectors() *steps { return nil }
