package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ialgn/internal/counts"
	"ialgn/internal/lowering"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// A flaw describes a part of a product's head that gives a wrong result for some values of the nets that it reads.
// Possibly no input produces these values. The function adds a net to a copy of the product. This net is 1 if and
// only if the part gives a wrong result.
type flaw func(k *netlist.Copier) netlist.Net

// exposeLimit is the time limit of the search for an input that shows a flaw.
const exposeLimit = 2 * time.Minute

// expose has abc search for an input that shows a flaw. The verdict becomes [cec.Different] only if our simulator
// then shows a difference from the raw netlist. Otherwise the verdict stays unproved, and the reason says that no
// input was found.
func expose(d verify.Design, p prover, wrong flaw, r *Result) error {
	within, cancel := context.WithTimeout(p.ctx, exposeLimit)
	defer cancel()
	x, _, err := p.engine.Satisfy(within, cec.Netlist(flawed(d, wrong)), len(d.Product.InputPorts()[0].Nets))
	switch {
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case within.Err() != nil:
		r.Reason += "; no input that shows it was found in time"
		return nil
	case err != nil:
		return err
	}
	one := verify.Stimuli{Words: [][]uint64{x}, Samples: 1}
	if bits := d.Project(); bits > 0 {
		one.Project(bits)
	}
	if err := show(p.ctx, d, one, r); err != nil || r.Verdict == different {
		return err
	}
	r.Reason += "; no input was found that shows it"
	return nil
}

// flawed returns a netlist of function cells with the product's input port and the output h. h is 1 for inputs that
// show the flaw in the product. If the design assumes thermometer codes, flawed turns the inputs into such codes.
func flawed(d verify.Design, wrong flaw) *netlist.Netlist {
	n := d.Product
	k := netlist.NewCopier(n)
	if bits := d.Project(); bits > 0 {
		verify.Codes(k, n, bits)
	}
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	k.Output("h", 1, nil, []netlist.Net{wrong(k)})
	return lowering.Functions(k.Netlist())
}

// wrongCounter returns the flaw that an error of [counts.Prove] describes, or nil for any other error.
func wrongCounter(err error) flaw {
	var e *counts.WrongError
	if !errors.As(err, &e) {
		return nil
	}
	return func(k *netlist.Copier) netlist.Net {
		return lookUp(k, len(e.Leaves), func(i int) netlist.Net { return k.To(e.Leaves[i]) }, e.Wrong, 0)
	}
}

// lookUp adds cells that look up bit from+v of a table, where v is a number of the given size. The call bit(i)
// returns the net of bit i of v.
func lookUp(k *netlist.Copier, bits int, bit func(i int) netlist.Net, table []uint64, from int) netlist.Net {
	if bits <= netlist.MaxFunctionInputs {
		in := make([]netlist.Net, bits)
		for i := range in {
			in[i] = bit(i)
		}
		return k.Function(table[from/64]>>(from%64)&netlist.TableMask(bits), netlist.Origin{}, in...)
	}
	low := lookUp(k, bits-1, bit, table, from)
	high := lookUp(k, bits-1, bit, table, from+1<<(bits-1))
	return k.Function(tableChoose, netlist.Origin{}, low, high, bit(bits-1))
}

// wrongArgmax returns the flaw of a tournament that does not compute the argmax of its words.
func wrongArgmax(a *counts.Index) flaw {
	return func(k *netlist.Copier) netlist.Net {
		var words []netlist.Net
		for _, v := range slices.Concat(a.Words...) {
			words = append(words, k.To(v))
		}
		right := k.Cell(netlist.Argmax, netlist.ArgmaxParam(len(a.Words[0]), a.Margin), netlist.Origin{}, words...)
		differs := netlist.False
		for i, v := range headNets(a) {
			differs = k.Function(tableOrDiffers, netlist.Origin{}, k.To(v), right+netlist.Net(i), differs)
		}
		return differs
	}
}

const tableOrDiffers = 0b11110110 // A != B, or C

// wrongAnswer describes the words for which a tournament does not compute the argmax. The words are part of the input
// x of the two compared netlists. wrongAnswer returns "" if both netlists give the same index for x.
func wrongAnswer(ctx context.Context, a *counts.Index, plain, built *netlist.Netlist, x []uint64) (string, error) {
	one := verify.Stimuli{Words: [][]uint64{x}, Samples: 1}
	nets := wordNets(a)
	value := func(digits []netlist.Net) (number uint64) {
		for i, v := range digits {
			bit := uint64(v & 1) // the net is a constant
			if v > netlist.True {
				at, _ := slices.BinarySearch(nets, v)
				bit = x[at]
			}
			number |= bit << i
		}
		return number
	}
	var words []string
	for _, w := range a.Words {
		words = append(words, fmt.Sprint(value(w)))
	}
	var index [2]uint64
	for side, n := range []*netlist.Netlist{plain, built} {
		bits, err := one.Signatures(ctx, n, n.OutputPorts()[0].Nets)
		if err != nil {
			return "", err
		}
		for i, b := range bits {
			index[side] |= b[0] << i
		}
	}
	last := uint64(1) << len(a.Index) // the bit for uncertain results, if there is a margin
	switch {
	case index[0] == index[1]:
		return "", nil
	case a.Margin > 0 && index[0]^index[1] == last:
		return fmt.Sprintf("%s is wrong: for %s and the margin %d it is %d, not %d", netlist.UncertainPort,
			strings.Join(words, " "), a.Margin, index[1]/last, index[0]/last), nil
	}
	index[0], index[1] = index[0]&(last-1), index[1]&(last-1)
	return fmt.Sprintf("the argmax is wrong: of %s it takes number %d, not %d", strings.Join(words, " "), index[1],
		index[0]), nil
}
