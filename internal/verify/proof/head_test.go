package proof

import (
	"slices"
	"strings"
	"testing"

	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// headFault is a change to the head of a core or full design.
type headFault struct {
	name  string
	broke func(n *netlist.Netlist) *netlist.Netlist
}

var headFaults = []headFault{
	{"inputs of two popcounts exchanged", func(n *netlist.Netlist) *netlist.Netlist {
		p := verifytest.CellsOf(n, netlist.Popcount)
		a, b := slices.Clone(n.Inputs(p[0])), slices.Clone(n.Inputs(p[2]))
		a[1], b[3] = b[3], a[1]
		return verifytest.Rewire(verifytest.Rewire(n, p[0], 0, a...), p[2], 0, b...)
	}},
	{"an input counted twice", func(n *netlist.Netlist) *netlist.Netlist {
		p := verifytest.CellsOf(n, netlist.Popcount)[1]
		in := slices.Clone(n.Inputs(p))
		in[4] = in[0]
		return verifytest.Rewire(n, p, 0, in...)
	}},
	{"a count fed by a comparator or bit too few", func(n *netlist.Netlist) *netlist.Netlist {
		p := verifytest.CellsOf(n, netlist.Popcount)[1]
		in := slices.Clone(n.Inputs(p))
		in[2] = netlist.False
		return verifytest.Rewire(n, p, 0, in...)
	}},
	{"classes exchanged before the argmax", func(n *netlist.Netlist) *netlist.Netlist {
		return argmaxOrder(n, 2, 1, 0)
	}},
	{"the argmax without its highest digit", func(n *netlist.Netlist) *netlist.Netlist {
		a := verifytest.CellsOf(n, netlist.Argmax)[0]
		in, size := slices.Clone(n.Inputs(a)), int(n.Param(a))
		in[2*size-1] = netlist.False
		return verifytest.Rewire(n, a, n.Param(a), in...)
	}},
	{"bits of the class exchanged", func(n *netlist.Netlist) *netlist.Netlist {
		return redirect(n, "class_index", func(v []netlist.Net) { slices.Reverse(v) })
	}},
	{"the class a constant", func(n *netlist.Netlist) *netlist.Netlist {
		return redirect(n, "class_index", func(v []netlist.Net) { v[0], v[1] = 0, 0 })
	}},
	{"digits of a count exchanged", func(n *netlist.Netlist) *netlist.Netlist {
		return redirect(n, "count_1", func(v []netlist.Net) { v[0], v[1] = v[1], v[0] })
	}},
	{"a count a gate", func(n *netlist.Netlist) *netlist.Netlist {
		return redirect(n, "count_1", func(v []netlist.Net) { clear(v); v[0] = n.FirstCellNet() })
	}},
}

// argmaxOrder returns n with the words of its argmax in another order.
func argmaxOrder(n *netlist.Netlist, order ...int) *netlist.Netlist {
	a := verifytest.CellsOf(n, netlist.Argmax)[0]
	size := int(n.Param(a))
	var in []netlist.Net
	for _, c := range order {
		in = append(in, n.Inputs(a)[c*size:(c+1)*size]...)
	}
	return verifytest.Rewire(n, a, n.Param(a), in...)
}

// redirect returns n with the nets of an output port or probe changed.
func redirect(n *netlist.Netlist, name string, change func([]netlist.Net)) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	port := func(p netlist.Port) []netlist.Net {
		nets := slices.Clone(p.Nets)
		if p.Name == name {
			change(nets)
		}
		for i, v := range nets {
			nets[i] = k.To(v)
		}
		return nets
	}
	for _, p := range n.OutputPorts() {
		k.Output(p.Name, p.Word, p.Labels, port(p))
	}
	for _, p := range n.Probes() {
		k.Probe(p.Name, port(p))
	}
	return k.Netlist()
}

// TestHeadFaults breaks the head. The samples must show the fault, and no gate may be blamed. The formal level alone
// must not prove the design either.
func TestHeadFaults(t *testing.T) {
	verifytest.Needs(t, "abc")
	f := verifytest.Small(31)
	s := verifytest.RandomSamples(f, 300)
	for _, scope := range []netlist.Scope{netlist.Core, netlist.Full} {
		for _, fault := range headFaults {
			t.Run(scope.String()+"/"+fault.name, func(t *testing.T) {
				t.Parallel()
				d := verifytest.NewDesign(t, f, scope, 2)
				d.Product = fault.broke(d.Product)
				got, err := software.Check(t.Context(), d, s, 2)
				if err != nil {
					t.Fatal(err)
				}
				if got.Mismatches == 0 {
					t.Fatal("not found in software")
				}
				if m := got.First[0]; m.Layer != 0 || m.Gate != -1 {
					t.Errorf("a gate is named: %v", m)
				}
				r, err := Check(t.Context(), d)
				if err != nil {
					t.Fatal(err)
				}
				if r.Proved || r.Verdict != different || r.Mismatches == 0 {
					t.Errorf("formal: %+v", r)
				}
			})
		}
	}
}

