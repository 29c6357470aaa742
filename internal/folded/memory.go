package folded

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
)

// Memory is a memory of an engine that is initialised from a file, which has one line of
// hexadecimal digits for each word.
type Memory struct {
	File       string
	Depth      int  // words
	Width      int  // bits of a word, rounded up to whole hexadecimal digits
	Thresholds bool // whether the memory holds thresholds instead of a program
	Word       func(i int) *big.Int
}

// Columns returns a memory's width rounded up to whole hexadecimal digits. icebram looks for each column of the file
// in a bitstream, so the memory must have all columns, and the register into which words are read must be kept.
func Columns(width int) int { return (width + 3) / 4 * 4 }

// Spare returns a line that declares the memory's columns above width as unused, or "" if all columns are used.
func Spare(name string, width int) string {
	if Columns(width) == width {
		return ""
	}
	return fmt.Sprintf("  wire unused_%s = &{1'b0, %[1]s[%d:%d]};\n", name, Columns(width)-1, width)
}

// Write writes the file with the memory's contents.
func (m Memory) Write(w io.Writer) error { return m.write(w, m.Word) }

// WritePlaceholder writes random words in the format of the file. The words are the same for all models with this
// shape. In a design that is placed with random words, icebram can later replace them by the words of any model. For
// this, icebram must identify the columns, so no two columns of 256 words are equal.
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
