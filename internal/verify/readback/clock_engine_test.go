package readback

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"ialgn/netlist"
)

// Engine describes a folded engine that is to be proved.
type Engine struct {
	Module string
	File   string // path of the Verilog; the files of its memories are in the same folder

	Features, WordBits, Classes int
	CountBits                   int
	Drop                        bool
	Levels                      int      // number of thresholds of a feature
	Uniform                     []uint64 // thresholds of every feature; nil if they are in a memory
	Thresholds                  []string // words of the memory of thresholds, in binary

	// Programs holds the words of each lane's memories. The memory with the lowest steps comes first.
	Programs [][][]uint64

	Limit time.Duration
}

// Prove proves that one clock of the engine does what the header of the engine's file documents, for every program
// word and in every state. It also proves that the engine's memories begin with the given words.
func (e Engine) Prove(ctx context.Context) (*clockResult, error) {
	o := MachineOptions{Module: e.Module, Clock: "clk", Files: []string{e.File}, Limit: e.Limit}
	return proveClock(ctx, o, func(m *machine) {
		d := engine{Engine: e, m: m, reset: m.bit("rst")}
		d.reset0 = m.not(d.reset)
		d.loader()
		d.encoder()
		d.sequencer()
		d.chosen()
		var added []netlist.Net
		for l := range e.Programs {
			added = append(added, d.lane(l))
		}
		d.counter(added)
		d.answer()
		m.used[Signal{Name: "clk"}] = true
		m.memories = d.memories()
	})
}

// engine builds the description of one clock of an engine.
type engine struct {
	Engine
	m             *machine
	reset, reset0 netlist.Net // reset, and its complement
}

func (e engine) levelBits() int { return bits.Len(uint(e.Levels)) }

// placeBits returns the number of bits of a step's feature field. The field must be wide enough for the largest
// number of a feature. This field and the field for the level together must be wide enough for a count of chains.
func (e engine) placeBits() int {
	return max(1, bits.Len(uint(e.Features-1)), e.CountBits-e.levelBits())
}

func (e engine) stepBits() int { return e.levelBits() + e.placeBits() + 4 }

func (e engine) steps() (n int) {
	for _, bank := range e.Programs[0] {
		n += len(bank)
	}
	return n
}

func (e engine) counterBits() int { return bits.Len(uint(e.steps() - 1)) }
func (e engine) classBits() int   { return max(1, bits.Len(uint(e.Classes-1))) }

// digits returns the given number of bits, rounded up to whole hexadecimal digits.
func digits(width int) int { return (width + 3) / 4 * 4 }

// flag describes a one-bit register that a reset clears.
func (e engine) flag(name string, next netlist.Net) { e.m.next(name, e.m.and(e.reset0, next)) }

// loader describes how a packet is loaded into one of two buffers.
func (e engine) loader() {
	m, at, loading, full := e.m, e.m.in("at", e.placeBits()), e.m.bit("loading"), e.m.in("full", 2)
	skip, failed := m.bit("skip"), m.bit("failed")
	ready := m.not(m.choose(loading, full[1], full[0]))
	m.out("in_ready", ready)
	m.out("error", failed)
	take, last, whole := m.and(m.bit("in_valid"), ready), m.bit("in_last"), m.equal(at, uint64(e.Features-1))
	drop, zero := netlist.False, constant(0, len(at))
	if e.Drop {
		drop = m.bit("drop")
	}
	done := m.and(take, last, whole, m.not(skip))

	m.cleared("at", e.reset, at, when{m.or(drop, m.and(take, last)), zero}, when{take, m.increment(at)})
	e.flag("skip", m.and(m.not(drop), m.choose(take, m.and(m.not(last), m.or(skip, whole)), skip)))
	e.flag("failed", m.or(failed, drop, m.and(take, m.xor(last, whole), m.not(skip))))
	e.flag("loading", m.xor(loading, done))
	released, frees := m.bit("released"), m.bit("release_it")
	var next word
	for i, other := range []netlist.Net{m.not(loading), loading} {
		this := []netlist.Net{m.not(released), released}[i]
		next = append(next, m.and(e.reset0, m.or(m.and(done, other), m.and(full[i], m.not(m.and(frees, this))))))
	}
	m.next("full", next...)

	place := append(append(word{}, at...), loading)
	m.next("place", place...)
	m.next("place_above", m.in("place", len(place))...)
	m.next("place_level", m.in("place_above", len(place))...)
	m.next("write", take)
	m.next("write_above", m.bit("write"))
	m.next("write_level", m.bit("write_above"))
}

