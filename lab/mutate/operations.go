package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ialgn/internal/wrapper"
)

// score is the operations of a play in the making.
type score struct {
	d     *design
	r     *rand.Rand
	size  int // bits of a unit
	count int // units of a sample
	lines []string
}

// operations returns the operations for a form: samples, most of random words, among packets that are too short and too
// long, resets, and whatever else its protocol calls an error.
func (d *design) operations(r *rand.Rand, f form) []string {
	s := &score{d: d, r: r}
	s.size, s.count = d.units(f)
	switch d.wrap {
	case "uart":
		s.uart(f)
	case "spi":
		s.spi()
	default:
		s.stream()
	}
	return s.lines[:min(len(s.lines), mostOperations)]
}

// do adds an operation with bits, the highest first.
func (s *score) do(operation int, bits string) {
	s.lines = append(s.lines, fmt.Sprintf("%04b%s%s", operation, strings.Repeat("0", s.size-len(bits)), bits))
}

// sample returns the units of a sample; every third is one of the test set, and some are all 0 or all 1.
func (s *score) sample() []string {
	x := s.d.out.Netlist.DataInputs()[0]
	bits := make([]byte, len(x.Nets)) // the first one lowest
	for i := range bits {
		bits[i] = '0' + byte(s.r.IntN(2))
	}
	switch kind := s.r.IntN(12); {
	case kind < 4:
		v := s.d.encoder.of([][]uint16{s.d.encoder.values(s.r.IntN(s.d.encoder.set.Levels.Len()))})
		if rows, err := v.Rows(s.d.encoder.enc, x); err == nil {
			bits = []byte(bitsOf(rows, len(x.Nets), 1, 0))
			slices.Reverse(bits)
		}
	case kind < 6:
		for i := range bits {
			bits[i] = '0' + byte(kind-4)
		}
	}
	return s.cut(bits, x.Word)
}

// cut cuts the bits of words into units, with any bits where a unit has more.
func (s *score) cut(bits []byte, word int) (units []string) {
	if wrapper.Is(s.d.wrap, wrapper.TakesBytes) && word > 1 { // a word takes whole bytes
		var wide []byte
		for w := range slices.Chunk(bits, word) {
			wide = append(wide, w...)
			for len(wide)%8 > 0 {
				wide = append(wide, '0'+byte(s.r.IntN(2)))
			}
		}
		bits = wide
	}
	for len(bits)%s.size > 0 {
		bits = append(bits, '0'+byte(s.r.IntN(2)))
	}
	for u := range slices.Chunk(bits, s.size) {
		u = slices.Clone(u)
		slices.Reverse(u)
		units = append(units, string(u))
	}
	return units
}

// packet sends the first units of a sample, or more than it has.
func (s *score) packet(units int, last bool) {
	sample := s.sample()
	for i := range units {
		op := opBeat
		if last && i == units-1 {
			op = opLast
		}
		s.do(op, sample[i%len(sample)])
	}
}

// streamSamples, serialSamples and spiSamples are how many samples a play has.
const (
	streamSamples = 120
	serialSamples = 24
	spiSamples    = 40
)

func (s *score) stream() {
	s.do(opReset, "")
	samples := func(n int) {
		for range n {
			s.packet(s.count, true)
		}
		s.do(opDrain, "")
	}
	samples(streamSamples)
	for _, units := range []int{s.count - 1, 1, s.count + 1, 2*s.count + 1, 3} {
		if units == s.count || units < 1 {
			continue
		}
		s.packet(units, true)
		samples(3)
		s.do(opReset, "")
		samples(2)
	}
	s.packet(s.count-s.count/2-1, false)
	s.do(opReset, "")
	samples(4)
}

func (s *score) uart(f form) {
	idle := func() { s.do(opIdle, fmt.Sprintf("%08b", idleQuick+8)) }
	sample := func() {
		for _, u := range s.sample() {
			s.do(opByte, u)
		}
	}
	begin := func() {
		s.do(opReset, "")
		idle()
	}
	begin()
	sample()
	s.do(opDrain, "")
	if !f.quick { // each idle time takes 250,000 clocks
		sample()
		s.do(opDrain, "")
		return
	}
	for i := range serialSamples {
		s.do([]int{opSlow, opFast}[i%2], "")
		sample()
		if i%4 == 3 {
			s.do(opDrain, "")
		}
	}
	for _, wrong := range []func(){
		func() { s.do(opNoStop, "01010101") },
		func() { s.do(opByte, s.sample()[0]); idle() },
		func() { s.do(opByte, s.sample()[0]); s.do(opNoStop, "00000000"); sample() },
		func() { s.do(opByte, s.sample()[0]); s.do(opReset, "") },
	} {
		begin()
		sample()
		s.do(opDrain, "")
		wrong()
		s.do(opDrain, "")
		idle()
		sample()
		s.do(opDrain, "")
	}
}

func (s *score) spi() {
	frame := func(command string, units []string) {
		s.do(opFrame, "")
		s.do(opExchange, command)
		for _, u := range units {
			s.do(opExchange, u)
		}
		s.do(opEnd, "")
	}
	const read, write = "00000000", "00000001"
	answer := make([]string, 0, 8)
	for _, p := range s.d.out.Netlist.OutputPorts() {
		for range byteCount(p) {
			answer = append(answer, "10101010")
		}
	}
	good := func() {
		frame(write, s.sample())
		s.do(opReady, "")
		frame(read, append(slices.Clone(answer), "11111111"))
	}
	s.do(opRestart, "")
	frame(read, answer)
	good()
	for i := range spiSamples {
		frame(write, s.sample())
		if s.do(opReady, ""); i%3 == 0 {
			frame(read, answer)
		}
		s.do(opSettled, "")
	}
	frame(read, answer)
	for _, wrong := range []func(){
		func() { frame("00000101", s.sample()) },
		func() { frame(write, s.sample()[1:]) },
		func() { frame(write, append(s.sample(), "11001010")) },
		func() { frame(write, nil) },
		func() { s.do(opFrame, ""); s.do(opPart, write); s.do(opEnd, "") },
		func() { s.do(opFrame, ""); s.do(opExchange, write); s.do(opPart, "11111111"); s.do(opEnd, "") },
		func() {
			frame(write, s.sample())
			frame(write, s.sample())
			frame(write, s.sample())
			frame(write, s.sample())
		},
		func() {
			s.do(opFrame, "")
			s.do(opExchange, write)
			s.do(opRestart, "")
			s.do(opExchange, write)
			s.do(opEnd, "")
		},
	} {
		s.do(opRestart, "")
		good()
		wrong()
		s.do(opSettled, "")
		good()
		s.do(opSettled, "")
	}
}
