//go:build !amd64

package kernel

// relaxedVectors returns nil: there is the plain path alone.
func relaxedVectors() *relaxedSteps { return nil }
