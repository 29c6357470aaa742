package kernel

// Edge connects a gate to one of its readers. A reader is a gate of the next layer that can read the first gate's
// output.
type Edge struct {
	Pin  uint32 // the reader's pin: 2*reader for pin A, 2*reader + 1 for pin B; [Settle] replaces it by the pin's row
	Slot uint32 // index of the edge among all edges to the next layer, in Trace.Coef
}

// Uses holds, for each gate of a layer, the edges to its readers in the order of their slots. The gradient of a gate
// is the sum of the values that its readers left. These values are added in the order of the edges, so the result
// does not depend on the number of threads.
type Uses struct {
	start    []uint32 // [width + 1]
	edges    []Edge
	choosing bool // [Nodes.Choosing] of the readers
}

// Of returns the edges of gate i. At least [edgesAhead] more elements follow these edges in memory.
func (u *Uses) Of(i int) []Edge { return u.edges[u.start[i]:u.start[i+1]] }

// Slots returns the number of hidden candidates that a gate's pin A has, and the number that its pin B has. The slots
// of gate i begin at i (a + b). Pin A's slots come first.
func (s *Gates) Slots() (a, b int) {
	if s.A == nil {
		a = 1
	} else if s.A.Hidden {
		a = s.A.K
	}
	if s.B.Hidden {
		b = s.B.K
	}
	return a, b
}

// NewUses returns the edges from a layer of the given width to its readers. The readers are the gates of section s in
// the given layer, which is counted within the section. Candidates must be below width, and there must be fewer than
// 1<<32 edges.
func NewUses(s *Gates, layer, width int) *Uses {
	return usesOf(width, func(f func(gate uint32, e Edge)) { s.eachEdge(layer, width, f) })
}

// usesOf returns the edges of a layer of the given width. The function each must call its argument for every edge, in
// the order of slots.
func usesOf(width int, each func(f func(gate uint32, e Edge))) *Uses {
	u := &Uses{start: make([]uint32, width+1)}
	each(func(gate uint32, _ Edge) { u.start[gate+1]++ })
	for i := range width {
		u.start[i+1] += u.start[i]
	}
	u.edges = newEdges(int(u.start[width]))
	next := append([]uint32(nil), u.start[:width]...)
	each(func(gate uint32, e Edge) {
		u.edges[next[gate]] = e
		next[gate]++
	})
	return u
}

func newEdges(n int) []Edge { return make([]Edge, n+edgesAhead)[:n] }

// NewClassUses returns the edges from the last layer to its readers, which are the sums of the classes. In the trace
// of these readers, classes take the place of gates (see [NewClassTrace]).
func NewClassUses(width, classes int) *Uses {
	u := &Uses{start: make([]uint32, width+1), edges: newEdges(width)}
	for i := range width {
		c := uint32(i / (width / classes))
		u.start[i+1], u.edges[i] = uint32(i+1), Edge{2 * c, c}
	}
	return u
}

// NewClassTrace returns the trace of the class sums. The gradients of these sums are in delta, [classes][row]. The
// derivative of a sum with respect to each of its gates is one.
func NewClassTrace(delta []float32, classes, words int) *Trace {
	t := &Trace{Delta: delta, Bits: make([]uint64, 2*classes*words), Coef: make([]float32, 2*classes)}
	for i := range t.Coef {
		t.Coef[i] = 1
	}
	return t
}

// eachEdge calls f for all edges into a layer, in the order of slots. It passes the edge and the gate that the edge's
// pin reads.
func (s *Gates) eachEdge(layer, width int, f func(gate uint32, e Edge)) {
	slotsA, slotsB := s.Slots()
	for i := range width {
		g, slot := i*s.Layers+layer, i*(slotsA+slotsB)
		for j := range slotsA {
			gate := uint32(i)
			if s.A != nil {
				gate = s.A.Wire(g*slotsA + j)
			}
			f(gate, Edge{uint32(2 * i), uint32(slot + j)})
		}
		for j := range slotsB {
			f(s.B.Wire(g*slotsB+j), Edge{uint32(2*i + 1), uint32(slot + slotsA + j)})
		}
	}
}

// Trace holds the values that the update of a layer leaves for the update of the previous layer.
type Trace struct {
	// These fields are used with hard values. Delta holds the gradients of the gates' outputs, [width][row]. Bits
	// holds the values of the gates' pins, [width][2][words]. For each slot, Coef holds two derivatives of the
	// reader's output with respect to the gate that the slot refers to. The first derivative applies if the reader's
	// other pin is 0, and the second if that pin is 1.
	Delta []float32
	Bits  []uint64
	Coef  []float32 // [width][slots][2]

	// These fields are used with relaxed values. Pins holds the gradients of the gates' pins, [rows of Settle][row].
	// Share holds the probability of each slot's candidate.
	Pins  []float32
	Share []float32

	// If the pins of a layer with hard values are rounded to 8 bits ([NodePass.rounds]), these fields replace Pins.
	// Rounded holds the integers in the order of [fourth], [pins that read the previous layer][row]. Steps holds the
	// value of one integer step of each row.
	Rounded []int8
	Steps   []float32
}

// gatherRounded is like [Trace.gatherRelaxed], but the gradients of the pins are rounded to 8 bits. The number of
// values must be a multiple of 32.
func (t *Trace) gatherRounded(dst []float32, edges []Edge, row int) {
	clear(dst)
	for _, e := range edges {
		q, f := t.Rounded[int(e.Pin)*row:][:len(dst)], float32(t.Share[e.Slot]*t.Steps[e.Pin])
		for s := range dst {
			dst[s] += float32(float32(q[fourth(s)]) * f)
		}
	}
}

// gather writes the gradient of a gate's output to dst. The gradient is the sum of the values that each reader left
// in t. The sum starts at +0 and follows the order of the edges. The products are rounded.
func (t *Trace) gather(dst []float32, edges []Edge, words int) {
	clear(dst)
	row := 64 * words
	for _, e := range edges {
		d := t.Delta[int(e.Pin/2)*row:][:len(dst)]
		other := t.Bits[int(e.Pin^1)*words:][:words]
		c := (*[2]float32)(t.Coef[2*int(e.Slot):])
		for s := range dst {
			dst[s] += float32(d[s] * c[other[s/64]>>(s%64)&1])
		}
	}
}
