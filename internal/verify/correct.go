package verify

import (
	"context"
	"math/bits"
	"slices"

	"ialgn/netlist"
	"ialgn/sim"
)

// correctable returns the origin of the cell that is to blame in a netlist whose cells are
// no longer gates: one whose output, turned over in the samples that go wrong, makes all of
// them right. Of several the first that another table would mend, for a wrong table shows
// where the inputs of the cell are the same as in a sample that is right; else the first of
// all, as for a cell that reads a wrong net. It is the fault's own place or one that its
// chain passes through nearby.
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
	// maxTables bounds for how many cells another table is looked for.
	maxTables = 200
	// maxWrong bounds how many of the samples that go wrong are looked at.
	maxWrong = 256
)

// flips simulates a product with single cells turned over.
type flips struct {
	suspect
	n     *netlist.Netlist // the product with an input for each cell that may be turned over
	sim   *sim.Simulator
	cells []netlist.Cell   // cells of the product that may be at fault
	wrong []int            // samples
	right map[int][]uint64 // for each word of samples, the right values of outputs and probes
}

// flipPort is the name of the inputs that turn cells over.
const flipPort = "flip"

// flips returns nil if no sample goes wrong.
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

// choose builds the netlist in which the function cells can be turned over that reach a
// wrong bit.
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

// mending returns the cells that, turned over, mend every sample that goes wrong. Each run
// tries one sample with as many cells as there are lanes.
func (f *flips) mending(ctx context.Context) ([]netlist.Cell, error) {
	all := make([]int, len(f.cells)) // indices of cells that mend so far
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

// tryCells turns one cell over in each lane, all with the same sample, and returns the lanes
// that are wrong.
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

// want returns what the raw netlist's outputs and probes are in a word of samples.
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

// table reports whether another table in a cell makes all samples right: whether there are
// no two samples in which its inputs are the same, and its output must be 0 in one of them
// and 1 in the other.
func (f *flips) table(ctx context.Context, c netlist.Cell) (ok bool, err error) {
	changed := complement(f.product, c)
	outs, others := Buses(f.product), Buses(changed)
	var must [2]uint64 // input combinations for which it must be 0, 1
	err = f.samples.Each(ctx, func(_ int, mask uint64, sims []*sim.Simulator) error {
		var kept, turned uint64 // wrong as it is, and with the cell turned over
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
