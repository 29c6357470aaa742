package readback

// The files clock_*_test.go prove modules with state. They prove that one clock of a wrapper or of a folded engine
// does what the module's documentation describes, in every state and for every input. These tests prove the code
// that writes the modules, for a range of parameters. The wrapper of a user's design is not proved again:
// verification compares it with the output of the same code, and simulates it with samples.
//
// The files describe the expected clock a second time, as a netlist over the names of the module's registers. This
// description follows the documentation of the packages wrapper and folded, and uses none of their code. A [Machine]
// is the same kind of netlist, extracted from the Verilog file. abc compares the next value of each register bit, and
// each output. It also compares the pins of parts that are not read, such as the core in a wrapper or a memory in an
// engine. Suppose that two machines have the same registers, do the same in one clock, and start in the same state.
// Then they behave the same for ever. If there is a reset, it leads both machines to the same state.
//
// The names only determine which signals are compared. A missing, extra or differently sized register makes a proof
// fail.

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// clockResult is the result of a proof.
type clockResult struct {
	Verdict   cec.Verdict `json:"verdict"`
	Registers int         `json:"registers"` // number of register bits in the module
	Bits      int         `json:"checked"`   // compared bits of registers, outputs and pins
	Reason    string      `json:"reason,omitempty"`
	Tool      string      `json:"tool,omitempty"`
	Seconds   float64     `json:"seconds"`
	Differ    []string    `json:"differ,omitempty"` // names of some bits that differ
}

// shown is the largest number of different bits that a result names.
const shown = 20

// proveClock reads a module, and compares one clock of the module with the description that the function describe
// builds.
func proveClock(ctx context.Context, o MachineOptions, describe func(*machine)) (*clockResult, error) {
	begin := time.Now()
	if o.Limit == 0 {
		o.Limit = cec.DefaultLimit
	}
	r := &clockResult{Verdict: cec.Undecided}
	err := r.prove(ctx, o, describe)
	r.Seconds = time.Since(begin).Seconds()
	if why, ok := mismatched(err); ok {
		r.Reason, err = why, nil
	}
	return r, err
}

func (r *clockResult) prove(ctx context.Context, o MachineOptions, describe func(*machine)) error {
	got, err := ReadMachine(ctx, o)
	if err != nil {
		return err
	}
	m := newClock(got)
	describe(m)
	if r.Registers, r.Bits = got.Registers(), len(got.Outputs); m.compare(got, r) {
		return nil
	}
	var differ []Signal
	r.Verdict, differ, r.Tool, err = got.Compare(ctx, m.netlist(got.Outputs), o.Limit)
	for _, s := range differ[:min(len(differ), shown)] {
		r.Differ = append(r.Differ, s.String())
	}
	switch r.Verdict {
	case cec.Different:
		r.Reason = fmt.Sprintf("%s is not what the documentation says", differ[0])
	case cec.Undecided:
		r.Reason = "abc gave no verdict"
	}
	return err
}

// compare checks that the module has the same registers, ports, pins and initial values as the description, and
// records any difference in r.
func (m *machine) compare(got *Machine, r *clockResult) bool {
	r.Reason = cmp.Or(m.fault, m.missing(got), m.starting(got), m.remembers(got))
	return r.Reason != ""
}

// missing names a signal that only the module or only the description has.
func (m *machine) missing(got *Machine) string {
	for _, s := range got.Inputs {
		if !m.used[s] {
			return fmt.Sprintf("there should be no %s", s)
		}
	}
	outputs := map[Signal]bool{}
	for _, s := range got.Outputs {
		if outputs[s] = true; m.h[s] == nil {
			return fmt.Sprintf("there should be no %s", s)
		}
	}
	for _, s := range slices.SortedFunc(maps.Keys(m.h), bySignal) {
		if !outputs[s] {
			return fmt.Sprintf("there is no %s", s)
		}
	}
	return ""
}

func bySignal(a, b Signal) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), a.Bit-b.Bit)
}

// starting compares the initial values of the registers.
func (m *machine) starting(got *Machine) string {
	for _, s := range slices.SortedFunc(maps.Keys(got.Starts), bySignal) {
		if want, ok := m.starts[s]; !ok || want != got.Starts[s] {
			return fmt.Sprintf("%s begins with a value that it should not have", s)
		}
	}
	for _, s := range slices.SortedFunc(maps.Keys(m.starts), bySignal) {
		if _, ok := got.Starts[s]; !ok {
			return fmt.Sprintf("%s begins with no value", s)
		}
	}
	return ""
}

// remembers compares the memories and their initial contents.
func (m *machine) remembers(got *Machine) string {
	for _, name := range slices.Sorted(maps.Keys(got.Memories)) {
		is, want := got.Memories[name], m.memories[name]
		switch {
		case is.Width != want.Width || is.Size != want.Size:
			return fmt.Sprintf("the memory %s has %d words of %d bits, not %d of %d", name, is.Size, is.Width, want.Size,
				want.Width)
		case !slices.Equal(is.Words, want.Words):
			return fmt.Sprintf("the memory %s does not begin with the words of its file", name)
		}
	}
	return ""
}

// machine is the description of one clock. The lowest bit of each word comes first.
type machine struct {
	b      *netlist.Builder
	x      map[Signal]netlist.Net
	used   map[Signal]bool
	h      map[Signal]*netlist.Net
	starts map[Signal]bool
	fault  string

	memories map[string]Memory
}

