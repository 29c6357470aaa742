package prune

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"ialgn/trainer/model"
)

// chooseNodes chooses a share of the nodes below the last layer on which a counted bit depends, and makes them constant
// in the network.
func (t *Task) chooseNodes(ctx context.Context, n *network, share float64) ([]Constant, error) {
	var chosen []Constant
	all := len(below(n.live()))
	remove := rounded(share, all)
	each := (remove + nodeRounds - 1) / nodeRounds
	for len(chosen) < remove {
		order, err := t.judge(ctx, n)
		if err != nil {
			return nil, err
		}
		gone := 0
		for _, c := range order {
			if gone < min(each, remove-len(chosen)) && (gone == 0 || n.live()[c.Layer][c.Node]) {
				chosen = append(chosen, c.Constant)
				n.fix(c.Constant)
				gone++
			}
		}
		if gone == 0 {
			break // nothing matters any more
		}
	}
	return chosen, nil
}

// below returns the nodes that are live below the last layer.
func below(live [][]bool) (nodes []Constant) {
	for l := range live[:len(live)-1] {
		for i, is := range live[l] {
			if is {
				nodes = append(nodes, Constant{Layer: l, Node: i})
			}
		}
	}
	return nodes
}

// judged is a constant with what the loss of all samples changes by.
type judged struct {
	Constant
	change float64
}

// judge returns the better constant of each live node below the last layer, by what the loss changes by.
//
// A constant differs from what a node computes where its value is the other one. So one pass with the node's value
// negated, through all that depends on it, says what either costs: each sample belongs to one of the two.
func (t *Task) judge(ctx context.Context, n *network) ([]judged, error) {
	live := n.live()
	nodes := below(live)
	changes := make([][2]float64, len(nodes)) // by the value of the constant
	c := t.crew()
	b := t.newBlock(n.Frozen, c)
	j := &judge{network: n, block: b, live: live, loss: newLoss(n.Frozen, t.Tau), labels: t.Samples.Labels}
	j.makeRoom()
	cones := make([]*cone, c.Size())
	for i := range cones {
		cones[i] = newCone(j)
	}
	for k := range t.blocks() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.run(k, t.Samples.Len())
		c.Run(func(member int) { j.weigh(b.samples*member/c.Size(), b.samples*(member+1)/c.Size()) })
		c.Run(func(member int) {
			for i := len(nodes) * member / c.Size(); i < len(nodes)*(member+1)/c.Size(); i++ {
				cones[member].negate(nodes[i].Layer, nodes[i].Node, &changes[i])
			}
		})
	}
	order := make([]judged, len(nodes))
	for i, node := range nodes {
		node.Value = changes[i][1] < changes[i][0]
		order[i] = judged{node, min(changes[i][0], changes[i][1])}
	}
	slices.SortStableFunc(order, func(a, b judged) int { return cmp.Compare(a.change, b.change) })
	return order, nil
}

// judge is what all goroutines know about a block.
type judge struct {
	*network
	*loss
	block  *block
	live   [][]bool
	labels []uint8

	// What a sample's loss changes by if a class's count is one less or one more, [classes][samples].
	steps [2][]float64
}

func (j *judge) makeRoom() {
	for i := range j.steps {
		j.steps[i] = make([]float64, len(j.Classes)*64*blockWords)
	}
}

// counts returns the class counts of a sample of the block.
func (j *judge) counts(s int) []int32 { return j.block.counts[s*len(j.Classes):][:len(j.Classes)] }

// weigh computes the steps of some samples of the block.
func (j *judge) weigh(from, to int) {
	for s := from; s < to; s++ {
		j.changes(j.counts(s), j.labels[j.block.from+s], func(class int, less, more float64) {
			j.steps[0][class*64*blockWords+s], j.steps[1][class*64*blockWords+s] = less, more
		})
	}
}

// cone is what depends on a node, with other values than the block has: the scratch of a goroutine.
type cone struct {
	*judge
	now, next changed
	pins      [][]uint64
	row       [blockWords]uint64
	other     []int32 // class counts of a sample
}

