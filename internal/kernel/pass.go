package kernel

// Logits holds the k logits of a softmax for each gate of a section. It also holds the moments of the logits and each
// gate's largest logit. The gates are ordered chain by chain.
type Logits struct {
	W, M, V []float32 // [gates][k]
	Top     []float32 // [gates]
}

// Pin selects a bit among K candidates for each gate of a section. A pin with one candidate has no logits.
type Pin struct {
	K      int
	Hidden bool // the candidates are gates of the previous layer, not input bits
	Logits
	Narrow []uint16 // wires, [gates][K]; either Narrow or Wide is in use
	Wide   []uint32
	Bit    []uint32 // the selected bit, [gates]
}

// Wire returns wire i.
func (p *Pin) Wire(i int) uint32 {
	if p.Wide != nil {
		return p.Wide[i]
	}
	return uint32(p.Narrow[i])
}

// Gates is a section of a network, together with its state. A section has Layers gates in each chain.
type Gates struct {
	Layers int
	Light  bool    // gates have four truth-table logits instead of 16 operation logits
	Logits         // operation logits; Top is not set for light gates
	Op     []uint8 // the selected operation
	A      *Pin    // nil if pin A is on the spine
	B      *Pin
}

// Arity returns the number of operation logits of a gate.
func (s *Gates) Arity() int {
	if s.Light {
		return LightOps
	}
	return Ops
}

// Pass computes the bits of a group of chains from the first gates to the last, and updates the gates from the last
// to the first. It is the scratch memory of one goroutine.
type Pass struct {
	X       []uint64 // the batch's rows
	Samples int      // samples in the batch
	Adam    Adam

	Rounding // of the gradients of pins

	// Group is the number of chains that a pass can process at a time. A larger group needs fewer calls of a kernel.
	// The rows of a smaller group stay in a nearer cache.
	Group int

	// Delta is the gradient of each chain's output or, during an update, of the output of the next gate to update. Its
	// shape is [Group][64*words], with zeros after the last sample. The pass only reads the caller's slices. An update
	// replaces them by slices of the pass.
	Delta [maxGroup][]float32

	A, B []uint64 // the pins' values, [Group][depth][words]
	Out  []uint64 // the chains' outputs, [Group][words]

	words int // words in a row
	depth int

	// Scratch memory of one gate.
	grads    []float32 // [Group][64*words, then zeros]
	beta     []float32 // [64*words]
	q        []int8    // [64*words]
	quarters quarters
	batch    Batch
	steps    Steps
	touched  uint32 // sum of the touched words, which makes the compiler keep the reads; see Gates.touch
	fused    fused
}

// NewPass returns a pass over chains of the given depth, for rows of the given number of words and pins of at most k
// candidates.
func NewPass(depth, words, k int) *Pass {
	group := min(maxGroup, max(minGroup, groupWords/(depth*words)))
	p := &Pass{
		Group: group,
		A:     make([]uint64, group*depth*words), B: make([]uint64, group*depth*words), Out: make([]uint64, group*words),
		words: words, depth: depth, grads: make([]float32, group*(words*64+gradientRow-fusedSamples)),
		beta: make([]float32, words*64), q: make([]int8, words*64), quarters: make(quarters, words*64/quarter),
	}
	p.steps.grow(k, words)
	return p
}

// Update updates the gates of a section in the chains of the range [chain, chain+chains). The section's first layer
// has the index layer in the network. Update leaves the gradients of this layer's pins A in Delta. If these pins are
// fixed input bits, Delta has no meaning.
func (p *Pass) Update(s *Gates, layer, chain, chains int) {
	if p.fuse(s, layer, chain, chains) {
		return
	}
	for c := range chains {
		delta := p.grad(c)
		copy(delta, p.Delta[c])
		for l := s.Layers - 1; l >= 0; l-- {
			if (s.Layers-1-l)%touchBlock == 0 {
				p.touched += s.touch(chain+c, l-touchBlock, chain+chains)
			}
			p.gate(s, chain+c, l, layer+l, delta, p.row(p.A, c, layer+l), p.row(p.B, c, layer+l))
		}
		p.Delta[c] = delta
	}
}

// grad returns the row of gradients of chain c of the group.
func (p *Pass) grad(c int) []float32 {
	n := p.words * 64
	return p.grads[c*(n+gradientRow-fusedSamples):][:n]
}

// row returns a layer's row in A or B.
func (p *Pass) row(rows []uint64, chain, layer int) []uint64 {
	return rows[(chain*p.depth+layer)*p.words:][:p.words]
}

// gate updates gate l of a chain of a section, which is in the layer number of the network and whose pins have the
// values a and b. It replaces delta by the gradient of the gate's pin A. It gives the same results as the fused
// kernels, but does one step after another.
func (p *Pass) gate(s *Gates, chain, l, number int, delta []float32, a, b []uint64) {
	g := chain*s.Layers + l
	padded := (p.Samples + 2*Lanes - 1) / (2 * Lanes) * 2 * Lanes
	delta, beta := delta[:padded], p.beta[:padded]
	p.steps.Truth(s, g)
	if s.B.K == 1 {
		beta = nil
	}
	p.steps.Bins(delta, beta, a, b)
	p.steps.UpdateTruth(&p.Adam, s, g)
	p.batch = Batch{p.X, p.words, p.Samples}
	p.pin(s.B, g, 1, chain, number, beta)
	if s.A != nil {
		p.pin(s.A, g, 0, chain, number, delta)
	}
}

// pin makes a step on the logits of a pin of gate g, which is in a chain of the section and in a layer of the network.
// It does nothing if the pin has no logits. The gradient of the pin's bit is grad.
func (p *Pass) pin(pin *Pin, g, index, chain, layer int, grad []float32) {
	if !p.Integer || pin.K == 1 {
		p.steps.UpdatePin(&p.Adam, pin, g, &p.batch, grad)
		return
	}
	p.sumRounded(pin, g, grad, dithers[p.start(layer, chain, index)*Lanes:][:len(grad)])
	p.steps.stepPin(&p.Adam, pin, g, &p.batch)
}

// wires returns the wires in the range [from, to).
func (p *Pin) wires(from, to int) Wires {
	if p.Wide != nil {
		return Wires{Wide: p.Wide[from:to]}
	}
	return Wires{Narrow: p.Narrow[from:to]}
}

// Refresh selects the operation of each gate and the candidate of each pin again, from the logits.
func (s *Gates) Refresh() {
	for g := range s.Op {
		if s.Light {
			s.Op[g] = LightOp((*[LightOps]float32)(s.W[g*LightOps:]))
		} else {
			k, top := Largest(s.W[g*Ops:][:Ops])
			s.Op[g], s.Top[g] = uint8(k), top
		}
		for _, p := range []*Pin{s.A, s.B} {
			if p != nil {
				p.refresh(g)
			}
		}
	}
}

func (p *Pin) refresh(g int) {
	if p.K == 1 {
		p.Bit[g] = p.Wire(g)
		return
	}
	j, top := Largest(p.W[g*p.K:][:p.K])
	p.Bit[g], p.Top[g] = p.Wire(g*p.K+j), top
}
