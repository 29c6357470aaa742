package fold

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"ialgn/backend/levels"
	"ialgn/backend/ports"
	"ialgn/netlist"
)

// WriteVerilog writes the module of the engine, with the ports and the protocol of package ports: a packet is a sample,
// of a word for each feature. Two samples are on the device, one that is loaded while the other one runs. Samples
// follow each other every Depth clocks, or a clock for each feature if that is more.
//
// Its memories are read from the files of [Engine.Memories].
func (s *Shape) WriteVerilog(w io.Writer) error {
	var lanes strings.Builder
	for l := range s.Lanes {
		lanes.WriteString(s.lane(l))
	}
	outside := ports.Ports{Module: s.Module, WordBits: s.WordBits, Classes: s.Classes, Drop: s.Drop}
	parts := append(outside.Replacements("      at <= @FBITS@'d0;\n"),
		"@ENCODER@", s.encoder().Verilog(), "@LANES@", lanes.String(), "@SELECT@", s.selects(), "@ENDED@", s.ended())
	_, err := io.WriteString(w, s.head()+s.values(strings.NewReplacer(parts...).Replace(engine)))
	return err
}

// head returns the comment at the top.
func (s *Shape) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Module %s: a classifier as a program of steps, %d in a clock\n//\n", s.Module, s.Lanes)
	for _, line := range s.Header {
		fmt.Fprintf(&b, "// - %s\n", line)
	}
	fmt.Fprintf(&b, "// - %d features of %d bits with %d thresholds each, %d classes, %d words of %d bits a lane\n",
		s.Features, s.WordBits, s.Steps, s.Classes, s.Depth, s.stepBits())
	b.WriteString(`//
// A sample is a packet of a word for each feature, the first one first, a word in a clock in
// which in_valid and in_ready are both 1; in_last is 1 with the last. A packet of another length
// is dropped and error is 1 until a reset. The class stays on class_index, with out_valid, until
// a clock in which out_ready is 1. rst is synchronous and active high.
//
// The network is in the files that $readmemh reads; what is here is the same for every network
// of this shape. A word of the program, from its lowest bit on:
`)
	fmt.Fprintf(&b, "//   - %2d bits j, of a thermometer bit: the feature exceeds more than j thresholds\n", s.levelBits())
	fmt.Fprintf(&b, "//   - %2d bits feature\n", s.featureBits())
	b.WriteString(`//   -  2 bits operation on v, of the chain so far: 0 load, 1 and, 2 or, 3 xor
//   -  1 bit  the thermometer bit is inverted; with xor: the class is complete, and the bits below
//             the operation are how many of its chains are always 1
//   -  1 bit  the chain ends: v is added to the count of its class

`)
	return b.String()
}

// values fills numbers in.
func (s *Shape) values(text string) string {
	address := s.levelBits() + s.featureBits()
	pc := bits.Len(uint(s.Depth - 1))
	index := netlist.ClassBits(s.Classes)
	return strings.NewReplacer(
		"@WORD@", fmt.Sprint(s.WordBits-1), "@INDEX@", fmt.Sprint(index-1),
		"@FEATURE@", fmt.Sprint(s.featureBits()-1), "@PLACE@", fmt.Sprint(s.featureBits()), "@PLACES@",
		fmt.Sprint(2<<s.featureBits()-1),
		"@FBITS@", fmt.Sprint(s.featureBits()), "@LASTWORD@", fmt.Sprint(s.Features-1),
		"@LEVEL@", fmt.Sprint(s.levelBits()-1), "@LBITS@", fmt.Sprint(s.levelBits()),
		"@PC@", fmt.Sprint(pc-1), "@PCBITS@", fmt.Sprint(pc), "@LASTSTEP@", fmt.Sprint(s.Depth-1),
		"@STEP@", fmt.Sprint(s.stepBits()-1), "@SBITS@", fmt.Sprint(s.stepBits()),
		"@ADDRESS@", fmt.Sprint(address-1), "@OPLOW@", fmt.Sprint(address), "@END@", fmt.Sprint(address+3),
		"@COUNT@", fmt.Sprint(s.Count-1), "@CBITS@", fmt.Sprint(s.Count),
		"@IBITS@", fmt.Sprint(index), "@LASTCLASS@", fmt.Sprint(s.Classes-1),
	).Replace(text)
}

// encoder returns what compares a word with its thresholds.
func (s *Shape) encoder() *levels.Encoder {
	return &levels.Encoder{
		WordBits: s.WordBits, Steps: s.Steps, Uniform: s.Uniform, FeatureBits: s.featureBits(), File: s.thresholdFile(),
	}
}

// selects returns the registers that say which bank a step comes from.
func (s *Shape) selects() string {
	banks, pc := s.banks(), bits.Len(uint(s.Depth-1))
	if len(banks) == 1 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  reg [%d:0] bank;  // which memory the step comes from\n  always @(posedge clk) begin\n",
		len(banks)-1)
	for i, bank := range banks {
		low := bits.Len(uint(bank.depth - 1))
		fmt.Fprintf(&b, "    bank[%d] <= pc[%d:%d] == %d'd%d;\n", i, pc-1, low, pc-low, bank.base>>low)
	}
	return b.String() + "  end\n\n"
}

// lane returns the memories of a lane, and what they lead to.
func (s *Shape) lane(l int) string {
	var memories, word strings.Builder
	banks := s.banks()
	for i, bank := range banks {
		low := bits.Len(uint(bank.depth - 1))
		fmt.Fprintf(&memories, `  (* ram_style = "block" *)
  reg [%[5]d:0] program_@L@_%[1]d[0:%[2]d];
  initial $readmemh("%[3]s", program_@L@_%[1]d);
  (* keep *) reg [%[5]d:0] read_@L@_%[1]d;
  always @(posedge clk) read_@L@_%[1]d <= program_@L@_%[1]d[pc[%[4]d:0]];
`, i, bank.depth-1, s.programFile(l, i), low-1, levels.Columns(s.stepBits())-1)
		memories.WriteString(levels.Spare(fmt.Sprintf("read_@L@_%d", i), s.stepBits()))
		if i > 0 {
			word.WriteString("\n        | ")
		}
		if len(banks) == 1 {
			fmt.Fprintf(&word, "read_@L@_%d[@STEP@:0]", i)
		} else {
			fmt.Fprintf(&word, "{@SBITS@{bank[%d]}} & read_@L@_%[1]d[@STEP@:0]", i)
		}
	}
	text := strings.NewReplacer("@MEMORIES@", memories.String(), "@READ@", word.String()).Replace(lane)
	if l == 0 {
		text += closing0
	}
	return strings.ReplaceAll(text, "@L@", fmt.Sprint(l))
}

// ended returns the number of chains that end with a 1.
func (s *Shape) ended() string {
	var sum []string
	for l := range s.Lanes {
		bit := fmt.Sprintf("add_%d", l)
		if zeros := s.Count - 1; zeros > 0 {
			bit = fmt.Sprintf("{%d'd0, %s}", zeros, bit)
		}
		sum = append(sum, bit)
	}
	return strings.Join(sum, " + ")
}
