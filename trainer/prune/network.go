package prune

import "ialgn/trainer/model"

// network is a frozen network some of whose nodes become constant. Its tables are its own: those of the readers of
// constants do not depend on them any more, so that each shows what matters still.
type network struct {
	*model.Frozen
	readers [][][]reader // by layer and node: the pins that read it, in the layer after
}

// reader is a pin of a node.
type reader struct {
	node uint32
	pin  uint8
}

func newNetwork(f *model.Frozen) *network {
	work := *f
	work.Layers = nil
	n := &network{Frozen: &work}
	for l := range f.Layers {
		from := &f.Layers[l]
		layer := model.FrozenLayer{Op: model.MakeTables(from.Width(), len(from.Pins)), Pins: from.Pins}
		for i := range from.Width() {
			layer.Op.Set(i, from.Op.At(i))
		}
		work.Layers = append(work.Layers, layer)
		n.readers = append(n.readers, make([][]reader, from.Width()))
		for i := range from.Width() {
			for k := range from.Pins {
				if p := &from.Pins[k]; p.Source == model.Previous {
					n.readers[l-1][p.Index[i]] = append(n.readers[l-1][p.Index[i]], reader{uint32(i), uint8(k)})
				}
			}
		}
	}
	for l := range n.Layers {
		for i := range n.Layers[l].Width() {
			n.spread(l, i)
		}
	}
	return n
}

// fix makes a node a constant.
func (n *network) fix(c Constant) {
	layer := &n.Layers[c.Layer]
	table := uint64(0)
	if c.Value {
		table = model.LastTable(len(layer.Pins))
	}
	layer.Op.Set(c.Node, table)
	n.spread(c.Layer, c.Node)
}

// spread restricts the tables of the readers of a node, if that is a constant, and of the readers of those that become
// constant by it.
func (n *network) spread(layer, node int) {
	l := &n.Layers[layer]
	table := l.Op.At(node)
	if layer == len(n.Layers)-1 || table != 0 && table != model.LastTable(len(l.Pins)) {
		return
	}
	above := &n.Layers[layer+1]
	for _, r := range n.readers[layer][node] {
		is := above.Op.At(int(r.node))
		if restricted := model.Restrict(is, len(above.Pins), int(r.pin), table != 0); restricted != is {
			above.Op.Set(int(r.node), restricted)
			n.spread(layer+1, int(r.node))
		}
	}
}

// live reports by layer and node whether a counted bit depends on it. Constants are not live.
func (n *network) live() [][]bool {
	last := len(n.Layers) - 1
	all := make([][]bool, last+1)
	for l := range n.Layers {
		all[l] = make([]bool, n.Layers[l].Width())
	}
	for i := range all[last] {
		table := n.Layers[last].Op.At(i)
		all[last][i] = table != 0 && table != model.LastTable(len(n.Layers[last].Pins))
	}
	for l := last; l > 0; l-- {
		layer := &n.Layers[l]
		for i, is := range all[l] {
			for k := range layer.Pins {
				p := &layer.Pins[k]
				if is && p.Source == model.Previous && model.DependsOn(layer.Op.At(i), len(layer.Pins), k) {
					all[l-1][p.Index[i]] = true
				}
			}
		}
	}
	return all
}
