package spec

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn/internal/netgen"
)

// orders returns random orders of additions for each class. The argument group is the number of bits in each class.
func orders(r *rand.Rand, classes, group int) [][]Sum {
	all := make([][]Sum, classes)
	for c := range all {
		var free []int
		place := make([]int, group)
		for i := range group {
			free = append(free, i)
		}
		for len(free) > 2 && r.IntN(8) > 0 {
			r.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
			s, p := Sum(free[:2+r.IntN(2)]), pool{g: &graph{next: 2}}
			for _, at := range place {
				p.add(0, at)
			}
			if err := p.sum(s); err != nil {
				panic(err)
			}
			all[c], free = append(all[c], append(Sum{}, s...)), free[len(s):]
			for i := len(place); i < len(p.bits); i++ {
				free, place = append(free, i), append(place, p.bits[i].place)
			}
		}
	}
	return all
}

// TestHeads proves that this package's head equals the netlist's head, for inputs that are bits and for inputs that
// are words. It also proves this for random orders of additions and comparisons. If one gate is changed, the graphs
// must differ.
func TestHeads(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var claims []claim
	for seed, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		if form.Options.Classes == 1 {
			form.Options.Width = 10 // for a count of 30 bits in another order, abc needs a minute
		}
		m := form.Model()
		n := read(t, m)
		classes, group := n.Classes()
		o := Options{Words: seed%2 == 1, Head: &Head{}}
		if classes > 1 && seed%3 > 0 {
			o.Head.Margin = 1 + seed%min(group, 4)
		}
		plain := graphOf(t, n, o)
		told := o
		told.Head = &Head{
			Sums: orders(r, classes, group), First: 2 + seed%3, Later: 2 + seed%2, Margin: o.Head.Margin, Near: o.Head.Margin > 0,
		}
		same, reordered := other(t, m, o), graphOf(t, n, told)
		n.negateLast(n.width / 2)
		claims = append(claims, claim{form.Name + ", the netlist's head", plain, same, equivalent},
			claim{form.Name + ", another order", plain, reordered, equivalent},
			claim{form.Name + ", another gate", plain, graphOf(t, n, o), different})
	}
	hold(t, claims...)
}

// TestSumsRefused checks that a sum is refused if it counts a bit twice or refers to a bit that does not exist.
func TestSumsRefused(t *testing.T) {
	n := read(t, headModel())
	for _, sums := range [][]Sum{{{0, 0}}, {{0, 1}, {1, 2}}, {{2}}, {{-1}}, {{0, 1}, {4}}} {
		o := Options{Head: &Head{Sums: [][]Sum{nil, sums}}}
		if err := n.WriteAIGER(io.Discard, o); err == nil || !strings.Contains(err.Error(), "of class 1: bit ") {
			t.Errorf("%v: %v", sums, err)
		}
	}
	o := Options{Head: &Head{Sums: [][]Sum{{{0, 1}, {2, 3}}}}}
	if err := n.WriteAIGER(io.Discard, o); err != nil {
		t.Error(fmt.Errorf("digits of a sum are bits, too: %w", err))
	}
}
