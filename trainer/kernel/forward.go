package kernel

// Forward computes the bits of both pins and of the output of chains from the given one
// on, in a network of a first section and a rest, which is nil at depth 1.
func (p *Pass) Forward(first, rest *Gates, chain, chains int) {
	for c := range chains {
		if p.words == 2 {
			p.forward2(first, rest, chain+c, c)
		} else {
			p.forward(first, rest, chain+c, c)
		}
	}
}

func (p *Pass) forward(first, rest *Gates, i, c int) {
	input := func(dst []uint64, bit uint32) { copy(dst, p.X[int(bit)*p.words:]) }
	a, b := p.row(p.A, c, 0), p.row(p.B, c, 0)
	input(a, first.A.Bit[i])
	input(b, first.B.Bit[i])
	op := first.Op[i]
	for l := 1; l < p.depth; l++ {
		g, next := i*rest.Layers+l-1, p.row(p.A, c, l)
		Apply(next, a, b, op)
		a, b, op = next, p.row(p.B, c, l), rest.Op[g]
		input(b, rest.B.Bit[g])
	}
	Apply(p.Out[c*p.words:][:p.words], a, b, op)
}

// truth holds, for each operation, the masks of f(1,1), f(1,0), f(0,1) and f(0,0).
var truth = func() (t [Ops][4]uint64) {
	for op := range t {
		for i := range t[op] {
			t[op][i] = -uint64(op >> i & 1)
		}
	}
	return t
}()

// forward2 is forward for rows of two words, which stay in registers from gate to gate.
func (p *Pass) forward2(first, rest *Gates, i, c int) {
	rows, x := p.depth*2, p.X
	as, bs := p.A[c*rows:][:rows], p.B[c*rows:][:rows]
	at := 2 * int(first.A.Bit[i])
	a0, a1 := x[at], x[at+1]
	at = 2 * int(first.B.Bit[i])
	b0, b1 := x[at], x[at+1]
	as[0], as[1], bs[0], bs[1] = a0, a1, b0, b1
	t := &truth[first.Op[i]&(Ops-1)]
	if rest != nil {
		ops, bits := rest.Op[i*rest.Layers:][:rest.Layers], rest.B.Bit[i*rest.Layers:][:rest.Layers]
		as, bs = as[2:], bs[2:]
		for l, op := range ops {
			a0 = t[3]&^(a0|b0) | t[2]&^a0&b0 | t[1]&a0&^b0 | t[0]&a0&b0
			a1 = t[3]&^(a1|b1) | t[2]&^a1&b1 | t[1]&a1&^b1 | t[0]&a1&b1
			at := 2 * int(bits[l])
			b0, b1 = x[at], x[at+1]
			ra, rb := as[2*l:][:2], bs[2*l:][:2]
			ra[0], ra[1], rb[0], rb[1] = a0, a1, b0, b1
			t = &truth[op&(Ops-1)]
		}
	}
	out := p.Out[2*c:][:2]
	out[0] = t[3]&^(a0|b0) | t[2]&^a0&b0 | t[1]&a0&^b0 | t[0]&a0&b0
	out[1] = t[3]&^(a1|b1) | t[2]&^a1&b1 | t[1]&a1&^b1 | t[0]&a1&b1
}
