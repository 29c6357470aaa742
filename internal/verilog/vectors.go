package verilog

import (
	"fmt"
	"io"

	"ialgn/netlist"
)

// Vectors are samples of all ports of a netlist as bit rows, one row a port bit, ports
// in the netlist's order: row r of a slice is s[r*Words : (r+1)*Words], and bit i of
// its word w is sample 64 w + i.
type Vectors struct {
	Samples int
	Words   int // words in a row: at least Samples / 64, rounded up
	Inputs  []uint64
	Outputs []uint64 // the values that the netlist should give
	Probes  []uint64 // likewise
}

// fieldBits is the width from which on a port is several numbers of a vector: tools
// limit the numbers that they read.
const fieldBits = 1024

// WriteVectors writes the samples of v as the testbench of n reads them: a line a
// sample with one hexadecimal number for each input port, output port and probe, in
// this order; a port of more than 1024 bits is several numbers, of 1024 bits each but
// for the first, most significant first. The file has no header, so several calls
// write one file.
//
// It returns an error if v does not have the shape of n, before it writes anything, or
// else the error of w.
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

// appendSample appends sample s of the given ports, a space after each number.
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
