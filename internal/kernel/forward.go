package kernel

// Forward computes the bits of both pins and the output bit of each gate. It does this for the given number of
// chains, beginning with the given chain. The network consists of the sections first and rest. At depth 1, rest is
// nil.
func (p *Pass) Forward(first, rest *Gates, chain, chains int) {
	if p.fuseForward(first, rest, chain, chains) {
		return
	}
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

// forms holds each operation as an algebraic normal form, f(x,y) = c0 ^ c1 x ^ c2 y ^ c3 xy, with the coefficients as
// masks of two words. Evaluating this form takes half the instructions that a choice among four truth values would
// take.
var forms = func() (t [Ops][4][2]uint64) {
	for op := range t {
		f := func(x, y int) uint64 { return -uint64(op >> (3 - (2*x + y)) & 1) }
		for w := range 2 {
			t[op][0][w], t[op][1][w], t[op][2][w] = f(0, 0), f(0, 0)^f(1, 0), f(0, 0)^f(0, 1)
			t[op][3][w] = f(0, 0) ^ f(0, 1) ^ f(1, 0) ^ f(1, 1)
		}
	}
	return t
}()

// forward2 does the same as forward, for rows of two words. The rows stay in registers from gate to gate.
func (p *Pass) forward2(first, rest *Gates, i, c int) {
	rows, x := p.depth*2, p.X
	as, bs := p.A[c*rows:][:rows], p.B[c*rows:][:rows]
	row := x[2*int(first.A.Bit[i]):][:2]
	a0, a1 := row[0], row[1]
	row = x[2*int(first.B.Bit[i]):][:2]
	b0, b1 := row[0], row[1]
	f := &forms[first.Op[i]%Ops]
	if rest != nil {
		bits := rest.B.Bit[i*rest.Layers:][:rest.Layers]
		ops := rest.Op[i*rest.Layers:][:len(bits)]
		for l, bit := range bits {
			row := x[2*int(bit):][:2]
			at, bt := as[2*l:][:2], bs[2*l:][:2]
			at[0], at[1], bt[0], bt[1] = a0, a1, b0, b1
			a0 = f[0][0] ^ f[2][0]&b0 ^ a0&(f[1][0]^f[3][0]&b0)
			a1 = f[0][0] ^ f[2][0]&b1 ^ a1&(f[1][0]^f[3][0]&b1)
			b0, b1 = row[0], row[1]
			f = &forms[ops[l]%Ops]
		}
		as, bs = as[2*len(bits):], bs[2*len(bits):]
	}
	as[0], as[1], bs[0], bs[1] = a0, a1, b0, b1
	out := p.Out[2*c:][:2]
	out[0] = f[0][0] ^ f[2][0]&b0 ^ a0&(f[1][0]^f[3][0]&b0)
	out[1] = f[0][0] ^ f[2][0]&b1 ^ a1&(f[1][0]^f[3][0]&b1)
}
