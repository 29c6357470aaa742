package lut

import (
	"cmp"
	"math"
	"slices"
)

// Logic that is not a private chain is covered by cuts. As long as a node has unvisited readers, its few best cuts
// (priority cuts) are stored. A pass visits all nodes and chooses the best cut of each node. The first pass minimises
// depth, which gives the fewest levels that cuts can reach. Later passes choose cuts of small area among the cuts
// that do not arrive too late. First they use area flow, which shares the cost of a node among its readers. Then they
// use the exact number of LUTs that a cut adds to the cover.
//
// The method is from Mishchenko, Cho, Chatterjee and Brayton, "Combinational and sequential mapping with priority
// cuts", ICCAD 2007.

// keep is the number of cuts that are stored for each node and merged into the cuts of its readers.
const keep = 8

// mode is the goal of a pass, which it minimises.
type mode uint8

const (
	byDepth mode = iota // depth, then area flow
	byFlow              // area flow, among the cuts in time
	byArea              // exact area, among the cuts in time
)

// cover chooses a cut for each node.
type cover struct {
	*network
	best     []cut
	arrival  []int32   // [node]: level at which its best cut arrives
	required []int32   // [node of the cover]: level by which the node has to arrive
	refs     []int32   // [node]: number of LUTs and roots of the cover that read the node
	readers  []float32 // [node]: estimated number of readers in the final cover
	flow     []float32 // [node]: area flow

	pending []int32 // [node]: number of readers in the network
	left    []int32 // [node]: number of readers that this pass has not visited yet
	sets    [][]cut // cut sets of the nodes that still have unvisited readers
	free    [][]cut
	set     []cut     // cut set of the current node
	from    [3]*cut   // cuts of the current node's inputs that are being merged
	own     [3][1]cut // trivial cuts of the current node's inputs that are leaves
}

func newCover(w *network) *cover {
	n := len(w.nodes)
	c := &cover{
		network: w, best: make([]cut, n), arrival: make([]int32, n), required: make([]int32, n), refs: make([]int32, n),
		readers: make([]float32, n), flow: make([]float32, n), pending: make([]int32, n), left: make([]int32, n),
		sets: make([][]cut, n),
	}
	for i := range w.nodes {
		for _, v := range w.nodes[i].inputs() {
			c.pending[v]++
		}
	}
	return c
}

// run chooses a cover of few LUTs whose roots arrive in at most the given number of levels (depth). If this is
// impossible, they arrive in the fewest levels possible. run returns the number of levels and the number of LUTs.
func (c *cover) run(depth int) (levels, luts int) {
	for v := range c.readers {
		c.readers[v] = float32(max(1, c.pending[v]))
	}
	c.pass(byDepth)
	due := max(int32(min(depth, unbounded)), c.levels())
	for _, m := range []mode{byFlow, byFlow, byArea, byArea} {
		c.require(due)
		c.pass(m)
	}
	c.require(due)
	for v := range c.nodes {
		if c.refs[v] > 0 && c.nodes[v].ins > 0 && !c.best[v].wire() {
			luts++
		}
	}
	return int(c.levels()), luts
}

// levels returns the latest arrival of a root.
func (c *cover) levels() (latest int32) {
	for _, v := range c.roots {
		latest = max(latest, c.arrival[v])
	}
	return latest
}

// require derives the cover from the best cuts. It counts the readers of each node and finds the level by which the
// node must arrive so that all roots arrive by the given level (due).
func (c *cover) require(due int32) {
	for v := range c.refs {
		c.refs[v], c.required[v] = 0, math.MaxInt32
	}
	for _, v := range c.roots {
		c.refs[v], c.required[v] = 1, due
	}
	for v := len(c.nodes) - 1; v > 0; v-- {
		if c.refs[v] == 0 || c.nodes[v].ins == 0 {
			continue
		}
		due := c.required[v] - 1
		if c.best[v].wire() {
			due++
		}
		for _, l := range c.best[v].leaves() {
			c.refs[l]++
			c.required[l] = min(c.required[l], due)
		}
	}
	for v := range c.readers {
		c.readers[v] = (c.readers[v] + 2*float32(max(1, c.refs[v]))) / 3
	}
}

// pass chooses the best cut of every node again.
func (c *cover) pass(m mode) {
	copy(c.left, c.pending)
	for v := range int32(len(c.nodes)) {
		if c.nodes[v].ins == 0 {
			continue
		}
		taken := m == byArea && c.refs[v] > 0
		if taken {
			c.release(&c.best[v])
		}
		c.candidates(v, m)
		best := c.set[0]
		c.best[v], c.arrival[v], c.flow[v] = best, best.depth, c.flowOf(&best)/c.readers[v]
		if taken {
			c.take(&best)
		}
		c.store(v)
	}
}

