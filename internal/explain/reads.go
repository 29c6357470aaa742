package explain

import (
	"fmt"
	"math/bits"
	"slices"

	"ialgn/internal/encoding"
	"ialgn/netlist"
)

// Reads counts how often a netlist reads each feature. There are two kinds of reads. First, a cell may read the
// feature, either directly or through a comparison with a threshold. Such a read counts for each class whose count
// depends on the cell. Second, a class may count a bit of the feature directly.
type Reads struct {
	All     []int   // indexed [feature]; a cell that serves several classes counts once
	ByClass [][]int // indexed [class][feature]
}

// Features returns the number of features that have at least one read.
func Features(reads []int) (n int) {
	for _, r := range reads {
		if r > 0 {
			n++
		}
	}
	return n
}

// ReadsOf counts the reads in the netlist of a classifier of any scope. It returns an error if the netlist does not
// have the ports for this encoder and this number of classes.
//
// It visits the cells twice. A cell that does not originate from a gate and depends on only one feature is part of a
// comparison of this feature. If a net is read by several of the cells that count the votes of a class, these reads
// count as one read.
func ReadsOf(n *netlist.Netlist, enc *encoding.Encoder, classes int) (*Reads, error) {
	w := &walk{n: n, masks: (classes + 63) / 64, reads: &Reads{All: make([]int, enc.Features())}}
	for range classes {
		w.reads.ByClass = append(w.reads.ByClass, make([]int, enc.Features()))
	}
	if err := w.label(enc); err != nil {
		return nil, err
	}
	w.serves = make([]uint64, n.Cells()*w.masks)
	w.counted = map[netlist.Net][]uint64{}
	if err := w.begin(classes); err != nil {
		return nil, err
	}
	for c := netlist.Cell(n.Cells()); c > 0; c-- {
		w.cell(c - 1)
	}
	for v, mask := range w.counted {
		w.count(w.feature[v], mask)
	}
	return w.reads, nil
}

// These elements of walk.feature mark nets that do not depend on exactly one feature.
const (
	noFeature   = -1 // no feature
	someFeature = -2 // several features, or a gate of the model
)

// walk visits the cells from the class counts to the inputs.
type walk struct {
	n       *netlist.Netlist
	feature []int32  // indexed [net]: the only feature on which the net depends
	masks   int      // number of words in a set of classes
	serves  []uint64 // indexed [cell][masks]: the classes whose counts depend on the cell
	counted map[netlist.Net][]uint64
	reads   *Reads
}

// label sets the feature of each net that depends on only one feature.
func (w *walk) label(enc *encoding.Encoder) error {
	n := w.n
	w.feature = make([]int32, n.Nets())
	for v := range w.feature {
		w.feature[v] = noFeature
	}
	ports := n.DataInputs()
	if len(ports) != 1 || len(ports[0].Nets)%enc.Features() != 0 {
		return fmt.Errorf("netlist %q: its inputs do not match %d features; compile again", n.Name, enc.Features())
	}
	each := len(ports[0].Nets) / enc.Features()
	for i, v := range ports[0].Nets {
		w.feature[v] = int32(i / each)
	}
	for c := range netlist.Cell(n.Cells()) {
		label := int32(someFeature)
		if n.Origin(c).Layer == 0 && n.Kind(c) != netlist.Popcount {
			label = w.together(c)
		}
		for k := range n.Outputs(c) {
			w.feature[int(n.Output(c))+k] = label
		}
	}
	return nil
}

// together returns the feature on which all inputs of a cell depend. If there is not exactly one such feature, it
// returns noFeature or someFeature.
func (w *walk) together(c netlist.Cell) int32 {
	label := int32(noFeature)
	for _, v := range w.n.Inputs(c) {
		switch f := w.feature[v]; {
		case f == noFeature || f == label:
		case label == noFeature:
			label = f
		default:
			return someFeature
		}
	}
	return label
}

// begin marks the cells that drive the counts or, in scope gates, the counted bits.
func (w *walk) begin(classes int) error {
	found := 0
	for _, p := range w.n.Probes() {
		var class int
		if k, err := fmt.Sscanf(p.Name, "count_%d", &class); k == 1 && err == nil && class < classes {
			found++
			for _, v := range p.Nets {
				w.needs(v, class)
			}
		}
	}
	if found == classes {
		return nil
	}
	chains := w.n.ChainClasses()
	for _, p := range w.n.OutputPorts() {
		if p.Name == "h" && len(p.Nets) == len(chains) {
			for i, v := range p.Nets {
				if int(chains[i]) < classes {
					w.needs(v, int(chains[i]))
				}
			}
			return nil
		}
	}
	return fmt.Errorf("netlist %q: it has neither counts of %d classes nor the output h, compile again", w.n.Name, classes)
}

// needs records that the count of a class depends on a net.
func (w *walk) needs(v netlist.Net, class int) {
	mask := make([]uint64, w.masks)
	mask[class/64] = 1 << (class % 64)
	if w.feature[v] >= 0 {
		w.counts(v, mask)
	}
	w.mark(v, mask)
}

// counts records that the counting cells of some classes read a net that is a bit of one feature.
func (w *walk) counts(v netlist.Net, mask []uint64) {
	if w.counted[v] == nil {
		w.counted[v] = make([]uint64, w.masks)
	}
	merge(w.counted[v], mask)
}

// mark records that the driver of a net serves some classes.
func (w *walk) mark(v netlist.Net, mask []uint64) {
	if c, _, ok := w.n.Driver(v); ok {
		merge(w.serving(c), mask)
	}
}

func (w *walk) serving(c netlist.Cell) []uint64 { return w.serves[int(c)*w.masks:][:w.masks] }

func merge(dst, mask []uint64) {
	for i, m := range mask {
		dst[i] |= m
	}
}

// cell marks the drivers of those inputs of a cell on which the cell depends.
func (w *walk) cell(c netlist.Cell) {
	n, mask := w.n, w.serving(c)
	if !slices.ContainsFunc(mask, func(m uint64) bool { return m != 0 }) {
		return
	}
	in, used := n.Inputs(c), ^uint64(0)
	if n.Kind(c) == netlist.Function {
		used = uint64(netlist.Support(netlist.Effective(n.Param(c), in)))
	}
	var seen []int32
	for j, v := range in {
		if j < netlist.MaxFunctionInputs && used>>j&1 == 0 {
			continue
		}
		w.mark(v, mask)
		f := w.feature[v]
		if f < 0 || w.feature[n.Output(c)] >= 0 {
			continue // not a feature's own bit, or inside a comparison of the feature
		}
		if n.Origin(c).Layer == 0 {
			w.counts(v, mask)
		} else if !slices.Contains(seen, f) {
			seen = append(seen, f)
			w.count(f, mask)
		}
	}
}

// count adds a read of a feature to some classes.
func (w *walk) count(f int32, mask []uint64) {
	w.reads.All[f]++
	for i, m := range mask {
		for ; m != 0; m &= m - 1 {
			w.reads.ByClass[i*64+bits.TrailingZeros64(m)][f]++
		}
	}
}
