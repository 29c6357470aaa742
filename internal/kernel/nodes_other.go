//go:build !amd64

package kernel

// nodeVectors returns nil: there is the plain path alone.
func nodeVectors() *nodeSteps { return nil }
