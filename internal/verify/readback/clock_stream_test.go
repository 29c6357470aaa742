package readback

import (
	"fmt"
	"math/bits"

	"ialgn/netlist"
)

// stream describes the module next to a core or an engine. For a core, the module collects words and keeps the core's
// result. For an engine, it passes the words on. The argument path is the path of the module's instance. The core is
// stalled while it has a result and an earlier result has not been taken.
func (w Wrapper) stream(m *machine, path string, p packets) results {
	if w.Engine {
		return w.engine(m, p)
	}
	full, waiting := m.bit(path+"loader.full"), m.bit(path+"out_valid")
	valid := full
	if w.Pipeline {
		valid = m.bit(w.Core + ".out_valid")
	}
	step, show := m.not(m.and(valid, waiting)), m.and(valid, m.not(waiting))
	r := results{ready: m.not(full), valid: waiting, fault: m.bit(path + "loader.failed")}
	sample := w.loader(m, path+"loader.", p, m.and(full, step))
	if w.Pipeline {
		for pin, v := range map[string]netlist.Net{"clk": p.clock, "rst": p.reset, "ce": step, "in_valid": full} {
			m.out(w.Core+"."+pin, v)
		}
	}
	m.out(w.Core+"."+w.Input, sample...)
	tag := m.in(path+"sample_tag", w.Tag) // the tag of the last beat that was taken
	m.next(path+"sample_tag", m.mux(m.and(p.valid, r.ready), p.tag, tag)...)
	m.out(w.Core+".in_tag", tag...)
	r.tag = m.in(path+"out_tag", w.Tag)
	m.next(path+"out_tag", m.mux(show, m.in(w.Core+".out_tag", w.Tag), r.tag)...)
	m.next(path+"out_valid", m.and(m.not(p.reset), m.or(show, m.and(waiting, m.not(p.ready)))))
	for _, o := range w.Outputs {
		held := m.in(path+o.Name, o.Width)
		m.next(path+o.Name, m.mux(show, m.in(w.Core+"."+o.Name, o.Width), held)...)
		r.outputs = append(r.outputs, held)
	}
	return r
}

// bitsBelow returns the number of bits of a counter that stays below the given limit. Counters have at least two
// bits.
func bitsBelow(limit int) int { return max(2, bits.Len(uint(limit-1))) }

// loader describes the logic that collects the words of a packet, and returns the core's input. A packet that is too
// short, too long or void is dropped. The error signal is then 1 until a reset.
func (w Wrapper) loader(m *machine, path string, p packets, taken netlist.Net) word {
	beats := (w.units() + w.Beat - 1) / w.Beat
	beat := m.in(path+"beat", bitsBelow(beats))
	skip, full, failed := m.bit(path+"skip"), m.bit(path+"full"), m.bit(path+"failed")
	take, whole := m.and(p.valid, m.not(full)), m.equal(beat, uint64(beats-1))
	zero, go1 := constant(0, len(beat)), m.not(p.reset)

	m.next(path+"beat", m.cases(beat, when{m.or(p.reset, p.drop, m.and(take, p.last)), zero},
		when{take, m.increment(beat)})...)
	stays := m.choose(take, m.and(m.not(p.last), m.or(skip, whole)), skip)
	m.next(path+"skip", m.and(go1, m.not(p.drop), stays))
	right := m.and(p.last, whole)
	m.next(path+"full", m.and(go1, m.or(m.and(take, right, m.not(skip)), m.and(full, m.not(taken)))))
	wrong := m.and(take, m.xor(p.last, whole), m.not(skip))
	m.next(path+"failed", m.and(go1, m.or(failed, wrong, p.drop)))
	return w.collect(m, path, p.data, beat, take)
}

// collect describes the registers of the bits that the core reads, and returns the core's input.
func (w Wrapper) collect(m *machine, path string, data, beat word, take netlist.Net) word {
	unit, lane := len(data)/w.Beat, w.Word
	lanes := make([]word, w.Beat) // the words that arrive in one clock, as they are stored
	for i := range lanes {
		lanes[i] = w.levels(m, data[i*unit:(i+1)*unit])
	}
	size := len(lanes[0])
	if w.Kind != "stream" && w.Levels == nil {
		lane = w.lane()
	}
	loads := map[int]netlist.Net{}
	sample := constant(0, w.Word*w.Words)
	for i, read := range w.Read {
		if !read {
			continue
		}
		at := i/w.Word*lane + i%w.Word
		number, k := at/size, at%size
		load, ok := loads[number/w.Beat]
		if !ok {
			load = m.and(take, m.equal(beat, uint64(number/w.Beat)))
			loads[number/w.Beat] = load
		}
		name := fmt.Sprintf("%sgroups[%d].words[%d].bits[%d].kept.value", path, number/64*64, number, k)
		sample[i] = m.bit(name)
		m.next(name, m.choose(load, lanes[number%w.Beat][k], sample[i]))
	}
	return sample
}

// levels returns the part of an arriving word that is stored.
func (w Wrapper) levels(m *machine, unit word) word {
	if w.Levels == nil {
		return unit
	}
	value := unit[:w.Levels.Word]
	var levels word
	for _, t := range w.Levels.Thresholds {
		levels = append(levels, m.above(value, constant(t, len(value))))
	}
	for _, b := range w.Levels.Bits {
		levels = append(levels, value[b])
	}
	return levels
}

// engine describes the module between the bytes and an engine. Each byte is a word. The byte's unused high bits are
// ignored.
func (w Wrapper) engine(m *machine, p packets) results {
	pins := map[string]netlist.Net{
		"clk": p.clock, "rst": p.reset, "in_valid": p.valid, "in_last": p.last,
		"out_ready": p.ready,
	}
	if w.drops() {
		pins["drop"] = p.drop
	}
	for pin, v := range pins {
		m.out(w.Core+"."+pin, v)
	}
	m.out(w.Core+".in_data", p.data[:w.Word]...)
	r := results{ready: m.bit(w.Core + ".in_ready"), valid: m.bit(w.Core + ".out_valid"), fault: m.bit(w.Core + ".error")}
	for _, o := range w.Outputs {
		r.outputs = append(r.outputs, m.in(w.Core+"."+o.Name, o.Width))
	}
	return r
}
