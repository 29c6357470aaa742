// Package verifytest has the designs, faults and files that tests of verification share.
package verifytest

import (
	"math/rand/v2"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/tool"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// Scopes lists all scopes of a netlist.
var Scopes = []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full}

// NewDesign freezes and compiles a model.
func NewDesign(t *testing.T, f *model.Frozen, scope netlist.Scope, level int) verify.Design {
	t.Helper()
	raw, err := freeze.Network(f, scope)
	if err != nil {
		t.Fatal(err)
	}
	product, _, err := compiler.Optimise(t.Context(), raw, level)
	if err != nil {
		t.Fatal(err)
	}
	return verify.Design{Model: f, Raw: raw, Product: product}
}

// RandomSamples returns n samples of random words and labels.
func RandomSamples(f *model.Frozen, n int) verify.Samples {
	e, r := &f.Encoder, rand.New(rand.NewPCG(3, uint64(n)))
	s := verify.Samples{
		Levels: encoding.NewPacked(e.Features(), e.LevelBits()), Words: encoding.NewPacked(e.Features(), e.BitsIn),
	}
	word, level := make([]uint16, e.Features()), make([]uint16, e.Features())
	for range n {
		for i := range word {
			word[i] = uint16(r.IntN(int(e.Max) + 1))
		}
		label := r.IntN(len(f.Classes))
		e.Levels(level, word)
		s.Words.Append(word, label)
		s.Levels.Append(level, label)
	}
	return s
}

// Needs skips the test if a program is not installed.
func Needs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := tool.Find(name); err != nil {
			t.Skip(err)
		}
	}
}

// Small returns a small random IALGN in which most gates affect the result.
func Small(seed uint64) *model.Frozen {
	return netgen.Model(netgen.ModelOptions{Seed: seed, Features: 9, Width: 36, Depth: 6}).Freeze()
}

// Rewire returns n with another parameter and other inputs in cell c.
func Rewire(n *netlist.Netlist, c netlist.Cell, param uint64, in ...netlist.Net) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for i := range netlist.Cell(n.Cells()) {
		if i != c {
			k.Copy(i)
			continue
		}
		pins := make([]netlist.Net, len(in))
		for p, v := range in {
			pins[p] = k.To(v)
		}
		first := k.Cell(n.Kind(i), param, n.Origin(i), pins...)
		for out := range netlist.Net(n.Outputs(i)) {
			k.Set(n.Output(i)+out, first+out)
		}
	}
	return k.Finish()
}

// CellsOf returns the cells of a kind.
func CellsOf(n *netlist.Netlist, kind netlist.Kind) []netlist.Cell {
	var cells []netlist.Cell
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == kind {
			cells = append(cells, c)
		}
	}
	return cells
}
