package folded

import (
	"slices"
)

// divide distributes the chains over the lanes and returns the lanes' programs, all of equal length. In each class,
// it begins with the longest chain and gives each chain to the lane that so far has the fewest steps for this class.
func (p *Program) divide(lanes int) [][]step {
	program := make([][]step, lanes)
	for _, c := range p.classes {
		chains := merge(c.chains)
		slices.SortStableFunc(chains, func(a, b []step) int { return len(b) - len(a) })
		part := make([][]step, lanes)
		for _, steps := range chains {
			least := 0
			for l := range part {
				if len(part[l]) < len(part[least]) {
					least = l
				}
			}
			part[least] = append(part[least], steps...)
		}
		longest := 0
		for _, steps := range part {
			longest = max(longest, len(steps))
		}
		for l := range part {
			program[l] = append(program[l], part[l]...)
			program[l] = append(program[l], make([]step, longest-len(part[l])+1)...) // adds idle steps
		}
		program[0][len(program[0])-1] = closing(c.ones)
	}
	return program
}

// merge joins equal chains into one. For each further chain, it repeats the last step of the first chain with end
// set, which counts v once more and does not change v. Chains that end with an xor are not joined, because a repeated
// xor would change v.
func merge(chains [][]step) [][]step {
	var list [][]step
	seen := map[string]int{}
	for _, steps := range chains {
		last := steps[len(steps)-1]
		key := make([]byte, 0, 8*len(steps))
		for _, s := range steps {
			key = append(key, byte(s.op), byte(s.level), byte(s.level>>8), byte(s.feature), byte(s.feature>>8),
				byte(s.feature>>16))
			if s.negated {
				key = append(key, 1)
			} else {
				key = append(key, 0)
			}
		}
		if i, ok := seen[string(key)]; ok && last.op != xor {
			list[i] = append(slices.Clip(list[i]), last)
			continue
		}
		seen[string(key)] = len(list)
		list = append(list, steps)
	}
	return list
}
