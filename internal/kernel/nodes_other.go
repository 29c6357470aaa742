//go:build !amd64

package kernel

// nodeVectors returns nil, because only the plain path exists.
func nodeVectors() *nodeSteps { return nil }
