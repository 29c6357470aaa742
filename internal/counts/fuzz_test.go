package counts

import (
	"encoding/json"
	"math/bits"
	"runtime"
	"testing"

	"ialgn/netlist"
)

// fiveBits returns a count of five bits, built from two full adders and a half adder, and a hint that is correct for
// the sound circuit. The bits of wrong change the tables of the adders.
func fiveBits(wrong uint64) (*netlist.Netlist, *Hint) {
	b := netlist.NewBuilder("five")
	x := b.Input("x", 5, 1, nil)
	c := Count{Popcount: 0}
	adder := func(in ...netlist.Net) (sum, carry netlist.Net) {
		table := [][2]uint64{2: {0b0110, 0b1000}, 3: {0b10010110, 0b11101000}}[len(in)]
		mask := netlist.TableMask(len(in))
		sum = b.Function(table[0]^wrong&mask, netlist.Origin{}, in...)
		carry = b.Function(table[1]^wrong>>8&mask, netlist.Origin{}, in...)
		wrong >>= 16
		k := Counter{Leaves: in, Out: []Term{term(1, sum), term(2, carry)}}
		for _, v := range in {
			k.In = append(k.In, term(1, v))
		}
		c.Counters = append(c.Counters, k)
		return sum, carry
	}
	s, c0 := adder(x[0], x[1], x[2])
	d0, c1 := adder(s, x[3], x[4])
	d1, d2 := adder(c0, c1)
	for i := range c.Counters[2].In { // a half adder of carries
		c.Counters[2].In[i].Weight, c.Counters[2].Out[i].Weight = 2, 2<<i
	}
	c.Digits = []netlist.Net{d0, d1, d2}
	b.Output("y", 1, nil, c.Digits)
	for _, v := range x {
		c.Bits = append(c.Bits, Bit{Nets: []netlist.Net{v}, Table: 0b10})
	}
	return b.Netlist(), &Hint{Counts: []Count{c}}
}

// valuesOf evaluates a netlist of functions at one input, net by net.
func valuesOf(n *netlist.Netlist, x uint64) []uint64 {
	value := []uint64{0, 1, x & 1, x >> 1 & 1, x >> 2 & 1, x >> 3 & 1, x >> 4 & 1}
	for i := range netlist.Cell(n.Cells()) {
		at := uint64(0)
		for j, v := range n.Inputs(i) {
			at |= value[v] << j
		}
		value = append(value, n.Param(i)>>at&1)
	}
	return value
}

// wordOf returns the number that nets represent.
func wordOf(value []uint64, nets []netlist.Net) (w uint64) {
	for k, v := range nets {
		w |= value[v] << k
	}
	return w
}

// bitsOf adds up the bits that a hint says are counted. Each half of a pair counts as one half.
func bitsOf(value []uint64, all []Bit) (sum uint64) {
	pairs := uint64(0)
	for _, b := range all {
		if b.Pair != nil {
			pairs++
			continue
		}
		sum += b.Table >> wordOf(value, b.Nets) & 1
	}
	return sum + pairs/2
}

// FuzzHint proves counts by arbitrary hints, for circuits that may be wrong. A hint that passes [Hint.Check] must not
// make the provers panic, and the counts that they prove must be right for each of the 32 inputs.
func FuzzHint(f *testing.F) {
	sound := func(change func(*Count)) []byte {
		_, h := fiveBits(0)
		change(&h.Counts[0])
		text, err := json.Marshal(h)
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	same := sound(func(*Count) {})
	zero, one := 0, 1
	f.Add(same, uint64(0))
	f.Add(same, uint64(1))
	f.Add(sound(func(c *Count) { c.Bits[0].Table, c.Bits[1].Pair = 0b01, &one }), uint64(0))
	f.Add(sound(func(c *Count) { c.Bits[0].Pair, c.Bits[1].Pair = &one, &zero }), uint64(0))
	f.Add(sound(func(c *Count) { c.Digits = append(c.Digits, netlist.False) }), uint64(3<<16))
	f.Add(sound(func(c *Count) {
		c.Counters = []Counter{{In: c.Counters[0].In, Out: c.Counters[0].Out, Steps: c.Counters}}
	}), uint64(0))
	f.Add([]byte(`{"counts":[{"popcount":0}],"argmax":[{"argmax":0,"words":[[2]],"index":[7]}]}`), uint64(0))
	f.Fuzz(func(t *testing.T, text []byte, wrong uint64) {
		var begin, end runtime.MemStats
		runtime.ReadMemStats(&begin)
		var h Hint
		err := json.Unmarshal(text, &h)
		after, _ := fiveBits(wrong)
		if err == nil {
			err = h.Check(after)
		}
		runtime.ReadMemStats(&end)
		// An empty counter takes 120 bytes for three bytes of JSON, and a list of counters grows by copying.
		if grown := end.TotalAlloc - begin.TotalAlloc; grown > 1<<20+300*uint64(len(text)) {
			t.Errorf("%d bytes took %d bytes of memory", len(text), grown)
		}
		if err != nil {
			return
		}
		for x := range uint64(32) {
			is := valuesOf(after, x)
			for _, c := range h.Counts {
				if Prove(after, &c) == nil && wordOf(is, c.Digits) != bitsOf(is, c.Bits) {
					t.Fatalf("input %05b: proved that the digits %v are the sum of the bits, but they are not", x, c.Digits)
				}
			}
		}
	})
}

// TestFiveBits checks the seeds of [FuzzHint]: only the sound circuit is proved.
func TestFiveBits(t *testing.T) {
	for wrong := range uint64(200) {
		after, h := fiveBits(wrong * 0x9e3779b97f4a7c15 & 0xf0fffffffff)
		proved := Prove(after, &h.Counts[0]) == nil
		equal := true
		for x := range uint64(32) {
			equal = equal && wordOf(valuesOf(after, x), after.OutputPorts()[0].Nets) == uint64(bits.OnesCount64(x))
		}
		if proved && !equal {
			t.Errorf("circuit %d: proved %v, equal %v", wrong, proved, equal)
		}
		if wrong == 0 && !proved {
			t.Error("the sound circuit is not proved")
		}
	}
}
