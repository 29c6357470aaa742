package kernel

// lookahead prefetches, where the path in use can, what the next block of gates is going to read: the gates'
// parameters, and what their readers have left. The latter is in the third cache and has more lines than the
// processor can wait for at a time, so part of it is prefetched after each step of the current block. With 8 hidden
// candidates for each gate this saves 9 % of the time, with 32 of them 25 %.
type lookahead struct {
	next  *Trace
	edges []Edge // edges whose gates' rows are still to be prefetched
	share int    // how many edges are prefetched at a time
	gates fetcher
}

// begin sets the lookahead to the layer's gates in the range [from, to).
func (a *lookahead) begin(l *Layer, next *Trace, from, to int) {
	a.next, a.edges = next, l.Uses.edges[l.Uses.start[from]:l.Uses.start[to]]
	if len(a.edges) < 4*(to-from) { // the prefetching within gather is enough
		a.edges = nil
	}
	a.share = (len(a.edges) + blockSteps*stepGates - 1) / (blockSteps * stepGates)
	a.gates.reset()
	a.gates.gates(l, true)
	for i := from; i < to; i++ {
		a.gates.fetch(i)
	}
}

// some prefetches the next share of what the readers have left: the given number of blocks of each row.
func (a *lookahead) some(blocks, words int) {
	f, n := vectors(), min(a.share, len(a.edges))
	if f == nil || n == 0 {
		return
	}
	t := a.next
	f.readers(&t.Delta[0], &t.Bits[0], &t.Coef[0], &a.edges[0].Pin, n, blocks, words)
	a.edges = a.edges[n:]
}
