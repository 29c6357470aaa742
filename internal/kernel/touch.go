package kernel

import "math"

// touchBlock is the number of gates touched at a time. It is so large that the waits for memory overlap, and so small
// that the gates' cache lines are still in the first-level cache when the gates are updated.
const touchBlock = 8

// lineFloats is the number of float32 in a cache line.
const lineFloats = 16

// touch reads a word of each cache line that the updates of a block of gates need. The block begins at layer l of
// chain i and goes down. If l is negative, the block consists of the last layers of the next chain. touch returns the
// sum of the words, so that the compiler keeps the reads. It does not read any chain whose index is end or larger,
// because another goroutine may be updating these chains.
//
// A caller touches a block before the block is needed, so that the waits for memory overlap instead of following one
// another. Gates and the blocks of successive short chains are touched in ascending order of their addresses, so that
// the processor's own prefetcher also works. Fused kernels prefetch by themselves.
func (s *Gates) touch(i, l, end int) uint32 {
	if l < 0 {
		i, l = i+1, s.Layers-1
	}
	if i >= end {
		return 0
	}
	sum := uint32(0)
	last := i*s.Layers + l
	for g := last - min(l, touchBlock-1); g <= last; g++ {
		sum += s.Logits.touch(g*s.Arity(), s.Arity()) + s.B.touch(g)
		if s.A != nil {
			sum += s.A.touch(g)
		}
	}
	return sum
}

func (p *Pin) touch(g int) uint32 {
	if p.K == 1 {
		return 0
	}
	return p.Logits.touch(g*p.K, p.K) + p.Wire(g*p.K)
}

func (l *Logits) touch(at, k int) uint32 {
	sum := uint32(0)
	for i := at; i < at+k; i += lineFloats {
		sum += math.Float32bits(l.W[i]) + math.Float32bits(l.M[i]) + math.Float32bits(l.V[i])
	}
	return sum
}
