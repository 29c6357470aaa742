package folded

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// Encoder turns words into levels. Its Verilog lines read two signals of the engine's module: clk, and the register
// word, which holds the word of a feature. If features have different thresholds, the lines also read a signal with
// the name at, which is the number of the feature whose word enters the register at the next clock edge. The lines
// declare a signal called level, which is the level of the word two clocks later.
type Encoder struct {
	WordBits int // bits of a word
	Steps    int // number of thresholds per feature, which is also the highest level

	// Uniform holds the thresholds of every feature. It is nil if features have different thresholds, which are then
	// in the memory File.
	Uniform     []uint16
	FeatureBits int // bits of a feature's number
	File        string
}

// Block is the minimum depth of a memory that is initialised from a file: the depth of an iCE40
// block RAM with 16-bit words.
const Block = 256

// Depth returns the depth of the memory of thresholds.
func (e *Encoder) Depth() int { return max(Block, 1<<e.FeatureBits) }

// levelBits is the width in bits of a level, 0 to Steps.
func (e *Encoder) levelBits() int { return bits.Len(uint(e.Steps)) }

// Memory returns the memory of thresholds. It has a word for each feature, with the feature's first threshold in the
// lowest bits.
func (e *Encoder) Memory(thresholds [][]uint16) Memory {
	return Memory{
		File: e.File, Depth: e.Depth(), Width: Columns(e.Steps * e.WordBits), Thresholds: true,
		Word: func(feature int) *big.Int {
			word := new(big.Int)
			if feature < len(thresholds) {
				for j, t := range thresholds[feature] {
					word.Or(word, new(big.Int).Lsh(big.NewInt(int64(t)), uint(j*e.WordBits)))
				}
			}
			return word
		},
	}
}

// Verilog returns the lines that compare a word with its thresholds and declare the resulting
// level.
func (e *Encoder) Verilog() string {
	var b strings.Builder
	threshold := func(j int) string {
		return fmt.Sprintf("%d'd%d", e.WordBits, e.Uniform[j])
	}
	if e.Uniform == nil {
		depth, pad := e.Depth(), ""
		if zeros := bits.Len(uint(depth-1)) - e.FeatureBits; zeros > 0 {
			pad = fmt.Sprintf("%d'd0, ", zeros)
		}
		wide := Columns(e.Steps * e.WordBits)
		fmt.Fprintf(&b, "  (* ram_style = \"block\" *)\n  reg [%d:0] thresholds[0:%d];\n  initial $readmemh(\"%s\", "+
			"thresholds);\n",
			wide-1, depth-1, e.File)
		fmt.Fprintf(&b, "  (* keep *) reg [%d:0] bounds;  // of the feature whose word it is\n  always @(posedge clk) "+
			"bounds <= thresholds[{%sat}];\n", wide-1, pad)
		b.WriteString(Spare("bounds", e.Steps*e.WordBits))
		threshold = func(j int) string { return fmt.Sprintf("bounds[%d:%d]", (j+1)*e.WordBits-1, j*e.WordBits) }
	}
	fmt.Fprintf(&b, "  reg [%d:0] above;  // which thresholds the word exceeds\n  always @(posedge clk) begin\n",
		e.Steps-1)
	for j := range e.Steps {
		exceeds := "word > " + threshold(j)
		if e.Uniform != nil && int(e.Uniform[j]) >= 1<<e.WordBits-1 {
			exceeds = "1'b0"
		}
		fmt.Fprintf(&b, "    above[%d] <= %s;\n", j, exceeds)
	}
	var sum []string
	for j := range e.Steps {
		bit := fmt.Sprintf("above[%d]", j)
		if zeros := e.levelBits() - 1; zeros > 0 {
			bit = fmt.Sprintf("{%d'd0, %s}", zeros, bit)
		}
		sum = append(sum, bit)
	}
	fmt.Fprintf(&b, "    level <= %s;\n  end\n", strings.Join(sum, " + "))
	return b.String()
}
