package lut

import "ialgn/internal/chain"

// cost is a number of LUTs. The constant never and all greater values mean that there is no solution.
type cost = uint16

const never cost = 1 << 14

// solver finds plans for chains, with LUTs of k inputs. It reuses its memory for the next chain.
//
// In comments, segment (i, j) means the steps i+1 .. j of a chain of n steps.
type solver struct {
	k, n   int
	ops    []chain.Op // [i]: operation of step i; ops[0] is unused
	late   int        // the level of the base
	runEnd []int      // [i]: the largest j for which segment (i, j) has a single operation
	band   int        // steps of the longest segment that is considered
	trees  [][]cost   // [level][r]: number of LUTs to combine r leaves under one operation

	serial  []serialLevel
	levels  []level
	own     []*tables // [level]: memory for the tables of a level
	settled bool      // whether the tables are the same for all later levels
	reach   reach
}

// start prepares the solver for a chain with the given operations. The argument late is the level of the chain's
// base.
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

// least returns the fewest LUTs that a chain can have, because each LUT takes at most k-1 steps.
func least(steps, k int) int { return (steps + k - 2) / (k - 1) }

// tree returns numbers of LUTs. For r = 0 .. n, element r is the number of LUTs that combine r leaves under one
// operation into a signal of the given level.
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

// resize returns a slice of n elements, reusing the memory of s if it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// relax lowers each element of dst to the corresponding element of src plus a constant, if the sum is less.
func relax(dst, src []cost, add cost) {
	dst = dst[:len(src)]
	for j, c := range src {
		dst[j] = min(dst[j], c+add)
	}
}
