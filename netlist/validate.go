package netlist

import (
	"fmt"
	"math/bits"

	"ialgn/internal/ties"
)

// maxCompare is the maximum number of inputs of a Compare cell, whose threshold must fit into 64 bits.
const maxCompare = 64

// Validate checks all invariants of a netlist that its construction does not guarantee:
//
//   - Each cell has the right number of inputs and a valid parameter. A table has no bits beyond the combinations of
//     the inputs, a threshold fits its word, an argmax has whole words, and a primitive is declared. For kinds
//     without a parameter, the parameter is 0.
//   - Cells read only nets below their own, so their order is topological.
//   - Names are identifiers ([CheckName]), and names of ports and probes are unique. A bus has whole words and
//     only existing nets, and either no labels or one for each word.
//   - If classes are set, every chain that a cell came from has a class.
//   - If offsets are set, each class of a chain has one, and none is larger than the number of all chains.
//   - If a tie order is set, it has each class of a chain once, is not ascending, and has each word of every argmax.
//   - Positions have rows and columns, and are in ascending order of layers.
//   - All data inputs of a cell are in the same pipeline stage, and so are all bits of an output port or a
//     probe (see [Netlist.Stages]).
//
// The error names the port, or the cell and its first output net. Validate costs one walk over all pins, about 10
// ns for each cell.
func (n *Netlist) Validate() error {
	if err := n.validate(); err != nil {
		return fmt.Errorf("netlist %q: %w", shorten(n.Name), err)
	}
	return nil
}

func (n *Netlist) validate() error {
	if err := CheckName(n.Name); err != nil {
		return err
	}
	for i := range n.primitives {
		if err := n.primitives[i].check(); err != nil {
			return fmt.Errorf("primitive %d: %w", i, err)
		}
	}
	if err := n.checkPositions(); err != nil {
		return err
	}
	if err := n.checkOffsets(); err != nil {
		return err
	}
	if err := n.checkTies(); err != nil {
		return err
	}
	for c := range n.kind {
		if err := n.checkCell(Cell(c)); err != nil {
			return n.cellError(Cell(c), err)
		}
	}
	if err := n.checkPorts(); err != nil {
		return err
	}
	return n.checkStages()
}

func (n *Netlist) checkPositions() error {
	last := uint16(0)
	for _, p := range n.places {
		if p.Layer <= last || p.Rows == 0 || p.Columns == 0 {
			return fmt.Errorf("%d x %d positions in layer %d, after layer %d: want at least one, by ascending layers from 1",
				p.Rows,
				p.Columns, p.Layer, last)
		}
		last = p.Layer
	}
	return nil
}

func (n *Netlist) checkOffsets() error {
	if n.offsets == nil {
		return nil
	}
	if classes := n.chainClasses(); len(n.offsets) != classes {
		return fmt.Errorf("%d offsets for %d classes of chains", len(n.offsets), classes)
	}
	for class, offset := range n.offsets {
		if int64(offset) > int64(len(n.class)) {
			return fmt.Errorf("offset %d of class %d, want at most %d, the number of all chains", offset, class, len(n.class))
		}
	}
	return nil
}

// chainClasses returns the number of classes that the chains have.
func (n *Netlist) chainClasses() (classes int) {
	for _, class := range n.class {
		classes = max(classes, int(class)+1)
	}
	return classes
}

// checkTies checks that the tie order has the classes of the chains. [Netlist.checkKind] checks that it has the words
// of each argmax.
func (n *Netlist) checkTies() error {
	classes := len(n.ties)
	if len(n.class) > 0 {
		classes = n.chainClasses()
	}
	return ties.Check(n.ties, classes)
}

// cellError adds the cell to an error.
func (n *Netlist) cellError(c Cell, err error) error {
	return fmt.Errorf("cell %d (%v, net %d): %w", c, n.kind[c], n.Output(c), err)
}

// checkCell checks one cell on its own. Stages are checked separately, over the whole netlist.
func (n *Netlist) checkCell(c Cell) error {
	in, own := n.Inputs(c), n.outStart[c]
	if n.kind[c] == Function {
		// Most cells take this path, without a call.
		if len(in) > MaxFunctionInputs || len(in) < MaxFunctionInputs && n.param[c]>>(1<<len(in)) != 0 {
			return checkTable(n.param[c], len(in))
		}
	} else if err := n.checkKind(n.kind[c], len(in), n.param[c]); err != nil {
		return err
	}
	for j, v := range in {
		if v >= own {
			return n.orderError(j, v, own)
		}
	}
	return nil
}

func (n *Netlist) orderError(pin int, v, own Net) error {
	if int(v) >= n.Nets() {
		return fmt.Errorf("input %d reads net %d, which nothing drives: there are %d nets", pin, v, n.Nets())
	}
	return fmt.Errorf("input %d reads net %d, which is not driven before net %d: put cells in topological order", pin, v,
		own)
}

