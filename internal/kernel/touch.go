package kernel

import "math"

// touchBlock is how many gates are touched at a time: enough that their waits for
// memory overlap, few enough that their lines are still in the first cache when used.
const touchBlock = 8

// lineFloats is the number of float32 in a cache line.
const lineFloats = 16

// touch reads a word of each cache line that the updates of a block of gates need, of
// chain i from layer l downwards, or of the next chain's last layers where l is below
// the first, and returns their sum, so that the reads happen. It reads nothing of chains
// from end on, which may be at another goroutine's work. Done a block ahead, the waits for
// memory overlap, which otherwise come one after the other. The gates are touched in the
// order of their addresses, as the blocks of short chains follow each other, so that the
// processor fetches ahead too. Fused kernels fetch by themselves.
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
