package readback

import (
	"math/bits"

	"ialgn/netlist"
)

// indexBits returns the number of bits of an index into a list of n elements.
func indexBits(n int) int { return max(1, bits.Len(uint(n-1))) }

// synchronised describes a chain of registers that synchronises a pin. A reset sets all registers to the value in the
// argument first. The lowest bit of the result is the latest bit from the pin.
func (m *machine) synchronised(name string, length int, pin, first, reset netlist.Net) word {
	chain := m.in(name, length)
	var next word
	for _, v := range append(word{pin}, chain[:length-1]...) {
		next = append(next, m.choose(reset, first, v))
	}
	m.next(name, next...)
	return chain
}

// powerOn describes the two registers of rst_n, which start as 0, and returns the reset.
func (m *machine) powerOn() netlist.Net {
	chain := m.synchronised("rst_s", 2, m.bit("rst_n"), netlist.False, netlist.False)
	m.start("rst_s", 2, false)
	return m.not(chain[1])
}

// cleared describes a register that a reset sets to 0. Without a reset, the register takes the value of the first
// case that applies. If no case applies, the register keeps its value.
func (m *machine) cleared(name string, reset netlist.Net, held word, list ...when) {
	m.next(name, m.cases(held, append([]when{{reset, constant(0, len(held))}}, list...)...)...)
}

// one returns a word of one bit.
func one(v netlist.Net) word { return word{v} }

// bytewise describes the stream in a serial wrapper, and the stream's failure.
func (w Wrapper) bytewise(m *machine, p packets) results {
	p.clock = m.bit("clk")
	r := w.stream(m, "stream.", p)
	m.out("error", r.fault)
	return r
}

// inner returns the ready and valid signals of the stream in a serial wrapper. The signals are registers of the
// stream or pins of the engine.
func (w Wrapper) inner(m *machine) (ready, valid, fault netlist.Net) {
	if w.Engine {
		return m.bit(w.Core + ".in_ready"), m.bit(w.Core + ".out_valid"), m.bit(w.Core + ".error")
	}
	return m.not(m.bit("stream.loader.full")), m.bit("stream.out_valid"), m.bit("stream.loader.failed")
}

// uart describes the wrapper of kind uart.
func (w Wrapper) uart(m *machine) {
	u := serialLine{Wrapper: w, m: m, reset: m.powerOn(), period: uint64((w.ClockHz+w.Baud/2)/w.Baud - 1)}
	u.line = m.synchronised("rx_s", 2, m.bit("rx"), netlist.True, u.reset)[1]
	u.receiver()
	ready, valid, _ := w.inner(m)
	p := u.sampler(ready)
	var sent netlist.Net
	p.ready, sent = u.takes(valid)
	p.reset = u.reset
	u.transmitter(w.bytewise(m, p), sent, p.ready)
}

// serialLine holds the signals that the parts of the wrapper uart share.
type serialLine struct {
	Wrapper
	m           *machine
	reset, line netlist.Net
	period      uint64 // clocks of a bit, minus one
}

func (u serialLine) timer(name string) word { return u.m.in(name, bitsBelow(int(u.period)+1)) }

// receiver describes how a byte is read. The start bit is checked in its middle, where it must still be 0. Then come
// eight bits, the lowest first, and the stop bit, which must be 1.
func (u serialLine) receiver() {
	m, receiving, timer := u.m, u.m.bit("receiving"), u.timer("rx_timer")
	count, value := m.in("rx_bits", 4), m.in("rx_byte", 8)
	idle, tick := m.not(receiving), m.and(receiving, m.equal(timer, 0))
	start, stop := m.and(tick, m.equal(count, 0)), m.and(tick, m.equal(count, 9))
	begins := m.and(m.not(u.line), m.not(m.bit("waiting")), m.not(m.bit("broken")))

	m.cleared("receiving", u.reset, one(receiving), when{idle, one(begins)}, when{start, one(m.not(u.line))},
		when{stop, one(netlist.False)})
	m.next("received", m.and(m.not(u.reset), stop, u.line))
	m.next("broken", m.and(m.not(u.reset), stop, m.not(u.line)))
	width := len(timer)
	m.cleared("rx_timer", u.reset, m.decrement(timer), when{idle, constant(u.period/2, width)},
		when{tick, constant(u.period, width)})
	m.cleared("rx_bits", u.reset, count, when{idle, constant(0, 4)}, when{tick, m.increment(count)})
	shifts := m.and(m.not(u.reset), tick, m.not(start), m.not(stop))
	m.next("rx_byte", m.mux(shifts, append(append(word{}, value[1:]...), u.line), value)...)
}

