package compiler

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"weak"

	"ialgn/netlist"
)

// probed is a netlist of two gates with a probe between them.
func probed() *netlist.Netlist { return named("y", "p", 1)(nil) }

// rewritten copies a netlist. It calls the function cell to copy each cell.
func rewritten(n *netlist.Netlist, cell func(*netlist.Copier, netlist.Cell)) *netlist.Netlist {
	c := netlist.NewCopier(n)
	for i := range netlist.Cell(n.Cells()) {
		cell(c, i)
	}
	return c.Finish()
}

// named returns a pass that builds the netlist of [probed] with the given names of its output and its probe. Each
// input word has the given number of bits. An empty probe name means no probe.
func named(output, probe string, word int) func(*netlist.Netlist) *netlist.Netlist {
	return func(*netlist.Netlist) *netlist.Netlist {
		b := netlist.NewBuilder("probed")
		b.Classes([]uint16{0, 1})
		x := b.Input("x", 2, word, nil)
		h := b.Function(tableAnd, none, x...)
		b.Output(output, 1, nil, nets{b.Function(tableXor, none, h, x[0])})
		if probe != "" {
			b.Probe(probe, nets{h})
		}
		return b.Netlist()
	}
}

// brokenPasses lists passes that break a rule that holds for every pass. Each has the expected error of the manager.
var brokenPasses = []struct {
	name, want string
	pass       func(*netlist.Netlist) *netlist.Netlist
}{
	{"changes the function", "y[0] is ", func(n *netlist.Netlist) *netlist.Netlist {
		return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
			c.Set(n.Output(i), c.Function(n.Param(i)^0b0100*uint64(i), n.Origin(i), c.Inputs(i)...))
		})
	}},
	{"changes a probe", "p[0] is ", func(n *netlist.Netlist) *netlist.Netlist {
		c := netlist.NewCopier(n)
		c.Copy(0)
		c.Copy(1)
		return c.FinishWith(func(_ netlist.Port, v netlist.Net) netlist.Net { return c.To(v) },
			func(netlist.Port, netlist.Net) netlist.Net { return netlist.True })
	}},
	{"drops a probe", `probe "p" is not where it was`, named("y", "", 1)},
	{"renames a probe", `probe "p" is not where it was`, named("y", "q", 1)},
	{"renames an output", `output port "y" is not where it was`, named("z", "p", 1)},
	{"has other words", `input port "x" in words of 1 bits`, named("y", "p", 2)},
	{"changes the offsets", "the classes have other offsets", func(n *netlist.Netlist) *netlist.Netlist {
		return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
			c.Offsets([]uint32{1, 0})
			c.Copy(i)
		})
	}},
	{"changes the tie order", "the classes have another tie order", func(n *netlist.Netlist) *netlist.Netlist {
		return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
			c.Ties([]uint16{1, 0})
			c.Copy(i)
		})
	}},
	{"adds an input", `input port "ce" is new`, func(n *netlist.Netlist) *netlist.Netlist {
		c := netlist.NewCopier(n)
		c.Input(netlist.EnablePort, 1, 1, nil)
		c.Copy(0)
		c.Copy(1)
		return c.Finish()
	}},
	{"grows in cells", "the netlist grew from 2 cells with 4 pins to 3 with 6", func(n *netlist.Netlist) *netlist.Netlist {
		return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
			if c.Copy(i); i == 1 {
				c.Copy(i)
			}
		})
	}},
	{"grows in pins", "the netlist grew from 2 cells with 4 pins to 2 with 5", func(n *netlist.Netlist) *netlist.Netlist {
		return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
			if i == 0 {
				c.Copy(i)
				return
			}
			in := append(nets{}, c.Inputs(i)...)
			c.Set(n.Output(i), c.Function(tableXor<<4|tableXor, none, append(in, in[0])...))
		})
	}},
	{"breaks an invariant", "table", func(n *netlist.Netlist) *netlist.Netlist {
		return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
			c.Set(n.Output(i), c.Function(n.Param(i)|1<<60, n.Origin(i), c.Inputs(i)...))
		})
	}},
}

// TestBrokenPass puts each pass of brokenPasses into a table. If Check is set, the manager must name the pass and the
// broken rule, and must not report any other pass.
func TestBrokenPass(t *testing.T) {
	for _, c := range brokenPasses {
		t.Run(c.name, func(t *testing.T) {
			passes := []Pass{{Name: "sound", Run: pure(Hash)}, {Name: "faulty", Run: pure(c.pass)}}
			table := Table{Package: "compiler", Passes: passes}
			_, err := (&Manager{Table: table, Check: sameOn}).Sweep(t.Context(), probed(), 1)
			broken := (*BrokenError)(nil)
			if !errors.As(err, &broken) || broken.Pass != "faulty" ||
				!strings.HasPrefix(err.Error(), `compiler: pass "faulty" broke its contract: `) ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, err := (&Manager{Table: table}).Sweep(t.Context(), probed(), 1); err != nil {
				t.Errorf("not asked to check: %v", err)
			}
		})
	}
}