// encoder describes how a word becomes its level in two clocks. The level is the number of thresholds that the word
// exceeds.
func (e engine) encoder() {
	m, value := e.m, e.m.in("word", e.WordBits)
	m.next("word", m.in("in_data", e.WordBits)...)
	if e.Uniform == nil {
		wide := digits(e.Levels * e.WordBits)
		m.next("bounds", m.in("thresholds.RD_DATA", wide)...)
		at := append(append(word{}, m.in("at", e.placeBits())...), constant(0, e.thresholdBits()-e.placeBits())...)
		e.read("thresholds", at)
	}
	var above word
	level, seen := constant(0, e.levelBits()), m.in("above", e.Levels)
	for j := range e.Levels {
		above = append(above, e.exceeds(value, j))
		level = m.add(level, constant(0, len(level)), seen[j])
	}
	m.next("above", above...)
	m.next("level", level...)
}

// thresholdBits returns the number of address bits of the memory of thresholds. The memory is at least as large as a
// block RAM.
func (e engine) thresholdBits() int { return max(8, e.placeBits()) }

// exceeds reports whether a word exceeds threshold j of its feature.
func (e engine) exceeds(value word, j int) netlist.Net {
	switch {
	case e.Uniform == nil:
		bounds := e.m.in("bounds", digits(e.Levels*e.WordBits))
		return e.m.above(value, bounds[j*e.WordBits:(j+1)*e.WordBits])
	case e.Uniform[j]>>e.WordBits > 0:
		return netlist.False
	}
	return e.m.above(value, constant(e.Uniform[j], e.WordBits))
}

// read describes the pins through which a memory is read.
func (e engine) read(memory string, address word) {
	e.m.out(memory+".RD_ADDR", address...)
	e.m.out(memory+".RD_EN", netlist.True)
}

// sequencer describes the counter of steps. The counter runs for each complete sample, as long as fewer than two
// results wait.
func (e engine) sequencer() {
	m, pc, running, next := e.m, e.m.in("pc", e.counterBits()), e.m.bit("running"), e.m.bit("next")
	full, results := m.in("full", 2), m.in("results", 2)
	last := m.equal(pc, uint64(e.steps()-1))
	goes := m.and(running, m.not(last))
	start := m.and(m.choose(next, full[1], full[0]), m.not(results[1]), m.or(m.not(running), last))
	taken := m.and(m.bit("out_valid"), m.bit("out_ready"))

	m.cleared("pc", e.reset, constant(0, len(pc)), when{goes, m.increment(pc)})
	e.flag("running", m.or(start, goes))
	e.flag("next", m.xor(next, start))
	m.cleared("results", e.reset, results, when{m.and(start, m.not(taken)), m.increment(results)},
		when{m.and(taken, m.not(start)), m.decrement(results)})
	m.next("current", m.choose(start, next, m.bit("current")))

	e.flag("valid_read", running)
	e.flag("valid_step", m.bit("valid_read"))
	e.flag("valid_bit", m.bit("valid_step"))
	e.flag("last_read", m.and(running, last))
	e.flag("release_it", m.bit("last_read"))
	m.next("buffer_read", m.bit("current"))
	m.next("buffer_step", m.bit("buffer_read"))
	m.next("released", m.bit("buffer_read"))
}

// chosen describes the registers that select which of a lane's memories supplies the step.
func (e engine) chosen() {
	banks, base := e.Programs[0], 0
	if len(banks) == 1 {
		return
	}
	pc := e.m.in("pc", e.counterBits())
	var next word
	for _, bank := range banks {
		low := bits.Len(uint(len(bank) - 1))
		next = append(next, e.m.equal(pc[low:], uint64(base>>low)))
		base += len(bank)
	}
	e.m.next("bank", next...)
}

// fetched describes the memories of a lane, and returns the step that was read.
func (e engine) fetched(lane int) word {
	m, fetched := e.m, constant(0, e.stepBits())
	for b, bank := range e.Programs[lane] {
		memory, held := fmt.Sprintf("program_%d_%d", lane, b), fmt.Sprintf("read_%d_%d", lane, b)
		e.read(memory, m.in("pc", e.counterBits())[:bits.Len(uint(len(bank)-1))])
		m.next(held, m.in(memory+".RD_DATA", digits(e.stepBits()))...)
		is := netlist.True
		if len(e.Programs[lane]) > 1 {
			is = m.in("bank", len(e.Programs[lane]))[b]
		}
		for i, v := range m.in(held, digits(e.stepBits()))[:e.stepBits()] {
			fetched[i] = m.or(fetched[i], m.and(is, v))
		}
	}
	return fetched
}