// sampler describes how bytes become samples, and returns the inputs of the stream. A sample begins after the line
// has been idle for a long time.
func (u serialLine) sampler(ready netlist.Net) packets {
	m, received, broken := u.m, u.m.bit("received"), u.m.bit("broken")
	limit := uint64(u.Idle) * (u.period + 1)
	idle := m.in("idle", bitsBelow(int(limit)+1))
	quiet, waiting := m.equal(idle, limit), m.bit("waiting")
	at := m.in("at", indexBits(u.units()))
	last, none := m.equal(at, uint64(u.units()-1)), m.equal(at, 0)
	accepted, overrun := m.and(received, ready), m.and(received, m.not(ready))
	drop := m.or(broken, overrun, m.and(quiet, m.not(none)))
	zero := constant(0, len(at))

	m.cleared("idle", u.reset, m.increment(idle), when{m.not(u.line), constant(0, len(idle))}, when{quiet, idle})
	m.next("waiting", m.or(u.reset, broken, overrun, m.and(waiting, m.not(quiet))))
	m.cleared("at", u.reset, at, when{drop, zero}, when{m.and(accepted, last), zero}, when{accepted, m.increment(at)})
	failed := m.bit("failed")
	m.next("failed", m.and(m.not(u.reset), m.or(failed, broken)))
	m.out("frame_error", failed)
	return packets{valid: accepted, data: m.in("rx_byte", 8), last: last, drop: drop}
}

// takes returns two signals. The signal named begins is 1 if a byte of a result begins. The signal named last is 1 if
// this byte is also the last byte of the result, so that the result is taken.
func (u serialLine) takes(valid netlist.Net) (last, begins netlist.Net) {
	m := u.m
	begins = m.and(valid, m.equal(m.in("tx_bits", 4), 0))
	return m.and(begins, m.equal(m.in("to", indexBits(u.replyBytes())), uint64(u.replyBytes()-1))), begins
}

// replyBytes returns the number of bytes of a result.
func (w Wrapper) replyBytes() (n int) {
	for _, o := range w.Outputs {
		n += len(Wrapper{Outputs: []Port{o}}.bytes([]word{make(word, o.Width)}))
	}
	return n
}

// transmitter describes how the bytes of a result are sent. Each byte has a start bit before it and a stop bit after
// it.
func (u serialLine) transmitter(r results, begins, last netlist.Net) {
	m, frame, timer := u.m, u.m.in("frame", 10), u.timer("tx_timer")
	left, to := m.in("tx_bits", 4), m.in("to", indexBits(u.replyBytes()))
	m.out("tx", frame[0])
	waits := m.not(m.equal(timer, 0))
	tick := m.and(m.not(waits), m.not(m.equal(left, 0)))
	value := m.at(u.bytes(r.outputs), to, 8)

	loaded := append(append(one(netlist.False), value...), netlist.True)
	shifted := append(append(word{}, frame[1:]...), netlist.True)
	m.next("frame", m.cases(frame, when{u.reset, constant(0x3ff, 10)}, when{begins, loaded}, when{tick, shifted})...)
	period := constant(u.period, len(timer))
	m.cleared("tx_timer", u.reset, timer, when{begins, period}, when{waits, m.decrement(timer)}, when{tick, period})
	m.cleared("tx_bits", u.reset, left, when{begins, constant(10, 4)}, when{tick, m.decrement(left)})
	m.cleared("to", u.reset, to, when{last, constant(0, len(to))}, when{begins, m.increment(to)})
}

