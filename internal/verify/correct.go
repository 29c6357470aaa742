package verify

import (
	"context"
	"math/bits"
	"slices"

	"ialgn/netlist"
	"ialgn/sim"
)

// correctable returns the origin of the cell to blame in a lowered netlist, whose cells are no longer gates. A cell
// is a candidate if inverting it in the wrong samples makes all outputs right.
//
// correctable prefers a candidate for which another function table makes all samples right (see the method table). If
// there is no such candidate, it returns the first candidate. This happens if the faulty cell reads a wrong net. The
// result is the faulty cell or a nearby cell on the same chain.
func (s suspect) correctable(ctx context.Context) (o netlist.Origin, err error) {
	f, err := s.flips(ctx)
	if err != nil || f == nil {
		return o, err
	}
	cells, err := f.mending(ctx)
	if err != nil {
		return o, err
	}
	for _, c := range cells[:min(len(cells), maxTables)] {
		ok, err := f.table(ctx, c)
		if err != nil {
			return o, err
		}
		if ok {
			return s.product.Origin(c), nil
		}
	}
	if len(cells) == 0 {
		return o, nil
	}
	return s.product.Origin(cells[0]), nil
}

const (
	// maxTables bounds the number of cells for which another table is tried.
	maxTables = 200
	// maxWrong bounds the number of wrong samples that are examined.
	maxWrong = 256
)

// flips is a simulation of the product in which single cells are inverted.
type flips struct {
	suspect
	n     *netlist.Netlist // the product with an input for each cell that may be inverted
	sim   *sim.Simulator
	cells []netlist.Cell   // cells of the product that may be at fault, in topological order
	wrong []int            // the numbers of wrong samples
	right map[int][]uint64 // correct values of outputs and probes, for each word of samples
}

// flipPort is the name of the input port whose bits invert the cells.
const flipPort = "flip"

// flips returns the simulation of the wrong samples, or nil if no sample is wrong.
func (s suspect) flips(ctx context.Context) (*flips, error) {
	f := &flips{suspect: s, right: map[int][]uint64{}}
	reached := make([]bool, s.product.Nets())
	got := Buses(s.product)
	err := s.samples.Each(ctx, func(w int, mask uint64, sims []*sim.Simulator) error {
		wrong := uint64(0)
		for i, p := range Buses(s.raw) {
			for bit, v := range p.Nets {
				want := sims[0].Net(v)[0]
				diff := (want ^ sims[1].Net(got[i].Nets[bit])[0]) & mask
				reached[got[i].Nets[bit]] = reached[got[i].Nets[bit]] || diff != 0
				wrong |= diff
			}
		}
		for ; wrong != 0 && len(f.wrong) < maxWrong; wrong &= wrong - 1 {
			f.wrong = append(f.wrong, 64*w+bits.TrailingZeros64(wrong))
		}
		return nil
	}, s.raw, s.product)
	if err != nil || len(f.wrong) == 0 {
		return nil, err
	}
	f.choose(reached)
	f.sim, err = sim.New(f.n)
	return f, err
}

// choose builds the netlist in which each function cell that reaches a wrong bit can be inverted. The argument
// reached marks the nets of the wrong bits. choose also marks all nets on which these bits depend.
func (f *flips) choose(reached []bool) {
	n := f.product
	for c := netlist.Cell(n.Cells()); c > 0; {
		c--
		for k := range netlist.Net(n.Outputs(c)) {
			if !reached[n.Output(c)+k] {
				continue
			}
			for _, v := range n.Inputs(c) {
				reached[v] = true
			}
		}
		if reached[n.Output(c)] && n.Kind(c) == netlist.Function {
			f.cells = append(f.cells, c)
		}
	}
	slices.Reverse(f.cells)
	k := netlist.NewCopier(n)
	flip := k.Input(flipPort, max(1, len(f.cells)), 1, nil)
	next := 0
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
		if next < len(f.cells) && f.cells[next] == c {
			k.Set(n.Output(c), k.Function(0b0110, netlist.Origin{}, k.To(n.Output(c)), flip[next]))
			next++
		}
	}
	f.n = k.Finish()
}

