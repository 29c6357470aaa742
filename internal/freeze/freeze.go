// Package freeze makes the netlist of a frozen network. It is the only connection between training and compilation.
package freeze

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ialgn/internal/model"
	"ialgn/netlist"
)

// Network returns the raw netlist of a frozen network. It has one function cell for each gate of the model. The
// cell's inputs are the gate's pins. Cells are ordered by layer, and within a layer by chain. A cell's origin is its
// layer (from 1) and chain (from 0). For nodes that positions share, the netlist also records the position of each
// node ([netlist.Netlist.Place]). Nothing is simplified, so that every gate can be compared with the trainer's
// forward pass. Even constants and pass-throughs read both of their pins.
//
// The ports depend on the scope:
//
//   - [netlist.Gates]: The input x has the thermometer bits, labelled by [encoding.Encoder.Label]. The output h has
//     the bits of the last layer, labelled with their classes. A reader that counts the bits of h has to add the
//     class offsets ([netlist.Netlist.Offsets]).
//   - [netlist.Core]: The output is class_index instead of h. There is one popcount for each class, over the class's
//     chains, which are contiguous, and one argmax. A popcount reads the constant 1 as often as the class's offset
//     says. The counts are the probes count_0, count_1 and so on.
//   - [netlist.Full]: Like core, but the input x is a bus of feature words with BitsIn bits each, labelled with the
//     features' names. Each thermometer bit is one comparison.
//
// The netlist's name is made from the model's name by [netlist.Identifier]. Network returns an error if f is not
// valid, or if it is so large that 32 bits cannot number its nets or 16 bits cannot number its layers. It needs about
// 31 bytes for each gate.
func Network(f *model.Frozen, s netlist.Scope) (*netlist.Netlist, error) { return WithMargin(f, s, 0) }

// WithMargin is like [Network], but the argmax has a margin, and its last output is the output port uncertain. This bit
// is 1 if the largest class count leads the second largest by less than the margin. If the margin is 0, there is no
// such port.
//
// WithMargin returns an error if the margin is not between 1 and the largest class count, if the scope is
// [netlist.Gates], or if there is only one class.
func WithMargin(f *model.Frozen, s netlist.Scope, margin int) (*netlist.Netlist, error) {
	if err := f.Validate(); err != nil {
		return nil, fmt.Errorf("freeze: %w", err)
	}
	if s > netlist.Full {
		return nil, fmt.Errorf("freeze: no such scope %v, use Gates, Core or Full", s)
	}
	if err := checkMargin(f, s, margin); err != nil {
		return nil, fmt.Errorf("freeze: %w", err)
	}
	z := freezer{Builder: netlist.NewBuilder(netlist.Identifier(f.Name)), f: f, margin: margin}
	if err := z.reserve(s); err != nil {
		return nil, fmt.Errorf("freeze: %w", err)
	}
	z.encoder(s)
	for l := range f.Layers {
		z.layer(l)
	}
	z.Classes(z.classes())
	z.Ties(z.ties())
	z.Positions(z.positions())
	if s == netlist.Gates {
		z.Output("h", 1, z.classLabels(), z.h)
		z.Offsets(z.offsets())
	} else {
		z.head()
	}
	return z.Netlist(), nil
}

func checkMargin(f *model.Frozen, s netlist.Scope, margin int) error {
	switch largest := f.LargestCount(); {
	case margin == 0:
		return nil
	case s == netlist.Gates:
		return errors.New("a margin, but the scope gates has no class counts, use Core or Full")
	case len(f.Classes) == 1:
		return errors.New("a margin, but a single class has no second count")
	case margin < 0 || margin > largest:
		return fmt.Errorf("a margin of %d, want 1 to %d, the largest class count", margin, largest)
	}
	return nil
}

// freezer holds the part of the netlist that has been built so far.
type freezer struct {
	*netlist.Builder
	f *model.Frozen
	x []netlist.Net // thermometer bits
	h []netlist.Net // outputs of the last layer built

	margin int // 0: there is no output for uncertain results
}

// reserve makes room for all cells and pins at once.
func (z *freezer) reserve(s netlist.Scope) error {
	f := z.f
	if f.Depth() > netlist.MaxLayers {
		return fmt.Errorf("%d layers, want at most %d", f.Depth(), netlist.MaxLayers)
	}
	classes, count := len(f.Classes), bits.Len(uint(f.LargestCount()))
	cells, pins := f.Gates(), 0
	for l := range f.Layers {
		pins += f.Layers[l].Width() * len(f.Layers[l].Pins)
	}
	nets := 2 + f.Inputs() + cells
	if s >= netlist.Core {
		cells, pins, nets = cells+classes+1, pins+f.Counted()+classes*count, nets+classes*count+netlist.ClassBits(classes)+1
	}
	if s == netlist.Full {
		words := f.Encoder.Features() * f.Encoder.BitsIn
		cells, pins, nets = cells+f.Inputs(), pins+f.Inputs()*f.Encoder.BitsIn, nets+words
	}
	if max(nets, pins) >= netlist.MaxPins {
		return errors.New("too many gates for 32-bit net numbers, use a smaller width or depth")
	}
	z.Grow(cells, pins)
	return nil
}

