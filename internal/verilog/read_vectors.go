package verilog

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"ialgn/netlist"
)

// ReadVectors reads the format of [WriteVectors] for n. Each line must have exactly as many hexadecimal digits as the
// ports need, in lower case. Errors name the line.
func ReadVectors(r io.Reader, n *netlist.Netlist) (Vectors, error) {
	groups := portGroups(n)
	var rows [3][][]byte // for each group, the bits of each sample
	samples := 0
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineOf(groups)+64)
	for ; lines.Scan(); samples++ {
		rest := lines.Bytes()
		for i, g := range groups {
			bits, after, err := readSample(rest, g.ports)
			if err != nil {
				return Vectors{}, fmt.Errorf("line %d: %w", samples+1, err)
			}
			rows[i], rest = append(rows[i], bits), after
		}
		if len(rest) > 0 || bytes.HasSuffix(lines.Bytes(), []byte(" ")) {
			return Vectors{}, fmt.Errorf("line %d: it is too long", samples+1)
		}
	}
	if lines.Err() != nil {
		return Vectors{}, fmt.Errorf("line %d: it is too long, or cannot be read (%w)", samples+1, lines.Err())
	}
	v := Vectors{Samples: samples, Words: (samples + 63) / 64}
	v.Inputs, v.Outputs, v.Probes = transpose(rows[inputs], v.Words), transpose(rows[outputs], v.Words),
		transpose(rows[probes], v.Words)
	return v, nil
}

// lineOf returns the maximum length of a line.
func lineOf(groups [3]portGroup) (n int) {
	for _, g := range groups {
		for _, p := range g.ports {
			n += len(p.Nets)/4 + len(p.Nets)/fieldBits + 3
		}
	}
	return n
}

// readSample reads the bits of the given ports. It also returns the rest of the line, after the ports and the space
// that follows them.
func readSample(line []byte, ports []netlist.Port) (bits, rest []byte, err error) {
	for _, p := range ports {
		width := len(p.Nets)
		first := len(bits)
		bits = append(bits, make([]byte, width)...)
		for digit := (width - 1) / 4; digit >= 0; digit-- {
			if len(line) == 0 {
				return nil, nil, fmt.Errorf("it ends within %s", p.Name)
			}
			value := slices.Index([]byte("0123456789abcdef"), line[0])
			if value < 0 || 4*digit+4 > width && value>>(width-4*digit) != 0 {
				return nil, nil, fmt.Errorf("%q is no digit of %s there", line[0], p.Name)
			}
			for k := 4 * digit; k < min(4*digit+4, width); k++ {
				bits[first+k] = byte(value >> (k - 4*digit) & 1)
			}
			if line = line[1:]; 4*digit%fieldBits == 0 && len(line) > 0 {
				if line[0] != ' ' {
					return nil, nil, fmt.Errorf("no space behind a number of %s", p.Name)
				}
				line = line[1:]
			}
		}
	}
	return bits, line, nil
}

// transpose turns the bits of samples into bit rows.
func transpose(samples [][]byte, words int) []uint64 {
	if len(samples) == 0 {
		return nil
	}
	rows := make([]uint64, len(samples[0])*words)
	for s, bits := range samples {
		for r, bit := range bits {
			rows[r*words+s/64] |= uint64(bit) << (s % 64)
		}
	}
	return rows
}