// mending returns the cells for which inverting the cell fixes every wrong sample. Each run of the simulator tries
// one sample, with a different cell inverted in each lane.
func (f *flips) mending(ctx context.Context) ([]netlist.Cell, error) {
	all := make([]int, len(f.cells)) // indices of cells whose inversion has fixed every sample so far
	for i := range all {
		all[i] = i
	}
	lanes := 64 * f.sim.Block()
	for _, sample := range f.wrong {
		var mends []int
		for from := 0; from < len(all); from += lanes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			part := all[from:min(from+lanes, len(all))]
			wrong, err := f.tryCells(ctx, sample, part)
			if err != nil {
				return nil, err
			}
			for i, cell := range part {
				if wrong[i/64]>>(i%64)&1 == 0 {
					mends = append(mends, cell)
				}
			}
		}
		if all = mends; len(all) == 0 {
			break
		}
	}
	cells := make([]netlist.Cell, len(all))
	for i, at := range all {
		cells[i] = f.cells[at]
	}
	return cells, nil
}

// tryCells simulates one sample in all lanes, with one of the given cells inverted in each lane. It returns a
// mask of the lanes with a wrong result.
func (f *flips) tryCells(ctx context.Context, sample int, cells []int) ([]uint64, error) {
	words := (len(cells) + 63) / 64
	x := make([]uint64, len(f.samples.Words[0])*words)
	for r, v := range f.samples.Words[sample/64] {
		for w := range words {
			x[r*words+w] = -(v >> (sample % 64) & 1)
		}
	}
	flip := make([]uint64, max(1, len(f.cells))*words)
	for i, cell := range cells {
		flip[cell*words+i/64] |= 1 << (i % 64)
	}
	if err := f.sim.Run(words, x, flip); err != nil {
		return nil, err
	}
	want, err := f.want(ctx, sample/64)
	if err != nil {
		return nil, err
	}
	wrong := make([]uint64, words)
	at := 0
	for _, p := range Buses(f.n) {
		for _, v := range p.Nets {
			bit := -(want[at] >> (sample % 64) & 1)
			for w, got := range f.sim.Net(v) {
				wrong[w] |= got ^ bit
			}
			at++
		}
	}
	return wrong, nil
}

// want returns the values of the raw netlist's outputs and probes for a word of samples.
func (f *flips) want(ctx context.Context, word int) ([]uint64, error) {
	if want, ok := f.right[word]; ok {
		return want, nil
	}
	one := Stimuli{Words: f.samples.Words[word : word+1], Samples: 64}
	var want []uint64
	err := one.Each(ctx, func(_ int, _ uint64, sims []*sim.Simulator) error {
		for _, p := range Buses(f.raw) {
			for _, v := range p.Nets {
				want = append(want, sims[0].Net(v)[0])
			}
		}
		return nil
	}, f.raw)
	f.right[word] = want
	return want, err
}

// table reports whether another function table for cell c makes all samples right. There is no such table if two
// samples have the same values at the inputs of c but need different values at its output.
func (f *flips) table(ctx context.Context, c netlist.Cell) (ok bool, err error) {
	changed := complement(f.product, c)
	outs, others := Buses(f.product), Buses(changed)
	var must [2]uint64 // must[v] is a mask of the input combinations for which the output must be v
	err = f.samples.Each(ctx, func(_ int, mask uint64, sims []*sim.Simulator) error {
		var kept, turned uint64 // masks of samples that are wrong if the cell is unchanged (kept) or inverted (turned)
		for i, p := range Buses(f.raw) {
			for bit, v := range p.Nets {
				want := sims[0].Net(v)[0]
				kept |= want ^ sims[1].Net(outs[i].Nets[bit])[0]
				turned |= want ^ sims[2].Net(others[i].Nets[bit])[0]
			}
		}
		out := sims[1].Net(f.product.Output(c))[0] ^ kept // the value that the cell must have
		for decided := (kept ^ turned) & mask; decided != 0; decided &= decided - 1 {
			lane, at := bits.TrailingZeros64(decided), 0
			for j, v := range f.product.Inputs(c) {
				at |= int(sims[1].Net(v)[0]>>lane&1) << j
			}
			must[out>>lane&1] |= 1 << at
		}
		return nil
	}, f.raw, f.product, changed)
	return must[0]&must[1] == 0, err
}
