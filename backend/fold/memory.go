package fold

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
)

// Memory is a memory of an engine that a file fills: lines of hexadecimal digits, one a word.
type Memory struct {
	File       string
	Depth      int  // words
	Width      int  // bits of a word
	Thresholds bool // the memory holds the features' thresholds, not a program
	word       func(i int) *big.Int
}

// Memories returns what the memories of the engine hold: the banks of each lane, and the
// thresholds where they are not the same for all features.
func (e *Engine) Memories() []Memory {
	var list []Memory
	for l, lane := range e.lanes {
		for b, bank := range e.banks() {
			list = append(list, Memory{
				File: e.programFile(l, b), Depth: bank.depth, Width: columns(e.stepBits()),
				word: func(i int) *big.Int {
					if i += bank.base; i < len(lane) {
						return big.NewInt(int64(e.code(lane[i])))
					}
					return new(big.Int)
				},
			})
		}
	}
	if e.Uniform == nil {
		list = append(list, Memory{
			File: e.thresholdFile(), Depth: e.thresholdDepth(), Width: columns(e.Steps * e.WordBits), Thresholds: true,
			word: e.thresholdWord,
		})
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

// thresholdWord returns the thresholds of a feature, the first in the lowest bits.
func (e *Engine) thresholdWord(feature int) *big.Int {
	word := new(big.Int)
	if feature < len(e.thresholds) {
		for j, t := range e.thresholds[feature] {
			word.Or(word, new(big.Int).Lsh(big.NewInt(int64(t)), uint(j*e.WordBits)))
		}
	}
	return word
}

// Write writes the file.
func (m Memory) Write(w io.Writer) error { return m.write(w, m.word) }

// WritePlaceholder writes random words in the form of the file, the same for every model of the
// shape. A design that is placed with them can be given the words of any model later: no two
// columns of 256 words are alike, by which icebram finds them.
func (m Memory) WritePlaceholder(w io.Writer) error {
	r := rand.NewChaCha8(sha256.Sum256([]byte(m.File)))
	return m.write(w, func(int) *big.Int {
		word := new(big.Int)
		for bits := 0; bits < m.Width; bits += 64 {
			word.Or(word.Lsh(word, 64), new(big.Int).SetUint64(r.Uint64()))
		}
		return word.Rsh(word, uint(-m.Width&63))
	})
}

func (m Memory) write(w io.Writer, word func(int) *big.Int) error {
	b := bufio.NewWriter(w)
	for i := range m.Depth {
		fmt.Fprintf(b, "%0*x\n", m.Width/4, word(i))
	}
	return b.Flush()
}
