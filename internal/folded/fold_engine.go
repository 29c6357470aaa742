package folded

import (
	"fmt"
	"io"
	"math/bits"
	"strings"

	"ialgn/internal/ties"
	"ialgn/netlist"
)

// WriteVerilog writes the module of the engine, with the ports and the protocol of [Engine]. A packet is a sample,
// with one word for each feature. The device holds two samples: one is loaded while the other runs. The number of
// clocks from one sample to the next is Depth, or the number of features if that number is larger.
//
// The memories are initialised from the files of [Chains.Memories].
func (s *Shape) WriteVerilog(w io.Writer, header []string) error {
	var lanes strings.Builder
	for l := range s.Lanes {
		lanes.WriteString(s.lane(l))
	}
	order, numbered := "", "number"
	if s.Ties != nil {
		order = "  localparam [@LASTORDER@:0] CLASSES = @TIES@;  // in the order of the program\n"
		numbered = "CLASSES[number*@IBITS@+:@IBITS@]"
	}
	address := s.LevelBits() + s.FeatureBits()
	pc := bits.Len(uint(s.Depth - 1))
	index := netlist.ClassBits(s.Classes)
	_, err := io.WriteString(w, s.head(header)+s.Fill(chainsTemplate, "      at <= @FBITS@'d0;\n",
		"ENCODER", s.encoder().Verilog(), "LANES", lanes.String(), "SELECT", s.selects(), "ENDED", s.ended(),
		"FEATURE", s.FeatureBits()-1, "PLACE", s.FeatureBits(), "PLACES", 2<<s.FeatureBits()-1, "FBITS", s.FeatureBits(),
		"LASTWORD", s.Features()-1, "LEVEL", s.LevelBits()-1, "LBITS", s.LevelBits(), "PC", pc-1, "PCBITS", pc,
		"LASTSTEP", s.Depth-1, "STEP", s.stepBits()-1, "SBITS", s.stepBits(), "ADDRESS", address-1, "OPLOW", address,
		"END", address+3, "COUNT", s.Count-1, "CBITS", s.Count, "IBITS", index,
		"TIES", ties.Verilog(s.Ties, index), "LASTORDER", s.Classes*index-1,
		"LASTCLASS", s.Classes-1, "ORDER", order, "NUMBERED", numbered))
	return err
}

// head returns the comment at the top.
func (s *Shape) head(header []string) string {
	return s.Head(fmt.Sprintf("classifier as a program of steps, %d in a clock", s.Lanes), header, fmt.Sprintf(
		"%d features of %d bits with %d thresholds each, %d classes, %d words of %d bits a lane",
		s.Features(), s.WordBits, s.PerFeature(), s.Classes, s.Depth, s.stepBits())) + fmt.Sprintf(`//
// A sample is a packet of a word for each feature, the first one first, a word in a clock in
// which in_valid and in_ready are both 1; in_last is 1 with the last. A packet of another length
// is dropped and error is 1 until a reset. The class stays on class_index, with out_valid, until
// a clock in which out_ready is 1. rst is synchronous and active high.
//
// The network is in the files that $readmemh reads; what is here is the same for every network
// of this shape. A word of the program, from its lowest bit on:
//   - %2d bits j, of a thermometer bit: the feature exceeds more than j thresholds
//   - %2d bits feature
//   -  2 bits operation on v, of the chain so far: 0 load, 1 and, 2 or, 3 xor
//   -  1 bit  the thermometer bit is inverted; with xor: the class is complete, and the bits below
//             the operation are how many of its chains are always 1
//   -  1 bit  the chain ends: v is added to the count of its class

`, s.LevelBits(), s.FeatureBits())
}

// encoder returns the encoder that compares a word with its thresholds.
func (s *Shape) encoder() *Encoder { return s.Encoder(s.FeatureBits()) }

// selects returns the registers that hold the number of the bank from which a step comes.
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

// lane returns the memories of a lane and the logic that runs its steps.
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
`, i, bank.depth-1, s.programFile(l, i), low-1, Columns(s.stepBits())-1)
		memories.WriteString(Spare(fmt.Sprintf("read_@L@_%d", i), s.stepBits()))
		if i > 0 {
			word.WriteString("\n        | ")
		}
		if len(banks) == 1 {
			fmt.Fprintf(&word, "read_@L@_%d[@STEP@:0]", i)
		} else {
			fmt.Fprintf(&word, "{@SBITS@{bank[%d]}} & read_@L@_%[1]d[@STEP@:0]", i)
		}
	}
	text := lane
	if l == 0 {
		text += closing0
	}
	return Fill(text, "MEMORIES", memories.String(), "READ", word.String(), "L", l)
}

// ended returns a Verilog expression for the number of chains that end with a 1 in this clock.
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