// checkKind checks the number of inputs and the parameter of a cell of any kind except Function.
func (n *Netlist) checkKind(k Kind, inputs int, param uint64) error {
	if int(k) < kinds && !k.hasParam() && param != 0 {
		return fmt.Errorf("parameter %d, but the kind has none, want 0", param)
	}
	switch k {
	case Compare:
		return checkCompare(inputs, param)
	case Popcount:
		return checkInputs(inputs, 1, MaxPins)
	case Counter:
		return checkInputs(inputs, 2, MaxCounter)
	case Argmax:
		return n.checkArgmax(inputs, param)
	case Carry:
		return checkInputs(inputs, 3, 3)
	case Register:
		return checkInputs(inputs, 1, 2)
	case Primitive:
		if param >= uint64(len(n.primitives)) {
			return fmt.Errorf("it is of primitive %d, but %d are declared", param, len(n.primitives))
		}
		return checkInputs(inputs, len(n.primitives[param].Inputs), len(n.primitives[param].Inputs))
	default:
		return fmt.Errorf("no such kind, want 0 to %d", kinds-1)
	}
}

func checkInputs(inputs, low, high int) error {
	switch {
	case inputs >= low && inputs <= high:
		return nil
	case low == high:
		return fmt.Errorf("%d inputs, want %d", inputs, low)
	case high == MaxPins:
		return fmt.Errorf("%d inputs, want at least %d", inputs, low)
	}
	return fmt.Errorf("%d inputs, want %d to %d", inputs, low, high)
}

// checkTable checks the function of a cell or of a primitive.
func checkTable(table uint64, inputs int) error {
	if err := checkInputs(inputs, 0, MaxFunctionInputs); err != nil {
		return err
	}
	if size := 1 << inputs; size < 64 && table>>size != 0 {
		return fmt.Errorf("table %#x has bits beyond the %d combinations of %d inputs, clear them", table, size, inputs)
	}
	return nil
}

func checkCompare(inputs int, threshold uint64) error {
	if err := checkInputs(inputs, 1, maxCompare); err != nil {
		return err
	}
	if bits.Len64(threshold) > inputs {
		return fmt.Errorf("threshold %d does not fit a word of %d bits: no value exceeds it, use the constant 0", threshold,
			inputs)
	}
	return nil
}

func (n *Netlist) checkArgmax(inputs int, param uint64) error {
	word, margin := ArgmaxForm(param)
	if word == 0 || word > inputs || inputs%word != 0 {
		return fmt.Errorf("%d inputs are not one or more words of %d bits", inputs, word)
	}
	if bits.Len(uint(margin)) > word {
		return fmt.Errorf("margin %d does not fit a word of %d bits: no lead is so large, use the constant 1", margin, word)
	}
	if n.ties != nil && inputs/word != len(n.ties) {
		return fmt.Errorf("%d words, but the tie order has %d classes", inputs/word, len(n.ties))
	}
	return nil
}

func (p *PrimitiveType) check() error {
	for _, name := range append([]string{p.Name, p.Output}, p.Inputs...) {
		if err := CheckName(name); err != nil {
			return err
		}
	}
	pins := map[string]bool{p.Output: true}
	for _, name := range p.Inputs {
		if pins[name] {
			return fmt.Errorf("two pins have the name %q", name)
		}
		pins[name] = true
	}
	return checkTable(p.Table, len(p.Inputs))
}

// checkPorts checks input ports, output ports and probes.
func (n *Netlist) checkPorts() error {
	seen := map[string]bool{}
	for _, group := range []struct {
		what  string
		ports []Port
	}{{"input port", n.inputs}, {"output port", n.outputs}, {"probe", n.probes}} {
		for i := range group.ports {
			p := &group.ports[i]
			err := n.checkPort(p)
			if err == nil && seen[p.Name] {
				err = fmt.Errorf("another port or probe has that name")
			}
			if err != nil {
				return fmt.Errorf("%s %q: %w", group.what, shorten(p.Name), err)
			}
			seen[p.Name] = true
		}
	}
	return nil
}

func (n *Netlist) checkPort(p *Port) error {
	if err := CheckName(p.Name); err != nil {
		return err
	}
	switch {
	case len(p.Nets) == 0:
		return fmt.Errorf("it has no bits, give it at least one or leave it out")
	case p.Word < 1 || len(p.Nets)%p.Word != 0:
		return fmt.Errorf("its %d bits are not whole words of %d bits", len(p.Nets), p.Word)
	case len(p.Labels) != 0 && len(p.Labels) != len(p.Nets)/p.Word:
		return fmt.Errorf("%d labels for %d words, want none or one each", len(p.Labels), len(p.Nets)/p.Word)
	}
	for i, v := range p.Nets {
		if int(v) >= n.Nets() {
			return fmt.Errorf("bit %d is net %d, which nothing drives: there are %d nets", i, v, n.Nets())
		}
	}
	return nil
}