// store keeps the cuts of node v for its readers. It drops the cuts of inputs that have no other
// unvisited reader.
func (c *cover) store(v int32) {
	for _, u := range c.nodes[v].inputs() {
		if c.left[u]--; c.left[u] == 0 && c.sets[u] != nil {
			c.free = append(c.free, c.sets[u])
			c.sets[u] = nil
		}
	}
	if c.left[v] == 0 {
		return
	}
	var set []cut
	if n := len(c.free); n > 0 {
		set, c.free = c.free[n-1][:0], c.free[:n-1]
	} else {
		set = make([]cut, 0, keep+1)
	}
	c.sets[v] = append(append(set, c.set[:min(len(c.set), keep)]...), trivial(v))
}

// candidates sets c.set to the best cuts of node v. The best cut comes first. None of these cuts arrives too late.
// There is always at least one, which is the cut from the previous pass.
func (c *cover) candidates(v int32, m mode) {
	c.set = c.set[:0]
	if m != byDepth {
		c.offer(v, m, c.best[v])
	}
	if one, ok := c.wide[v]; ok {
		c.offer(v, m, one)
	}
	c.merge(v, m, cut{}, 0)
	if m != byArea {
		return
	}
	for i := range c.set {
		c.set[i].area = float32(c.take(&c.set[i]))
		c.release(&c.set[i])
	}
	slices.SortStableFunc(c.set, m.compare)
}

// merge calls the method offer for all unions of one cut from each input of node v. The cuts of the first inputs are
// already chosen. The argument chosen is the number of these inputs, and the argument with is the union of their
// cuts.
func (c *cover) merge(v int32, m mode, with cut, chosen int) {
	n := &c.nodes[v]
	if chosen == int(n.ins) {
		var in [3]uint64
		for j, one := range c.from[:chosen] {
			in[j] = one.over(&with)
		}
		with.table = n.eval(in)
		with.shrink()
		c.offer(v, m, with)
		return
	}
	u := n.in[chosen]
	set := c.sets[u]
	if set == nil {
		c.own[chosen][0] = trivial(u)
		set = c.own[chosen][:]
	}
	for i := range set {
		if union, ok := merge(&with, &set[i], c.k); ok {
			c.from[chosen] = &set[i]
			c.merge(v, m, union, chosen+1)
		}
	}
}

// compare orders cuts by the goal of the pass.
func (m mode) compare(a, b cut) int {
	if m == byDepth {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.area, b.area), cmp.Compare(a.n, b.n))
	}
	return cmp.Or(cmp.Compare(a.area, b.area), cmp.Compare(a.depth, b.depth), cmp.Compare(a.n, b.n))
}

// offer adds a cut to c.set if it is in time and among the best cuts. It does not add a cut if its leaves include all
// leaves of a cut that c.set already has.
func (c *cover) offer(v int32, m mode, one cut) {
	one.depth = 0
	for _, l := range one.leaves() {
		one.depth = max(one.depth, c.arrival[l])
	}
	if !one.wire() {
		one.depth++
	}
	if m != byDepth && one.depth > c.required[v] {
		return
	}
	for i := range c.set {
		if within(&c.set[i], &one) {
			return
		}
	}
	one.area = c.flowOf(&one)
	c.set = slices.DeleteFunc(c.set, func(o cut) bool { return within(&one, &o) })
	at, _ := slices.BinarySearchFunc(c.set, one, func(a, b cut) int { return cmp.Or(m.compare(a, b), -1) })
	if at < keep {
		c.set = slices.Insert(c.set, at, one)
		c.set = c.set[:min(len(c.set), keep)]
	}
}

// flowOf returns the area flow of a cut.
func (c *cover) flowOf(one *cut) float32 {
	area := float32(1)
	if one.wire() {
		area = 0
	}
	for _, l := range one.leaves() {
		area += c.flow[l]
	}
	return area
}

// take adds a cut to the cover, together with all cuts that this cut needs. It returns the number of added LUTs.
func (c *cover) take(one *cut) int {
	luts := 1
	if one.wire() {
		luts = 0
	}
	for _, l := range one.leaves() {
		if c.refs[l]++; c.refs[l] == 1 && c.nodes[l].ins > 0 {
			luts += c.take(&c.best[l])
		}
	}
	return luts
}

// release undoes take.
func (c *cover) release(one *cut) {
	for _, l := range one.leaves() {
		if c.refs[l]--; c.refs[l] == 0 && c.nodes[l].ins > 0 {
			c.release(&c.best[l])
		}
	}
}
