package kernel

// lookahead fetches what the steps of the next block of gates are going to read, where the
// path in use can: their parameters, and what their readers have left. The latter comes
// from the third cache, in more lines than the processor waits for at a time, so some of
// it is fetched after each step of the block at hand: with 8 hidden candidates a gate that
// saves 9 % of the time, with 32 of them 25 %.
type lookahead struct {
	next  *Trace
	edges []Edge // edges whose gates' rows are still to be prefetched
	share int    // how many edges are prefetched at a time
	gates fetcher
}

// begin turns to the gates from the given one up to another.
func (a *lookahead) begin(l *Layer, next *Trace, from, to int) {
	a.next, a.edges = next, l.Uses.edges[l.Uses.start[from]:l.Uses.start[to]]
	if len(a.edges) < 4*(to-from) { // a gather's own fetching is enough
		a.edges = nil
	}
	a.share = (len(a.edges) + blockSteps*stepGates - 1) / (blockSteps * stepGates)
	a.gates.reset()
	a.gates.gates(l, true)
	for i := from; i < to; i++ {
		a.gates.fetch(i)
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
