package chain

import (
	"math"
	"strconv"
	"strings"

	"ialgn/netlist"
)

// Order says which nets are thermometer bits. A thermometer bit is 1 if the value of a feature exceeds a threshold.
// So for any two bits of a feature, the bit with the higher threshold implies the other bit. A nil Order knows no
// thermometer bits.
type Order struct {
	bit []orderedBit // [net], up to the last thermometer bit
}

// orderedBit says that a net is the result of the comparison value > threshold, where value is at most limit.
type orderedBit struct {
	feature   uint32 // number of the feature, from 1, or 0 if the net is no thermometer bit
	threshold uint64
	limit     uint64
}

// NewOrder returns the order of thermometer bits in a netlist. Comparators of one word of an input port, and the top
// bit of the word itself, are ordered whatever the input is. If assume is set, bits of input ports with one-bit words
// are also ordered if their labels have the form "FEATURE > THRESHOLD", as package internal/freeze writes them. A
// pass that relies on the labels keeps the netlist's function only for inputs that are thermometer codes.
func NewOrder(n *netlist.Netlist, assume bool) *Order {
	o := &orderer{Order: &Order{}, n: n, words: map[netlist.Net]word{}, labels: map[string]uint32{}}
	for _, p := range n.InputPorts() {
		if p.Word > 1 {
			o.port(p)
		} else if assume {
			o.labelled(p)
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == netlist.Compare {
			o.comparator(c)
		}
	}
	return o.Order
}

// orderer builds an Order.
type orderer struct {
	*Order
	n        *netlist.Netlist
	features uint32
	words    map[netlist.Net]word // words of the input ports, by the net of their top bit
	labels   map[string]uint32
}

// word is a feature that is a word of an input port.
type word struct {
	feature uint32
	width   int
}

func (o *orderer) add(v netlist.Net, b orderedBit) {
	if int(v) >= len(o.bit) {
		o.bit = append(o.bit, make([]orderedBit, int(v)+1-len(o.bit))...)
	}
	o.bit[v] = b
}

// port records a feature for each word of a port, unless the words are too wide for a comparator.
func (o *orderer) port(p netlist.Port) {
	if p.Word > 64 {
		return
	}
	for top := p.Word - 1; top < len(p.Nets); top += p.Word {
		o.features++
		w := word{o.features, p.Word}
		o.words[p.Nets[top]] = w
		o.add(p.Nets[top], orderedBit{w.feature, 1<<(w.width-1) - 1, w.limit()})
	}
}

func (w word) limit() uint64 { return math.MaxUint64 >> (64 - w.width) }

// labelled records the features of a port with labels. Bits belong to the same feature if their labels have the same
// text before the last " > ". labelled does not assume that bits with equal thresholds are equal, because a
// thermometer code only guarantees that each bit implies the bits before it.
func (o *orderer) labelled(p netlist.Port) {
	same := map[orderedBit]uint64{}
	for i, label := range p.Labels {
		at := strings.LastIndex(label, " > ")
		if at < 0 {
			continue
		}
		threshold, err := strconv.ParseUint(label[at+len(" > "):], 10, 64)
		if err != nil || threshold > math.MaxUint32 {
			continue
		}
		feature, ok := o.labels[label[:at]]
		if !ok {
			o.features++
			feature = o.features
			o.labels[label[:at]] = feature
		}
		bit := orderedBit{feature, threshold << 32, math.MaxUint64}
		same[bit]++
		bit.threshold += same[bit] - 1
		o.add(p.Nets[i], bit)
	}
}

// comparator records a comparator that may read only the highest bits of a word. The comparison word > t of these
// bits is equivalent to the comparison value > (t+1) 2^low - 1 of the whole word, where low is the number of bits
// left out.
func (o *orderer) comparator(c netlist.Cell) {
	in, t := o.n.Inputs(c), o.n.Param(c)
	w, ok := o.words[in[len(in)-1]]
	if !ok || len(in) > w.width || t > math.MaxUint64>>(64-len(in)) {
		return
	}
	for i, v := range in {
		if v != in[0]+netlist.Net(i) {
			return
		}
	}
	low := w.width - len(in)
	o.add(o.n.Output(c), orderedBit{w.feature, (t+1)<<low - 1, w.limit()})
}

// of returns the thermometer bit of net v, or the zero value if it is none.
func (o *Order) of(v netlist.Net) orderedBit {
	if o == nil || int(v) >= len(o.bit) {
		return orderedBit{}
	}
	return o.bit[v]
}