// undone maps each pass to a netlist without the property that the pass ensures.
var undone = map[string]build{
	"constants": func(b *netlist.Builder, x nets) nets {
		return nets{b.Function(tableAnd, none, x[0], netlist.True)}
	},
	"pass-through": func(b *netlist.Builder, x nets) nets { return nets{b.Function(tableCopy, none, x[0])} },
	"inverters": func(b *netlist.Builder, x nets) nets {
		return nets{b.Function(tableNot, none, x[0]), b.Function(tableNot, none, x[0])}
	},
	"hashing": func(b *netlist.Builder, x nets) nets {
		return nets{b.Function(tableAnd, none, x...), b.Function(tableAnd, none, x[1], x[0])}
	},
	"dead": func(b *netlist.Builder, x nets) nets {
		b.Function(tableAnd, none, x...)
		return nets{x[0]}
	},
}

// TestLazyPass replaces each pass of the table by one that does nothing. On a netlist that has work for the pass,
// the check of the pass's contract must fail.
func TestLazyPass(t *testing.T) {
	for _, p := range Passes() {
		make := undone[p.Name]
		if make == nil && p.Holds == nil {
			continue
		}
		p.Run = pure(func(n *netlist.Netlist) *netlist.Netlist { return n })
		m := Manager{Table: Table{Package: "compiler", Passes: []Pass{p}}, Check: sameOn}
		_, err := m.Sweep(t.Context(), make.make(t, 2), 1)
		if broken := (*BrokenError)(nil); !errors.As(err, &broken) || broken.Pass != p.Name {
			t.Errorf("%s: error %v", p.Name, err)
		}
	}
}

// TestHashedInverters checks that the contract of [Hash] allows the inverters that Hash makes for complements.
func TestHashedInverters(t *testing.T) {
	old := build(func(b *netlist.Builder, x nets) nets {
		return nets{b.Function(tableAnd, none, x...), b.Function(tableNand, none, x...), b.Function(tableNand, none, x...)}
	}).make(t, 2)
	if err := noTwins(old); err == nil {
		t.Error("equal cells are not noticed")
	}
	if err := noTwins(Hash(old)); err != nil {
		t.Error(err)
	}
}

// TestLasting lets a pass undo a property that an earlier pass promised for the rest of the table.
func TestLasting(t *testing.T) {
	table := Table{Package: "compiler", Passes: []Pass{
		{Name: "constants", Holds: constantsFolded, Lasting: true, Run: pure(Constants)},
		{Name: "undoing", Grows: true, Run: pure(func(n *netlist.Netlist) *netlist.Netlist {
			return rewritten(n, func(c *netlist.Copier, i netlist.Cell) {
				in := append(nets{}, c.Inputs(i)...)
				c.Set(n.Output(i), c.Function(n.Param(i)|n.Param(i)<<4, none, append(in, netlist.True)...))
			})
		})},
	}}
	_, err := (&Manager{Table: table, Check: sameOn}).Sweep(t.Context(), probed(), 1)
	const want = `compiler: pass "undoing" broke its contract: what pass "constants" ensured is lost: `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// TestBrokenOrder runs a table in a wrong order, which is a programmer's mistake.
func TestBrokenOrder(t *testing.T) {
	table := Table{
		Package: "compiler", Passes: []Pass{{Name: "dead", Run: pure(Dead)}, {Name: "hashing", Run: pure(Hash)}},
		Constraints: constraints[len(constraints)-1:],
	}
	const want = `compiler: pass "hashing" must come before "dead": merged cells leave their drivers without readers`
	defer func() {
		if got := recover(); got != want {
			t.Errorf("panic %v", got)
		}
	}()
	_, _ = (&Manager{Table: table}).Sweep(t.Context(), probed(), 1)
	t.Error("not noticed")
}

// TestReleases checks that the manager keeps no netlist that a later pass has replaced, since two netlists of ten
// million gates do not fit into memory. If Check is set, the manager keeps only the previous netlist.
func TestReleases(t *testing.T) {
	for _, check := range []Check{nil, sameOn} {
		var given []weak.Pointer[netlist.Netlist]
		alive := func() (count int) {
			runtime.GC()
			for _, n := range given {
				if n.Value() != nil {
					count++
				}
			}
			return count
		}
		pass := Pass{Run: func(_ context.Context, n *netlist.Netlist) (*netlist.Netlist, error) {
			given = append(given, weak.Make(n))
			next := rewritten(n, func(c *netlist.Copier, i netlist.Cell) { c.Copy(i) })
			want := 0
			if check != nil {
				want = 1
			}
			if got := alive(); got != want {
				t.Errorf("%d netlists are alive after pass %d, want %d", got, len(given), want)
			}
			return next, nil
		}}
		m := Manager{Table: Table{Package: "compiler"}, Check: check}
		for _, name := range []string{"a", "b", "c"} {
			pass.Name = name
			m.Table.Passes = append(m.Table.Passes, pass)
		}
		if _, err := m.Sweep(t.Context(), probed(), 1); err != nil {
			t.Error(err)
		}
	}
}

// TestThermometerUnasked runs a pass that assumes thermometer codes at the inputs although the options do not allow
// it. A comparison on random bits must find the difference.
func TestThermometerUnasked(t *testing.T) {
	b := netlist.NewBuilder("codes")
	x := b.Input("x", 2, 1, []string{"pixel 1 > 3", "pixel 1 > 7"})
	both := b.Function(tableAnd, gate(1, 0), x[0], x[1])
	b.Output("y", 1, nil, nets{both})
	o := Options{Level: LevelSweep, Restructure: true, Thermometer: ThermometerAssumed, Check: sameOn}
	_, _, err := o.Optimise(t.Context(), b.Netlist())
	if err == nil || !strings.Contains(err.Error(), `pass "chains" broke its contract: y[0]`) {
		t.Errorf("error %v", err)
	}
}
