package kernel

// lookahead fetches what the steps of the next block of gates are going to read, where the
// path in use can: their parameters, and what their readers have left. The latter comes
// from the third cache, in more lines than the processor waits for at a time, so some of
// it is fetched after each step of the block at hand: with 8 hidden candidates a gate that
// saves 9 % of the time, with 32 of them 25 %.
type lookahead struct {
	next  *Trace
	edges []Edge // whose readers are left to fetch
	share int    // of them, to be fetched at a time
	rows  [9]fetchRows
}

// begin turns to the gates from the given one up to another.
func (a *lookahead) begin(l *Layer, next *Trace, from, to int) {
	a.next, a.edges = next, l.Uses.edges[l.Uses.start[from]:l.Uses.start[to]]
	if len(a.edges) < 4*(to-from) { // a gather's own fetching is enough
		a.edges = nil
	}
	a.share = (len(a.edges) + blockSteps*stepGates - 1) / (blockSteps * stepGates)
	f := vectors()
	if f == nil {
		return
	}
	rows := l.rows(a.rows[:0])
	for i := from; i < to; i++ {
		f.fetch(&rows[0], len(rows), l.gate(i))
	}
}

// some fetches some of what readers have left, of rows of the given number of words the
// given blocks.
func (a *lookahead) some(blocks, words int) {
	f, n := vectors(), min(a.share, len(a.edges))
	if f == nil || n == 0 {
		return
	}
	t := a.next
	f.readers(&t.Delta[0], &t.Bits[0], &t.Coef[0], &a.edges[0].Pin, n, blocks, words)
	a.edges = a.edges[n:]
}

// rows appends the arrays of the section's parameters and moments.
func (l *Layer) rows(all []fetchRows) []fetchRows {
	all = l.Logits.rows(all, l.Arity())
	for _, p := range []*Pin{l.A, l.B} {
		if p != nil && p.K > 1 {
			all = p.rows(all, p.K)
		}
	}
	return all
}

func (l *Logits) rows(all []fetchRows, k int) []fetchRows {
	for _, v := range [][]float32{l.W, l.M, l.V} {
		all = append(all, fetchRows{&v[0], int64(4 * k)})
	}
	return all
}