type word []netlist.Net

func newClock(got *Machine) *machine {
	m := &machine{
		b: netlist.NewBuilder("described"), x: map[Signal]netlist.Net{}, used: map[Signal]bool{},
		h: map[Signal]*netlist.Net{}, starts: map[Signal]bool{},
	}
	for i, v := range m.b.Input("x", got.Width(), 1, nil)[:len(got.Inputs)] {
		m.x[got.Inputs[i]] = v
	}
	return m
}

// netlist returns the description as a netlist with its outputs in the given order.
func (m *machine) netlist(outputs []Signal) *netlist.Netlist {
	h := make([]netlist.Net, len(outputs))
	for i, s := range outputs {
		h[i] = *m.h[s]
	}
	m.b.Output("h", 1, nil, h)
	return m.b.Netlist()
}

// in returns a word that is known when the clock begins. The word is an input, the value of a register, or an output
// pin of the core.
func (m *machine) in(name string, width int) word {
	w := make(word, width)
	for i := range w {
		s := Signal{Name: name, Bit: i}
		v, ok := m.x[s]
		if !ok && m.fault == "" {
			m.fault = fmt.Sprintf("there is no %s", s)
		}
		w[i], m.used[s] = v, true
	}
	return w
}

// bit calls in for a word of one bit.
func (m *machine) bit(name string) netlist.Net { return m.in(name, 1)[0] }

// next sets the value that a register takes at the end of the clock.
func (m *machine) next(name string, w ...netlist.Net) { m.out(name+Next, w...) }

// out sets the value of an output or a pin.
func (m *machine) out(name string, w ...netlist.Net) {
	for i := range w {
		m.h[Signal{Name: name, Bit: i}] = &w[i]
	}
}

// start sets the initial value of a register.
func (m *machine) start(name string, width int, value bool) {
	for i := range width {
		m.starts[Signal{Name: name, Bit: i}] = value
	}
}

// constant returns a number as a word.
func constant(v uint64, width int) word {
	w := make(word, width)
	for i := range w {
		if i < 64 && v>>i&1 == 1 {
			w[i] = netlist.True
		}
	}
	return w
}

func (m *machine) table(t uint64, in ...netlist.Net) netlist.Net {
	return m.b.Function(t, netlist.Origin{}, in...)
}

func (m *machine) not(a netlist.Net) netlist.Net    { return m.table(0b01, a) }
func (m *machine) xor(a, b netlist.Net) netlist.Net { return m.table(0b0110, a, b) }

func (m *machine) and(a netlist.Net, more ...netlist.Net) netlist.Net {
	for _, b := range more {
		a = m.table(0b1000, a, b)
	}
	return a
}

func (m *machine) or(a netlist.Net, more ...netlist.Net) netlist.Net {
	for _, b := range more {
		a = m.table(0b1110, a, b)
	}
	return a
}

// choose returns a net that equals a if s is 1, and b otherwise.
func (m *machine) choose(s, a, b netlist.Net) netlist.Net { return m.table(0b11100100, s, b, a) }

// mux is like choose, but for two words of the same width.
func (m *machine) mux(s netlist.Net, a, b word) word {
	w := make(word, len(a))
	for i := range w {
		w[i] = m.choose(s, a[i], b[i])
	}
	return w
}

// cases returns the word of the first case whose condition is 1. If no condition is 1, it returns the default word,
// which is its first argument.
func (m *machine) cases(otherwise word, list ...when) word {
	for _, c := range slices.Backward(list) {
		otherwise = m.mux(c.is, c.then, otherwise)
	}
	return otherwise
}

// when is a condition, and the word that is chosen if the condition is 1.
type when struct {
	is   netlist.Net
	then word
}

// equal reports whether a word equals a number.
func (m *machine) equal(w word, v uint64) netlist.Net {
	all := netlist.True
	for i, bit := range w {
		if v>>i&1 == 0 {
			bit = m.not(bit)
		}
		all = m.and(all, bit)
	}
	if v>>len(w) > 0 {
		return netlist.False
	}
	return all
}

// add returns a + b + carry for two words of n bits, modulo 2^n.
func (m *machine) add(a, b word, carry netlist.Net) word {
	sum := make(word, len(a))
	for i := range sum {
		sum[i] = m.table(0b10010110, a[i], b[i], carry)
		carry = m.table(0b11101000, a[i], b[i], carry)
	}
	return sum
}

// above reports whether the word a exceeds the word b.
func (m *machine) above(a, b word) netlist.Net {
	more := netlist.False
	for i := range a {
		more = m.choose(m.xor(a[i], b[i]), a[i], more)
	}
	return more
}

func (m *machine) increment(w word) word { return m.add(w, constant(0, len(w)), netlist.True) }
func (m *machine) decrement(w word) word {
	return m.add(w, constant(^uint64(0), len(w)), netlist.False)
}

// at returns the word of a list that an index selects, or zeros if the index is past the end.
func (m *machine) at(list []word, index word, width int) word {
	chosen := constant(0, width)
	for i, w := range list {
		chosen = m.mux(m.equal(index, uint64(i)), w, chosen)
	}
	return chosen
}