// lane describes a lane. A lane fetches a step, reads the level of the step's feature, compares the level and applies
// the result to the chain. The result of the function lane is 1 if a chain has ended with a 1.
func (e engine) lane(l int) netlist.Net {
	m, of := e.m, func(name string) string { return fmt.Sprintf("%s_%d", name, l) }
	size, low := e.levelBits(), e.levelBits()+e.placeBits()
	step := m.in(of("step"), e.stepBits())
	m.next(of("step"), e.fetched(l)...)

	e.read(of("image"), append(append(word{}, step[size:low]...), m.bit("buffer_step")))
	writes := m.bit("write_level")
	written := func(w word) word { return m.mux(writes, w, constant(0, len(w))) }
	m.out(of("image")+".WR_ADDR", written(m.in("place_level", e.placeBits()+1))...)
	m.out(of("image")+".WR_DATA", written(m.in("level", size))...)
	m.out(of("image")+".WR_EN", slices.Repeat(word{writes}, size)...)
	m.next(of("level"), m.in(of("image")+".RD_DATA", size)...)

	do, x, v := m.in(of("do"), 4), m.bit(of("x")), m.bit(of("v")) // bits: operation (2), inverted, ends
	m.next(of("j"), step[:size]...)
	m.next(of("do"), step[low:]...)
	m.next(of("x"), m.xor(m.above(m.in(of("level"), size), m.in(of("j"), size)), do[2]))
	m.next(of("op"), do[:2]...)
	applied := m.at([]word{{x}, {m.and(v, x)}, {m.or(v, x)}, {m.xor(v, x)}}, m.in(of("op"), 2), 1)
	m.next(of("v"), applied...)
	e.flag(of("ends"), m.and(do[3], m.bit("valid_bit")))
	e.flag(of("added"), m.bit(of("ends")))
	return m.and(m.bit(of("added")), v)
}

// counter describes how the chains of a class are counted, until a step of lane 0 closes the class. It also
// describes how the first class with the highest count is found.
func (e engine) counter(added []netlist.Net) {
	m, width, do := e.m, e.CountBits, e.m.in("do_0", 4)
	e.flag("closing", m.and(m.bit("valid_bit"), do[0], do[1], do[2]))
	e.flag("close", m.bit("closing"))
	m.next("ones_read", m.in("step_0", e.stepBits())[:width]...)
	m.next("ones_seen", m.in("ones_read", width)...)
	m.next("ones", m.in("ones_seen", width)...)

	count, total, best := m.in("count", width), m.in("total", width), m.in("best", width)
	sum := count
	for _, a := range added {
		sum = m.add(sum, constant(0, width), a)
	}
	closed, complete := m.bit("close"), m.bit("complete")
	number, winner := m.in("number", e.classBits()), m.in("winner", e.classBits())
	highest := m.equal(number, uint64(e.Classes-1))
	none := constant(0, len(number))
	m.cleared("count", e.reset, sum, when{closed, constant(0, width)})
	m.next("total", m.add(count, m.in("ones", width), netlist.False)...)
	e.flag("complete", closed)
	m.cleared("number", e.reset, number, when{m.and(complete, highest), none}, when{complete, m.increment(number)})
	e.flag("decided", m.and(complete, highest))
	wins := m.and(complete, m.or(m.equal(number, 0), m.above(total, best)))
	m.next("best", m.mux(wins, total, best)...)
	m.next("winner", m.mux(wins, number, winner)...)
}

// answer describes how a result waits until the previous one is taken.
func (e engine) answer() {
	m, width := e.m, e.classBits()
	waiting, shown, decided := m.bit("waiting"), m.bit("out_valid"), m.bit("decided")
	show := m.and(waiting, m.not(shown))
	e.flag("waiting", m.or(decided, m.and(waiting, shown)))
	e.flag("out_valid", m.or(show, m.and(shown, m.not(m.bit("out_ready")))))
	result, class := m.in("result", width), m.in("class_index", width)
	m.next("result", m.mux(decided, m.in("winner", width), result)...)
	m.next("class_index", m.mux(show, result, class)...)
	m.out("out_valid", shown)
	m.out("class_index", class...)
}

// memories returns the memories that the engine must have.
func (e engine) memories() map[string]Memory {
	all := map[string]Memory{}
	for l, banks := range e.Programs {
		all[fmt.Sprintf("image_%d", l)] = Memory{Width: e.levelBits(), Size: 2 << e.placeBits()}
		for b, bank := range banks {
			width := digits(e.stepBits())
			program := Memory{Width: width, Size: len(bank)}
			for _, step := range bank {
				program.Words = append(program.Words, fmt.Sprintf("%0*b", width, step))
			}
			all[fmt.Sprintf("program_%d_%d", l, b)] = program
		}
	}
	if e.Uniform == nil {
		all["thresholds"] = Memory{
			Width: digits(e.Levels * e.WordBits), Size: 1 << e.thresholdBits(),
			Words: e.Thresholds,
		}
	}
	return all
}
