package pipeline

import "math"

// programme is an integer programme over difference constraints. It maximises the sum of gain times
// value. Each arc requires value[to] >= value[from] + gap, and no value exceeds maxValue.
//
// Its dual is a minimum-cost flow, so the solutions are integers without extra effort. The programme is solved by the
// primal-dual method of Ford and Fulkerson, which starts from the least solution. Nodes whose gain is positive send
// flow to nodes whose gain is negative or that have reached maxValue. Flow runs along tight arcs: if the value at one
// end of a tight arc rises, the value at the other end must rise, too. When no more flow is possible, the values of
// all nodes that can be reached from nodes with a remaining gain rise together by one. Then the nodes send flow
// again. No node rises more than maxValue times, and a flow stays valid while values rise. So the total work is
// little more than one maximum flow (Dinic), in steps whose time is proportional to the number of arcs.
type programme struct {
	maxValue int32
	value    []int32 // starts as the least solution
	gain     []int32
	arcs     []arc

	first  []int32 // arcs from node v: first[v] .. first[v+1]-1
	into   []int32 // numbers of the arcs into node v: into[start[v]] .. into[start[v+1]-1]
	start  []int32
	depth  []int32 // distance in the layered graph; -1: unreachable
	cursor []int32
	queue  []int32
}

type arc struct {
	from, to int32
	gap      int32
	flow     int32
}

// node adds a node and returns its number.
func (p *programme) node(value, gain int32) int32 {
	p.value, p.gain = append(p.value, value), append(p.gain, gain)
	return int32(len(p.value) - 1)
}

// arc adds a constraint and raises value[to] to meet it. If arcs are added in topological order,
// the values are the least solution.
func (p *programme) arc(from, to, gap int32) {
	p.arcs = append(p.arcs, arc{from: from, to: to, gap: gap})
	p.value[to] = max(p.value[to], p.value[from]+gap)
}

// solve sets the values to the smallest optimal solution.
func (p *programme) solve() {
	p.index()
	for {
		supply, demand := p.layers()
		if !supply {
			return
		}
		if !demand {
			p.raise()
			continue
		}
		clear(p.cursor)
		for v := range p.gain {
			if p.gain[v] > 0 {
				p.gain[v] -= p.push(int32(v), p.gain[v])
			}
		}
	}
}

// index sorts the arcs by the node where they begin, and makes lists of the arcs that end at each node.
func (p *programme) index() {
	nodes := len(p.value)
	p.first, p.start = make([]int32, nodes+1), make([]int32, nodes+1)
	for _, a := range p.arcs {
		p.first[a.from+1]++
		p.start[a.to+1]++
	}
	for v := range nodes {
		p.first[v+1] += p.first[v]
		p.start[v+1] += p.start[v]
	}
	p.depth, p.cursor = make([]int32, nodes), make([]int32, nodes)
	sorted := make([]arc, len(p.arcs))
	for _, a := range p.arcs {
		sorted[p.first[a.from]+p.cursor[a.from]] = a
		p.cursor[a.from]++
	}
	p.arcs, p.into = sorted, make([]int32, len(sorted))
	clear(p.cursor)
	for i, a := range p.arcs {
		p.into[p.start[a.to]+p.cursor[a.to]] = int32(i)
		p.cursor[a.to]++
	}
}

// layers finds the distance of each node from the nodes that have a gain left. The result supply says whether there
// is a node with a gain left. The result demand says whether a node with a demand can be reached.
func (p *programme) layers() (supply, demand bool) {
	p.queue = p.queue[:0]
	for v, g := range p.gain {
		p.depth[v] = -1
		if g > 0 {
			p.depth[v] = 0
			p.queue = append(p.queue, int32(v))
		}
	}
	supply = len(p.queue) > 0
	for i := 0; i < len(p.queue); i++ {
		v := p.queue[i]
		demand = demand || p.gain[v] < 0 || p.value[v] == p.maxValue
		for k := range p.degree(v) {
			if _, w, capacity := p.residual(v, k); capacity > 0 && p.depth[w] < 0 {
				p.depth[w] = p.depth[v] + 1
				p.queue = append(p.queue, w)
			}
		}
	}
	return supply, demand
}

func (p *programme) degree(v int32) int32 {
	return p.first[v+1] - p.first[v] + p.start[v+1] - p.start[v]
}

// residual returns the k-th arc at node v and the node w at the arc's other end. The capacity is the flow that can
// still be added from v to w. Along the direction of the arc, the flow is unlimited if the arc is tight, and 0
// otherwise. Against the direction of the arc, it is the arc's present flow.
func (p *programme) residual(v, k int32) (a *arc, w, capacity int32) {
	out := p.first[v+1] - p.first[v]
	if k >= out {
		a = &p.arcs[p.into[p.start[v]+k-out]]
		return a, a.from, a.flow
	}
	a = &p.arcs[p.first[v]+k]
	if p.value[a.to] == p.value[v]+a.gap {
		capacity = math.MaxInt32
	}
	return a, a.to, capacity
}

// push sends up to the given amount of flow on from v, and returns the amount that it has sent. Flow that reaches a
// node at maxValue leaves the network.
func (p *programme) push(v, amount int32) (sent int32) {
	if p.value[v] == p.maxValue {
		return amount
	}
	if p.gain[v] < 0 {
		sent = min(amount, -p.gain[v])
		p.gain[v] += sent
	}
	for degree := p.degree(v); sent < amount && p.cursor[v] < degree; p.cursor[v]++ {
		a, w, capacity := p.residual(v, p.cursor[v])
		if capacity == 0 || p.depth[w] != p.depth[v]+1 {
			continue
		}
		got := p.push(w, min(amount-sent, capacity))
		sent += got
		if a.from == v {
			a.flow += got
		} else {
			a.flow -= got
		}
		if sent == amount {
			break // the arc may take more flow later
		}
	}
	return sent
}

// raise adds one to the values of all nodes that the last call of layers reached.
func (p *programme) raise() {
	for _, v := range p.queue {
		p.value[v]++
	}
}
