package lut

import "ialgn/internal/chain"

// cost is a number of LUTs; the value never, and all values above it, mean that it cannot be done.
type cost = uint16

const never cost = 1 << 14

// Solver finds plans for chains of LUTs with k inputs. It keeps its memory from one chain
// to the next.
//
// In what follows, steps i+1 to j of a chain of n are the segment (i, j).
type solver struct {
	k, n   int
	ops    []chain.Op // operation of step i; ops[0] is not used
	late   int        // the level of the base
	runEnd []int      // for each i, the last j for which segment (i, j) has a single operation
	band   int        // steps of the longest segment that is looked at
	trees  [][]cost   // for each level, the LUTs for r leaves under one operation

	serial  []serialLevel
	levels  []level
	own     []*tables // for each level, the tables that it fills unless an earlier level settled them
	settled bool      // the tables will not change at later levels
	reach   reach
}

// start makes the solver one for a chain of the given operations whose base has a level.
func (s *solver) start(k int, ops string, late int) {
	if s.k != k {
		s.trees = nil
	}
	s.k, s.n, s.late = k, len(ops), late
	s.ops = append(s.ops[:0], 0)
	for i := range len(ops) {
		s.ops = append(s.ops, chain.Op(ops[i]))
	}
	s.runEnd = resize(s.runEnd, s.n+1)
	s.runEnd[s.n] = s.n
	for i := s.n - 1; i >= 0; i-- {
		s.runEnd[i] = i + 1
		if i+2 <= s.n && s.ops[i+2] == s.ops[i+1] {
			s.runEnd[i] = s.runEnd[i+1]
		}
	}
	s.serial = s.serial[:0]
	s.settled = false
}

// least returns the fewest LUTs that can hold the chain: each takes k-1 steps.
func least(steps, k int) int { return (steps + k - 2) / (k - 1) }

// tree returns the numbers of LUTs that give r leaves under one operation as a signal of
// the given level, for r from 0 on to n.
func (s *solver) tree(depth int) []cost {
	for len(s.trees) <= depth {
		s.trees = append(s.trees, nil)
	}
	t := s.trees[depth]
	for r := len(t); r <= s.n; r++ {
		c := never
		if power(s.k, depth, r) >= r {
			c = cost(least(max(0, r-1), s.k))
		}
		t = append(t, c)
	}
	s.trees[depth] = t
	return t
}

// resize returns a slice of n elements, of s if that has room.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// relax lowers each element of dst to the one of src plus a constant.
func relax(dst, src []cost, add cost) {
	dst = dst[:len(src)]
	for j, c := range src {
		dst[j] = min(dst[j], c+add)
	}
}
