package fold

import (
	"fmt"
	"math/big"

	"ialgn/backend/levels"
)

// Memory is a memory of an engine that a file fills.
type Memory = levels.Memory

// Memories returns what the memories of the engine hold: the banks of each lane, and the
// thresholds where they are not the same for all features.
func (e *Engine) Memories() []Memory {
	var list []Memory
	for l, lane := range e.lanes {
		for b, bank := range e.banks() {
			list = append(list, Memory{
				File: e.programFile(l, b), Depth: bank.depth, Width: levels.Columns(e.stepBits()),
				Word: func(i int) *big.Int {
					if i += bank.base; i < len(lane) {
						return big.NewInt(int64(e.code(lane[i])))
					}
					return new(big.Int)
				},
			})
		}
	}
	if e.Uniform == nil {
		list = append(list, e.encoder().Memory(e.thresholds))
	}
	return list
}

func (s *Shape) programFile(lane, bank int) string {
	return fmt.Sprintf("%s_%d_%d.hex", s.Module, lane, bank)
}

func (s *Shape) thresholdFile() string { return s.Module + "_thresholds.hex" }

// code returns the word of a step, as the package says.
func (e *Engine) code(s step) uint64 {
	address, word := e.levelBits()+e.featureBits(), uint64(s.feature)<<e.levelBits()|uint64(s.level)
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
