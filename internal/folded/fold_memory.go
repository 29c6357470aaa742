package folded

import (
	"fmt"
	"math/big"
)

// Memories returns the contents of the engine's memories: the banks of each lane and, unless all features have the
// same thresholds, the thresholds.
func (e *Chains) Memories() []Memory {
	var list []Memory
	for l, lane := range e.lanes {
		for b, bank := range e.banks() {
			list = append(list, Memory{
				File: e.programFile(l, b), Depth: bank.depth, Width: Columns(e.stepBits()),
				Word: func(i int) *big.Int {
					if i += bank.base; i < len(lane) {
						return big.NewInt(int64(e.code(lane[i])))
					}
					return new(big.Int)
				},
			})
		}
	}
	if encoder := e.encoder(); encoder.Uniform == nil {
		list = append(list, encoder.Memory(e.Thresholds))
	}
	return list
}

func (s *Shape) programFile(lane, bank int) string {
	return fmt.Sprintf("%s_%d_%d.hex", s.Module, lane, bank)
}

// code returns the program word of a step. The comment at the top of fold.go lists its fields.
func (e *Chains) code(s step) uint64 {
	address, word := e.LevelBits()+e.FeatureBits(), uint64(s.feature)<<e.LevelBits()|uint64(s.level)
	if s.closes() {
		word = uint64(s.ones)
	}
	word |= uint64(s.op) << address
	if s.negated {
		word |= 1 << (address + 2)
	}
	if s.end {
		word |= 1 << (address + 3)
	}
	return word
}