// spi describes the wrapper of kind spi.
func (w Wrapper) spi(m *machine) {
	reset := m.powerOn()
	clock := m.synchronised("sck_s", 3, m.bit("sck"), netlist.False, reset)
	chip := m.synchronised("cs_s", 3, m.bit("cs_n"), netlist.False, reset)
	data := m.synchronised("mosi_s", 2, m.bit("mosi"), netlist.False, reset)
	edge := func(from, to netlist.Net) netlist.Net { return m.and(m.not(from), to) }
	selected := m.not(chip[1])
	f := frames{
		Wrapper: w, m: m, reset: reset, data: data[1],
		rise: m.and(edge(clock[2], clock[1]), selected), fall: m.and(edge(clock[1], clock[2]), selected),
		begins: edge(chip[1], chip[2]), ends: edge(chip[2], chip[1]),
	}
	f.whole = m.and(f.rise, m.equal(m.in("bits", 3), 7))
	ready, valid, fault := w.inner(m)
	p := f.receiver(ready)
	p.reset, p.ready = reset, m.and(f.whole, m.bit("final_byte"))
	m.out("ready", valid)
	f.transmitter(w.bytewise(m, p), p.ready, valid, fault)
}

// frames holds the events of this clock, which the parts of the wrapper spi share.
type frames struct {
	Wrapper
	m                                            *machine
	reset, data, rise, fall, begins, ends, whole netlist.Net
}

// receiver describes how commands and the bytes of samples are received, and returns the inputs of the stream. Each
// byte waits until it is known whether another byte follows.
func (f frames) receiver(ready netlist.Net) packets {
	m, bits, part := f.m, f.m.in("bits", 3), f.m.in("data", 7)
	command, taking, held, holds := m.bit("command"), m.bit("taking"), m.in("held", 8), m.bit("held_valid")
	value := append(one(f.data), part...)
	push, finish := m.and(f.whole, taking, holds), m.and(f.ends, taking)
	valid := m.and(m.or(push, m.and(finish, holds, m.equal(bits, 0))), ready)
	unknown := m.and(f.whole, command, m.above(value, constant(1, 8)))
	drop := m.or(m.and(m.or(push, finish), m.not(valid)), unknown)

	m.cleared("bits", f.reset, bits, when{f.begins, constant(0, 3)}, when{f.rise, m.increment(bits)})
	inside := m.and(m.not(f.reset), m.not(f.begins))
	m.next("data", m.mux(m.and(inside, f.rise), value[:7], part)...)
	m.next("command", m.and(m.not(f.reset), m.or(f.begins, m.and(command, m.not(f.whole)))))
	after := m.choose(f.whole, m.choose(command, m.equal(value, 1), m.and(taking, m.not(drop))), taking)
	m.next("taking", m.and(inside, m.not(f.ends), after))
	m.next("held", m.mux(m.and(inside, f.whole), value, held)...)
	m.next("held_valid", m.and(inside, m.choose(f.whole, taking, holds)))
	return packets{valid: valid, data: held, last: finish, drop: drop}
}

// transmitter describes how status and result are sent. Each byte is ready after the falling edge that follows the
// previous byte.
func (f frames) transmitter(r results, taken, valid, fault netlist.Net) {
	m, shift := f.m, f.m.in("shift", 8)
	m.out("miso", shift[7])
	to, left, final := m.in("to", indexBits(f.replyBytes())), m.bit("left"), m.bit("final_byte")
	moves := m.and(m.not(taken), f.fall)
	inner := m.and(moves, m.not(m.equal(m.in("bits", 3), 0)))
	next := m.and(moves, m.not(inner))
	last := m.equal(to, uint64(f.replyBytes()-1))
	value := m.mux(left, m.at(f.bytes(r.outputs), to, 8), constant(0, 8))
	status := append(word{valid, fault}, constant(0, 6)...)

	m.cleared("to", f.reset, to, when{f.begins, constant(0, len(to))}, when{next, m.increment(to)})
	m.cleared("left", f.reset, one(left), when{f.begins, one(valid)}, when{next, one(m.and(left, m.not(last)))})
	no := one(netlist.False)
	m.cleared("final_byte", f.reset, one(final), when{f.begins, no}, when{taken, no}, when{next, one(m.and(left, last))})
	m.cleared("shift", f.reset, shift, when{f.begins, status}, when{inner, append(one(netlist.False), shift[:7]...)},
		when{next, value})
}
