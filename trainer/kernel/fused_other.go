//go:build !amd64

package kernel

// Paths returns the paths that this processor has, the fastest first.
func Paths() []string { return []string{"none"} }

type fused struct{}

func (p *Pass) fuse(*Gates, int, int, int) bool { return false }

func (p *Pass) fuseForward(_, _ *Gates, _, _ int) bool { return false }
