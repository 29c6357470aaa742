//go:build !amd64

package kernel

// Paths returns the SIMD paths that this processor supports, the fastest path first.
func Paths() []string { return []string{"none"} }

type fused struct{}

func (p *Pass) fuse(*Gates, int, int, int) bool { return false }

func (p *Pass) fuseForward(_, _ *Gates, _, _ int) bool { return false }

type fusedLayer struct{}

func (p *LayerPass) fuse(*Layer, *Trace, *Trace, int, int) bool { return false }

func (p *LayerPass) fuseForward(*Layer, []uint64, int, int) bool { return false }

func (p *LayerPass) fusePin(*Layer, *Pin, int, int, []float32) bool { return false }
