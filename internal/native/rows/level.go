package rows

// thresholdVector returns n bytes with the thresholds of level j. If a bit of flip is 1, this bit is flipped in each
// threshold.
func (u *unit) thresholdVector(n, size, j int, flip uint32) []byte {
	return elements(n, size, func(f int) uint32 { return uint32(u.lanes[f].thresholds[j]) ^ flip })
}

// search appends the binary search for the level. The thresholds of level j are in vector j - 1. The function compare
// compares values with thresholds and records the result as the decision for the given bit. The function choose
// selects between two vectors of thresholds and writes the result to dst, which may be the same vector as low. An
// element of dst comes from low if the decision is 0, and from high if the decision is 1. The argument scratch is the
// first of two scratch vectors.
func search(planes int, scratch vector, compare func(bit int, thresholds vector),
	choose func(bit int, dst, low, high vector),
) {
	for bit := planes - 1; bit >= 0; bit-- {
		var candidates []vector // indexed by the decisions made so far, highest bit first
		for j := 1 << bit; j < 1<<planes; j += 2 << bit {
			candidates = append(candidates, vector(j-1))
		}
		for made := planes - 1; made > bit; made-- {
			half := len(candidates) / 2
			for i := range half {
				dst := scratch + vector(i)
				choose(made, dst, candidates[i], candidates[half+i])
				candidates[i] = dst
			}
			candidates = candidates[:half]
		}
		compare(bit, candidates[0])
	}
}
