package wrapper

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ialgn/internal/message"
	"ialgn/netlist"
)

// laneOf returns the number of bits from one word to the next in the byte layout. Words of one bit are packed. Other
// words take whole bytes.
func laneOf(word int) int {
	if word <= 1 {
		return 1
	}
	return (word + 7) / 8 * 8
}

// bytesOf returns the number of bytes of the given number of words.
func bytesOf(word, words int) int { return (laneOf(word)*words + 7) / 8 }

// Bytes returns the values of ports in the byte layout of the package comment. The function bit returns the value of
// bit i, 0 or 1. The bits are numbered through all ports.
func Bytes(ports []netlist.Port, bit func(i int) uint64) []byte {
	first, size := layOut(ports)
	bytes, before := make([]byte, size), 0
	for k, p := range ports {
		word := max(p.Word, 1)
		for i := range p.Nets {
			at := first[k] + i/word*laneOf(word) + i%word
			bytes[at/8] |= byte(bit(before+i)&1) << (at % 8)
		}
		before += len(p.Nets)
	}
	return bytes
}

// layOut returns the number of the first bit of each port in the byte layout of the package comment, and the number
// of bytes of all ports. Bit b is bit b % 8 of byte b / 8.
func layOut(ports []netlist.Port) (first []int, bytes int) {
	for i, p := range ports {
		at := 8 * bytes
		if aboveClass(ports, i) {
			at = first[i-1] + len(ports[i-1].Nets)
		}
		word := max(p.Word, 1)
		first = append(first, at)
		bytes = max(bytes, (at+laneOf(word)*(len(p.Nets)/word)+7)/8)
	}
	return first, bytes
}

// aboveClass reports whether port i is the bit that says whether the class is uncertain. This bit is directly above the
// bits of the class.
func aboveClass(ports []netlist.Port, i int) bool {
	return i > 0 && ports[i].Name == uncertainPort && len(ports[i].Nets) == 1 && ports[i-1].Name == classPort
}

// asBytes returns the design for samples whose words are bytes. Unused bits between the words are not stored.
func (d *design) asBytes() *design {
	b := *d
	if d.levels != nil { // each feature word takes one byte
		b.in = 8
		return &b
	}
	b.in, b.lane, b.word, b.words = 8, laneOf(d.word), 8, bytesOf(d.word, d.words)
	b.kept = make([]bool, 8*b.words)
	for i, read := range d.kept {
		b.kept[i/d.word*b.lane+i%d.word] = read
	}
	return &b
}

// features returns the declaration of the core's input, whose bits are selected from the bytes of a sample.
func (d *design) features() string {
	return strings.NewReplacer(
		"@HIGH@", fmt.Sprint(len(d.input.Nets)-1), "@WORDS@", fmt.Sprint(len(d.input.Nets)/d.input.Word),
		"@WORD@", fmt.Sprint(d.input.Word), "@LANE@", fmt.Sprint(d.lane),
	).Replace(`  // the words of the sample; the bits between them are not kept
  wire [@HIGH@:0] features;
  wire unused_sample = &{1'b0, sample};
  genvar group, word;
  generate
    for (group = 0; group < @WORDS@; group = group + 64) begin : groups
      for (word = group; word < @WORDS@ && word < group + 64; word = word + 1) begin : words
        assign features[word*@WORD@+:@WORD@] = sample[word*@LANE@+:@WORD@];
      end
    end
  endgenerate

`)
}

// keeps returns a sentence for the header. The sentence says how many bits of a sample are stored.
func (d *design) keeps() string {
	what := "bits"
	if d.levels != nil {
		what = "levels"
	}
	return fmt.Sprintf("%d of its %d %s are kept, those that something reads.", d.keptBits(), len(d.input.Nets), what)
}

// resultBytes returns the number of bytes of a result.
func (d *design) resultBytes() int {
	_, bytes := layOut(d.n.OutputPorts())
	return bytes
}

// result returns the concatenation of the output ports as bytes, on lines with the given
// indentation. The last byte comes first, as in a Verilog concatenation.
func (d *design) result(indent string) string {
	var pieces []string // the lowest first
	end, outputs := 0, d.n.OutputPorts()
	first, bytes := layOut(outputs)
	padTo := func(at int) { // fills up to a bit with zeros
		if at > end {
			pieces[len(pieces)-1] = fmt.Sprintf("%d'd0, %s", at-end, pieces[len(pieces)-1])
		}
	}
	for i, p := range outputs {
		word := max(p.Word, 1)
		if word == 1 { // packed
			word = len(p.Nets)
		}
		for low := 0; low < len(p.Nets); low += word {
			at := first[i] + low/word*laneOf(word)
			padTo(at)
			pieces = append(pieces, fmt.Sprintf("%s[%d:%d]", p.Name, low+word-1, low))
			end = at + word
		}
	}
	padTo(8 * bytes)
	var b strings.Builder
	b.WriteString("{")
	for i := len(pieces) - 1; i >= 0; i-- {
		b.WriteString("\n" + indent + pieces[i])
		if i > 0 {
			b.WriteString(",")
		}
	}
	return b.String() + "\n" + strings.TrimSuffix(indent, "  ") + "}"
}