// changed are the nodes of a layer whose values are others.
type changed struct {
	at    []int32 // by node, its place among them, from 1; 0: not looked at, -1: not changed
	seen  []int   // nodes that were looked at
	nodes []int
	rows  []uint64 // [nodes][blockWords]
}

func newCone(j *judge) *cone {
	widest := 0
	for l := range j.Layers {
		widest = max(widest, j.Layers[l].Width())
	}
	c := &cone{judge: j, other: make([]int32, len(j.Classes))}
	c.now.at, c.next.at = make([]int32, widest), make([]int32, widest)
	return c
}

// clear forgets all nodes.
func (c *changed) clear() {
	for _, i := range c.seen {
		c.at[i] = 0
	}
	c.seen, c.nodes, c.rows = c.seen[:0], c.nodes[:0], c.rows[:0]
}

// add adds a node that was not looked at, if its values are others.
func (c *changed) add(node int, row, was []uint64) {
	c.seen = append(c.seen, node)
	if slices.Equal(row, was) {
		c.at[node] = -1
		return
	}
	c.nodes = append(c.nodes, node)
	c.rows = append(c.rows, row...)
	c.at[node] = int32(len(c.nodes))
}

// negate adds to changes what the loss of the block's samples changes by if a node has the other value, under that.
func (c *cone) negate(layer, node int, changes *[2]float64) {
	was := c.block.layers[layer][node*blockWords:][:blockWords]
	for w, x := range was {
		c.row[w] = ^x
	}
	c.now.clear()
	c.now.add(node, c.row[:], was)
	for l := layer + 1; l < len(c.Layers); l++ {
		c.next.clear()
		for _, i := range c.now.nodes {
			for _, r := range c.readers[l-1][i] {
				c.read(l, int(r.node), int(r.pin))
			}
		}
		c.now, c.next = c.next, c.now
	}
	for w := range blockWords {
		c.sum(w, was[w], changes)
	}
}

// read computes a node of a layer with the changed values of the layer before, one of which a pin of it reads.
func (c *cone) read(l, node, pin int) {
	layer := &c.Layers[l]
	table := layer.Op.At(node)
	if c.next.at[node] != 0 || !c.live[l][node] || !model.DependsOn(table, len(layer.Pins), pin) {
		return
	}
	c.pins = c.pins[:0]
	for k := range layer.Pins {
		p := &layer.Pins[k]
		row := c.block.row(l, p, node)
		if p.Source == model.Previous {
			if at := c.now.at[p.Index[node]]; at > 0 {
				row = c.now.rows[int(at-1)*blockWords:][:blockWords]
			}
		}
		c.pins = append(c.pins, row)
	}
	model.ApplyTable(table, c.row[:], c.pins)
	c.next.add(node, c.row[:], c.block.layers[l][node*blockWords:][:blockWords])
}

// sum adds what the loss of a word of samples changes by, of which the counted bits are those of now: for each sample
// under the negation of its bit in was. First come samples with one changed bit, bit by bit, then the others.
func (c *cone) sum(w int, was uint64, changes *[2]float64) {
	last := c.block.layers[len(c.Layers)-1]
	group := c.Width / len(c.Classes)
	once, more := uint64(0), uint64(0)
	for k, i := range c.now.nodes {
		differ := (c.now.rows[k*blockWords+w] ^ last[i*blockWords+w]) & c.block.valid(w)
		more |= once & differ
		once |= differ
	}
	for k, i := range c.now.nodes {
		row := c.now.rows[k*blockWords+w]
		for differ := (row ^ last[i*blockWords+w]) & once &^ more; differ != 0; differ &= differ - 1 {
			s := bits.TrailingZeros64(differ)
			changes[was>>s&1^1] += c.steps[row>>s&1][i/group*64*blockWords+64*w+s]
		}
	}
	for ; more != 0; more &= more - 1 {
		s := bits.TrailingZeros64(more)
		now := c.counts(64*w + s)
		copy(c.other, now)
		for k, i := range c.now.nodes {
			c.other[i/group] += int32(c.now.rows[k*blockWords+w]>>s&1) - int32(last[i*blockWords+w]>>s&1)
		}
		y := c.labels[c.block.from+64*w+s]
		changes[was>>s&1^1] += c.of(c.other, y) - c.of(now, y)
	}
}
