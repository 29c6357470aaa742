package head

import (
	"cmp"
	"slices"

	"ialgn/netlist"
)

// matcher pairs gates that are not taken. It makes the largest possible number of pairs.
type matcher struct {
	*absorber
	free []int // the gates that are not taken; gates with many inputs come first
	mate []int // [gate]: the other gate of its pair, or one of the constants single and gone
}

// These are the values of mate for a gate without a mate.
const (
	single = -1 - iota // a mate may be found
	gone               // a group or a row has taken the gate
)

// match returns the pairs. It first pairs gates that fit together only because they share inputs. This leaves gates
// with few inputs for other pairs.
func (a *absorber) match() (pairs []pair) {
	m := &matcher{absorber: a, mate: make([]int, len(a.gates))}
	for i := range a.gates {
		if m.mate[i] = gone; !a.taken[a.gates[i].input] {
			m.mate[i] = single
			m.free = append(m.free, i)
		}
	}
	slices.Reverse(m.free)
	for _, i := range m.free {
		m.augment(i)
	}
	m.apart()
	for i, j := range m.mate {
		if i < j {
			p, _ := pairOf(a.k, &a.gates[i], &a.gates[j])
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// sharing returns the gates, taken or not, that fit into a pair with gate i only because they share inputs with gate
// i.
func (a *absorber) sharing(i int) []int {
	if a.near[i] != nil {
		return a.near[i]
	}
	it, list := &a.gates[i], []int{}
	for _, v := range it.leaves {
		for _, j := range a.readers[v] {
			other := &a.gates[j]
			if j == i || len(it.leaves)+len(other.leaves) <= a.k || slices.Contains(list, j) {
				continue
			}
			if _, ok := pairOf(a.k, it, other); ok {
				list = append(list, j)
			}
		}
	}
	a.near[i] = list
	return list
}

// augment finds a mate for gate i. The mate may be taken from another gate that gets a new mate.
func (m *matcher) augment(i int) {
	if m.mate[i] >= 0 {
		return
	}
	near := m.sharing(i)
	for _, j := range near {
		if m.mate[j] == single {
			m.mate[i], m.mate[j] = j, i
			return
		}
	}
	for _, j := range near {
		left := m.mate[j]
		if left == gone {
			continue
		}
		for _, k := range m.sharing(left) {
			if m.mate[k] == single && k != i {
				m.mate[i], m.mate[j], m.mate[left], m.mate[k] = j, i, k, left
				return
			}
		}
	}
}

// apart pairs the remaining gates without regard to shared inputs. It begins with the largest gates, and pairs each
// gate with the largest gate that fits.
func (m *matcher) apart() {
	var rest [netlist.MaxFunctionInputs + 1][]int // gates still unpaired, by their number of inputs
	for _, i := range m.free {
		if m.mate[i] < 0 {
			rest[len(m.gates[i].leaves)] = append(rest[len(m.gates[i].leaves)], i)
		}
	}
	for size := m.k - 2; size >= 2; size-- {
		for other := min(size, m.k-size); other >= 2; other-- {
			for len(rest[other]) > 0 && len(rest[size]) > 0 && (other < size || len(rest[size]) > 1) {
				i := rest[size][0]
				rest[size] = rest[size][1:]
				j := rest[other][0]
				rest[other] = rest[other][1:]
				m.mate[i], m.mate[j] = j, i
			}
		}
	}
}

// placeRows makes rows of the gates that are not taken. If there are more pairs than rows have room
// for, some pairs are split again to begin new rows.
func (a *absorber) placeRows() {
	pairs := a.match()
	slices.SortStableFunc(pairs, func(p, q pair) int { return cmp.Compare(len(q.a.leaves), len(p.a.leaves)) })
	firsts := a.unpaired(pairs)
	room := a.room(firsts)
	for at := len(pairs) - 1; at >= 0 && room < len(pairs); at-- {
		if a.takeAlone(&pairs[at]) {
			pairs = slices.Delete(pairs, at, at+1)
		}
	}
	for ; room < len(pairs); pairs = pairs[1:] {
		more := []item{pairs[0].b, pairs[0].a}
		firsts, room = append(firsts, more...), room+a.room(more)
	}
	slices.SortStableFunc(firsts, func(x, y item) int { return len(y.leaves) - len(x.leaves) })
	queue := queueOf(pairs)
	for _, first := range firsts {
		r := row{first: first}
		for p := queue.take(a.k, &r); p != nil; p = queue.take(a.k, &r) {
			r.pairs = slices.Insert(r.pairs, 0, *p)
		}
		if len(r.pairs) > 0 {
			a.takeRow(r)
		}
	}
}

// takeAlone takes a pair as a separate group if this is as good as a place in a row. Some inputs of the pair may be
// counted themselves. The group then counts these inputs, too.
func (a *absorber) takeAlone(p *pair) bool {
	g := group{}
	g.add(p.a)
	g.add(p.b)
	if len(g.leaves) > a.k {
		return false
	}
	g = a.topped(g)
	ok := a.rate(&g)*float64(g.gates()) >= worthOfBit(a.k)
	if ok {
		a.take(g)
	}
	return ok
}

// pairQueue holds pairs by the number of inputs of their smaller gate. Only this number decides whether a pair fits
// a row.
type pairQueue [netlist.MaxFunctionInputs + 1][]pair

// queueOf returns a queue of the given pairs. They must be in descending order of the number of inputs of the
// smaller gate.
func queueOf(pairs []pair) (q pairQueue) {
	for len(pairs) > 0 {
		size, end := len(pairs[0].a.leaves), 1
		for end < len(pairs) && len(pairs[end].a.leaves) == size {
			end++
		}
		q[size], pairs = pairs[:end], pairs[end:]
	}
	return q
}

// take removes and returns the first pair in the queue that fits the row, or nil if none fits.
func (q *pairQueue) take(k int, r *row) *pair {
	for size := len(q) - 1; size >= 0; size-- {
		if same := q[size]; len(same) > 0 && r.fits(k, &same[0]) {
			q[size] = same[1:]
			return &same[0]
		}
	}
	return nil
}

// unpaired returns the gates that can begin a row and are not in a pair.
func (a *absorber) unpaired(pairs []pair) (list []item) {
	paired := map[int]bool{}
	for _, p := range pairs {
		paired[p.a.input], paired[p.b.input] = true, true
	}
	for _, it := range a.gates {
		if !a.taken[it.input] && !paired[it.input] && len(it.leaves) < a.k {
			list = append(list, it)
		}
	}
	return list
}

// room returns an estimate of the number of pairs that fit into rows that begin with the given items.
func (a *absorber) room(firsts []item) (room int) {
	for _, it := range firsts {
		room += max(0, min(a.k-len(it.leaves), a.k/2-1))
	}
	return room
}

func (a *absorber) takeRow(r row) {
	for _, it := range r.items() {
		a.taken[it.input] = true
	}
	a.rows = append(a.rows, r)
}