// indexBits returns the number of bits of an index below n. It is at least 1.
func indexBits(n int) int { return max(1, bits.Len(uint(n-1))) }

// resultPadded returns the bytes that the method result returns, followed by zero bytes. The number of bytes is a
// power of two, and at least two. Every index with [indexBits] bits is then in range.
func (d *design) resultPadded(indent string) string {
	spare := 8 * (1<<indexBits(d.resultBytes()) - d.resultBytes())
	if spare == 0 {
		return d.result(indent)
	}
	return fmt.Sprintf("{\n%s%d'd0, %s\n%s}", indent, spare, d.result(indent+"  "), strings.TrimSuffix(indent, "  "))
}

// serial returns the file of a wrapper that transfers one byte at a time. The wrapper's module contains the stream
// module, which has an input named drop if the argument drop is set. The argument values lists replacements in the
// argument text, in addition to the common replacements.
func (d *design) serial(header, text string, drop bool, values ...string) string {
	stream := d.module + "_stream"
	wires, connections := d.resultWires()
	values = append(values, "@MODULE@", d.module, "@STREAM@", stream,
		"@TO@", fmt.Sprint(indexBits(d.resultBytes())), "@LASTOUT@", fmt.Sprint(d.resultBytes()-1),
		"@WIRES@", wires, "@CONNECTIONS@", connections, "@RESULT@", d.resultPadded("    "))
	return d.file(header, module{d.module, "", strings.NewReplacer(values...).Replace(text)}, d.inner(stream, drop)...)
}

// resultWires returns wires for the output ports of the stream module, and the connections to them.
func (d *design) resultWires() (wires, connections string) {
	for _, p := range d.n.OutputPorts() {
		wires += fmt.Sprintf("  wire [%d:0] %s;\n", len(p.Nets)-1, p.Name)
		connections += fmt.Sprintf("      .%s(%s),\n", p.Name, p.Name)
	}
	return wires, connections
}

// byteOrder writes the header lines that describe the byte layout of samples and results.
func (d *design) byteOrder(b *strings.Builder) {
	word, lane, size := d.input.Word, d.lane, len(d.input.Nets)
	if d.levels != nil {
		word, lane, size = d.levels.Word, 8, d.levels.Word*d.words
	}
	fmt.Fprintf(b, "//\n// A sample has %s, for the port %s of %s:\n", message.Plural(d.words, "byte", "bytes"),
		d.input.Name,
		d.core)
	switch lane {
	case 1:
		fmt.Fprintf(b, "// bit i is bit i %% 8 of byte i / 8, for i below %d.\n", size)
	case 8:
		fmt.Fprintf(b, "// word i, of %d bits, is in the low bits of byte i.\n", word)
	default:
		fmt.Fprintf(b, "// word i, of %d bits, is in the bytes from %d * i, the low one first.\n", word, lane/8)
	}
	if 8*d.words > size {
		b.WriteString("// Bits above are ignored.\n")
	}
	keeps := d.keeps()
	if d.engine != nil {
		keeps = "They go to the engine " + d.engine.Module + ", in a file of its own."
	}
	fmt.Fprintf(b, "// %s\n", keeps)
	d.resultOrder(b)
}

// resultOrder writes the header lines that describe the byte layout of results.
func (d *design) resultOrder(b *strings.Builder) {
	outputs := d.n.OutputPorts()
	first, all := layOut(outputs)
	rest := "bits above a number"
	if slices.ContainsFunc(outputs, func(p netlist.Port) bool { return p.Name == uncertainPort }) {
		rest = "all other bits"
	}
	fmt.Fprintf(b, "//\n// A result has %s, in which %s are 0:\n", message.Plural(all, "byte", "bytes"), rest)
	for i, p := range outputs {
		at, word := first[i]/8, max(p.Word, 1)
		words := len(p.Nets) / word
		where := fmt.Sprintf("byte %d", at)
		if size := bytesOf(word, words); size > 1 {
			where = fmt.Sprintf("bytes %d to %d", at, at+size-1)
		}
		switch {
		case aboveClass(outputs, i):
			where = fmt.Sprintf("bit %d of byte %d", first[i]%8, at)
			fmt.Fprintf(b, "//   - %-16s %s, the bit above the class\n", where, p.Name)
		case words == 1:
			fmt.Fprintf(b, "//   - %-16s %s, %d bits\n", where, p.Name, word)
		case word == 1:
			fmt.Fprintf(b, "//   - %-16s %s, %d bits, eight to a byte, the first lowest\n", where, p.Name, words)
		default:
			fmt.Fprintf(b, "//   - %-16s %s, %d words of %d bits in %s each, the low one first\n", where, p.Name, words, word,
				message.Plural(laneOf(word)/8, "byte", "bytes"))
		}
	}
}