// TestUnseenHeadFault removes the highest digit of a count before the argmax. The count of this class is never large
// enough to use the digit. No input shows the fault, but no check may call the design proved.
func TestUnseenHeadFault(t *testing.T) {
	f := verifytest.Small(32)
	f = constantClass(f, 0, 1)
	// Seven of the twelve gates are the constant 0, so the count is at most 5.
	last := &f.Layers[f.Depth()-1]
	for i := 12; i < 17; i++ {
		last.Op.Narrow[i] = 3
	}
	d := verifytest.NewDesign(t, f, netlist.Core, 0)
	a := verifytest.CellsOf(d.Product, netlist.Argmax)[0]
	size, in := int(d.Product.Param(a)), slices.Clone(d.Product.Inputs(a))
	in[2*size-1] = netlist.False
	d.Product = verifytest.Rewire(d.Product, a, d.Product.Param(a), in...)
	got, err := software.Check(t.Context(), d, verifytest.RandomSamples(f, 300), 1)
	if err != nil || got.Mismatches != 0 {
		t.Fatalf("software: %+v, %v", got, err)
	}
	r, err := Check(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if r.Proved || r.Verdict != unproved || !strings.Contains(r.Reason, "digit 3") {
		t.Errorf("formal: %+v", r)
	}
}

// TestClassGroups moves chains from one class to another in a design without a head.
func TestClassGroups(t *testing.T) {
	f := verifytest.Small(33)
	s := verifytest.RandomSamples(f, 300)
	sound := verifytest.NewDesign(t, f, netlist.Gates, 2)
	moved := slices.Clone(sound.Product.ChainClasses())
	moved[3], moved[20] = moved[20], moved[3]
	for name, n := range map[string]*netlist.Netlist{
		"outputs exchanged": redirect(sound.Product, "h", func(v []netlist.Net) { v[3], v[20] = v[20], v[3] }),
		"classes exchanged": withClasses(sound.Product, moved),
	} {
		d := sound
		d.Product = n
		got, err := software.Check(t.Context(), d, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		if got.Mismatches == 0 || r.Proved {
			t.Errorf("%s: software %+v, formal %+v", name, got, r)
		}
	}
}

func withClasses(n *netlist.Netlist, class []uint16) *netlist.Netlist {
	k := netlist.NewCopier(n)
	k.Classes(class)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	return k.Finish()
}

// TestOrderDoesNotMatter permutes the inputs of the popcounts. The classifier stays the same, and the proof must
// find which bits correspond.
func TestOrderDoesNotMatter(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := verifytest.NewDesign(t, verifytest.Small(34), netlist.Core, 2)
	for _, c := range verifytest.CellsOf(d.Product, netlist.Popcount) {
		in := slices.Clone(d.Product.Inputs(c))
		slices.Reverse(in)
		d.Product = verifytest.Rewire(d.Product, c, 0, in...)
	}
	r, err := Check(t.Context(), d)
	if err != nil || !r.Proved {
		t.Errorf("%+v, %v", r, err)
	}
}

// rare returns a design with one class that counts three bits. They are the constant 0, the conjunction of many
// inputs, and the conjunction of all these inputs except one. The first conjunction is 0 in all random samples.
func rare(raw bool) *netlist.Netlist {
	b := netlist.NewBuilder("rare")
	x := b.Input("x", 200, 1, nil)
	and := func(in []netlist.Net) netlist.Net {
		h := in[0]
		for _, v := range in[1:] {
			h = b.Function(0b1000, netlist.Origin{}, h, v)
		}
		return h
	}
	roots := []netlist.Net{and(x), and(x[:198])}
	if raw {
		roots = []netlist.Net{b.Function(0b0110, netlist.Origin{}, x[0], x[0]), and(x[:198]), and(x)}
	}
	count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, roots...), 2)
	b.Probe("count_0", count)
	b.Output("class_index", 1, nil, netlist.Word(b.Cell(netlist.Argmax, 2, netlist.Origin{}, count...), 1))
	return b.Netlist()
}

// TestRefinement proves a design with counted bits that no random sample distinguishes. Counterexamples distinguish
// them.
func TestRefinement(t *testing.T) {
	verifytest.Needs(t, "abc")
	d := verify.Design{Model: verifytest.Small(1), Raw: rare(true), Product: rare(false)}
	r, err := Check(t.Context(), d)
	if err != nil || !r.Proved {
		t.Errorf("%+v, %v", r, err)
	}
}
