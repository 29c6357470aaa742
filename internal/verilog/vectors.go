package verilog

import (
	"fmt"
	"io"

	"ialgn/netlist"
)

// Vectors holds samples of all ports of a netlist as bit rows. There is one row for each bit of each port. The ports
// are in the netlist's order. Row r of a slice s is s[r*Words : (r+1)*Words], and bit i of word w in a row is sample
// 64 w + i.
type Vectors struct {
	Samples int
	Words   int // words in a row, at least Samples / 64 rounded up
	Inputs  []uint64
	Outputs []uint64 // the expected values
	Probes  []uint64 // the expected values
}

// fieldBits is the maximum width of a number in a vector. Tools limit the width of numbers that they read, so a
// wider port is split into several numbers.
const fieldBits = 1024

// WriteVectors writes the samples of v in the format that the testbench of n reads. There is one line for each
// sample. A line has one hexadecimal number for each input port, output port and probe, in this order. A port of more
// than 1024 bits is split into several numbers, the most significant first. All of these numbers except the first
// have 1024 bits. The format has no header, so several calls can write parts of one file.
//
// WriteVectors returns an error before it writes anything if v does not fit the ports of n. Later errors come from
// w.
func WriteVectors(w io.Writer, n *netlist.Netlist, v Vectors) error {
	rows := [3][]uint64{v.Inputs, v.Outputs, v.Probes}
	if v.Samples < 0 || v.Words < (v.Samples+63)/64 {
		return fmt.Errorf("verilog: vectors: %d words a row do not hold %d samples, use a word for each 64", v.Words,
			v.Samples)
	}
	groups := portGroups(n)
	for i, g := range groups {
		width := 0
		for _, p := range g.ports {
			width += len(p.Nets)
		}
		if len(rows[i]) != width*v.Words {
			return fmt.Errorf("verilog: vectors: %d words for the %ss of %s, which have %d bits of %d words",
				len(rows[i]), g.what, n.Name, width, v.Words)
		}
	}
	p := newPrinter(w)
	for s := range v.Samples {
		line := p.start("")
		for i, g := range groups {
			line = appendSample(line, g.ports, rows[i], v.Words, s)
		}
		line[len(line)-1] = '\n'
		p.buf = line
		p.write(line)
	}
	return p.flush()
}

// appendSample appends sample s of the given ports, with a space after each number.
func appendSample(line []byte, ports []netlist.Port, rows []uint64, words, s int) []byte {
	bit := func(r int) uint64 { return rows[r*words+s/64] >> (s % 64) & 1 }
	first := 0
	for _, p := range ports {
		width := len(p.Nets)
		for digit := (width - 1) / 4; digit >= 0; digit-- {
			value := uint64(0)
			for k := 4 * digit; k < min(4*digit+4, width); k++ {
				value |= bit(first+k) << (k - 4*digit)
			}
			line = append(line, "0123456789abcdef"[value])
			if 4*digit%fieldBits == 0 {
				line = append(line, ' ')
			}
		}
		first += width
	}
	return line
}