// encoder makes the thermometer bits. They are the bits of an input port, or comparisons of the words of an input
// port.
func (z *freezer) encoder(s netlist.Scope) {
	e := &z.f.Encoder
	if s != netlist.Full {
		labels := make([]string, e.Inputs())
		for i := range labels {
			labels[i] = e.Label(i)
		}
		z.x = z.Input("x", e.Inputs(), 1, labels)
		return
	}
	labels := make([]string, e.Features())
	for i := range labels {
		labels[i] = e.Name(i)
	}
	bus := z.Input("x", e.Features()*e.BitsIn, e.BitsIn, labels)
	z.x = make([]netlist.Net, 0, e.Inputs())
	for i, thresholds := range e.Thresholds {
		word := bus[i*e.BitsIn : (i+1)*e.BitsIn]
		for _, t := range thresholds {
			z.x = append(z.x, z.Cell(netlist.Compare, uint64(t), netlist.Origin{}, word...))
		}
	}
}

// layer adds the gates of one layer.
func (z *freezer) layer(l int) {
	layer := &z.f.Layers[l]
	h, in := make([]netlist.Net, layer.Width()), make([]netlist.Net, len(layer.Pins))
	for i := range h {
		for k := range layer.Pins {
			in[k] = z.source(layer.Pins[k].Source)[layer.Pins[k].Index[i]]
		}
		origin := netlist.Origin{Layer: uint16(l + 1), Chain: uint32(i)}
		h[i] = z.Function(netlist.Table(layer.Op.At(i), len(in)), origin, in...)
	}
	z.h = h
}

func (z *freezer) source(s model.Source) []netlist.Net {
	if s == model.Input {
		return z.x
	}
	return z.h
}

// classes returns the class of each chain.
func (z *freezer) classes() []uint16 {
	class, group := make([]uint16, z.f.Width), z.f.Width/len(z.f.Classes)
	for i := range class {
		class[i] = uint16(i / group)
	}
	return class
}

// offsets returns the class offsets.
func (z *freezer) offsets() (all []uint32) {
	for _, offset := range z.f.Offsets {
		all = append(all, uint32(offset))
	}
	return all
}

// ties returns the tie order.
func (z *freezer) ties() (order []uint16) {
	for _, class := range z.f.Ties {
		order = append(order, uint16(class))
	}
	return order
}

// positions describes the layers whose nodes are shared by the positions of an image.
func (z *freezer) positions() (all []netlist.Positions) {
	for l := range z.f.Layers {
		if f := &z.f.Layers[l]; f.Rows > 0 {
			all = append(all, netlist.Positions{Layer: uint16(l + 1), Rows: uint16(f.Rows), Columns: uint16(f.Columns)})
		}
	}
	return all
}

// classLabels returns a label with the class of each chain.
func (z *freezer) classLabels() []string {
	group := z.f.Width / len(z.f.Classes)
	labels := make([]string, 0, z.f.Width)
	for _, class := range z.f.Classes {
		label := "class " + class
		for range group {
			labels = append(labels, label)
		}
	}
	return labels
}

// head adds popcounts and argmax. All counts have the width of the largest possible count.
func (z *freezer) head() {
	group := z.f.Width / len(z.f.Classes)
	width := bits.Len(uint(z.f.LargestCount()))
	var counts []netlist.Net
	for c := range z.f.Classes {
		in := z.h[c*group : (c+1)*group : (c+1)*group]
		if z.f.Offsets != nil {
			in = append(in, slices.Repeat([]netlist.Net{netlist.True}, z.f.Offsets[c])...)
		}
		count := make([]netlist.Net, width) // the constant 0, above the digits of the popcount
		copy(count, netlist.Word(z.Cell(netlist.Popcount, 0, netlist.Origin{}, in...), bits.Len(uint(len(in)))))
		z.Probe(fmt.Sprintf("count_%d", c), count)
		counts = append(counts, count...)
	}
	index := z.Cell(netlist.Argmax, netlist.ArgmaxParam(width, z.margin), netlist.Origin{}, counts...)
	digits := netlist.ClassBits(len(z.f.Classes))
	z.Output(netlist.ClassPort, digits, []string{"class"}, netlist.Word(index, digits))
	if z.margin > 0 {
		label := fmt.Sprintf("1: the largest class count leads the second largest by less than %d", z.margin)
		z.Output(netlist.UncertainPort, 1, []string{label}, netlist.Word(index+netlist.Net(digits), 1))
	}
}
