//go:build !amd64

package kernel

// relaxedVectors returns nil, because only the plain path exists.
func relaxedVectors() *relaxedSteps { return nil }
