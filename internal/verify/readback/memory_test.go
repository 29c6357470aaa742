package readback

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Memory is a memory of a machine.
type Memory struct {
	Width, Size int
	Words       []string // initial words in binary; empty: the contents are unknown
}

// memoryCell is the cell type that memories get, so that yosys does not map them.
const memoryCell = "memory_cell"

// memoryPart holds the parameters that yosys gives for a memory, apart from its pins.
type memoryPart map[string]string

// memoryPins are the pins of a memory that determine its behaviour in a clock.
var memoryPins = []string{"RD_ADDR", "RD_DATA", "RD_EN", "WR_ADDR", "WR_DATA", "WR_EN"}

// memory cuts open a memory. The memory must be one that is read without a clock and written with the clock.
func (r *machineReader) memory(p part, says memoryPart) error {
	name := strings.TrimPrefix(strings.ReplaceAll(strings.Trim(says["MEMID"], `"`), `\\`, `\`), `\`)
	if says.number("RD_PORTS") != 1 || says.number("OFFSET") != 0 || strings.Contains(says["RD_CLK_ENABLE"], "1") {
		return mismatch("the memory %s has not one port to read from 0 on", name)
	}
	writes := says.number("WR_PORTS")
	if writes > 1 || writes == 1 && (says["WR_CLK_ENABLE"] != "1" || says["WR_CLK_POLARITY"] != "1") {
		return mismatch("the memory %s is not written at a rising edge", name)
	}
	for i, port := range p.ports {
		s := signal(port)
		if s.Name == "WR_CLK" && writes == 1 {
			r.clocks = append(r.clocks, wanted{Signal{name, 0}, p.in[i]})
		}
		if !slices.Contains(memoryPins, s.Name) || strings.HasPrefix(s.Name, "WR_") && writes == 0 {
			continue
		}
		s.Name = name + "." + s.Name
		if err := r.pin(s, p.in[i]); err != nil {
			return err
		}
	}
	r.m.Memories[name] = Memory{Width: says.number("WIDTH"), Size: says.number("SIZE"), Words: says.words()}
	return nil
}

func (p memoryPart) number(key string) int {
	n, err := strconv.ParseUint(p[key], 2, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// words returns the memory's initial words, word 0 first.
func (p memoryPart) words() (words []string) {
	text, width := p["INIT"], p.number("WIDTH")
	if strings.ContainsAny(text, "xz") || width < 1 {
		return nil
	}
	for ; len(text) >= width; text = text[:len(text)-width] {
		words = append(words, text[len(text)-width:])
	}
	return words
}

// takeMemories removes the parameters of memories from a BLIF file, so that only the parameters of sums are left. It
// returns the removed parameters in the order of the memories.
func takeMemories(text []byte) (plain []byte, memories []memoryPart, err error) {
	inside := false
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(make([]byte, 1<<20), maxBLIFLine)
	for s.Scan() {
		line := s.Text()
		key, value, _ := strings.Cut(strings.TrimPrefix(line, ".param "), " ")
		if param := strings.HasPrefix(line, ".param "); param && inside {
			memories[len(memories)-1][key] = value
			continue
		}
		if inside = strings.HasPrefix(line, ".subckt "+memoryCell+" "); inside {
			memories = append(memories, memoryPart{})
		}
		plain = append(append(plain, line...), '\n')
	}
	return plain, memories, s.Err()
}

// written returns the value of a signal. The address and data for writing a memory do not matter while nothing is
// written, so written returns 0 for them.
func (g *graph) written(s Signal, at map[Signal]literal) literal {
	memory, pin, _ := strings.Cut(s.Name, ".WR_")
	enable := Signal{memory + ".WR_EN", s.Bit}
	switch pin {
	case "DATA":
		return g.and(at[s], at[enable])
	case "ADDR":
		any := literal(0)
		for enable.Bit = 0; ; enable.Bit++ {
			l, ok := at[enable]
			if !ok {
				return g.and(at[s], any)
			}
			any = g.or(any, l)
		}
	}
	return at[s]
}
