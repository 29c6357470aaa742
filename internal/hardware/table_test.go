package hardware

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/counts"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/target"
	"ialgn/netlist"
)

func TestTable(t *testing.T) {
	table := Options{}.table(&Design{})
	if err := table.CheckOrder(); err != nil {
		t.Error(err)
	}
	for _, p := range table.Passes {
		if p.Name == "" || p.Contract == "" || p.Why == "" || p.Run == nil || p.Holds == nil {
			t.Errorf("lowering %q lacks something: %+v", p.Name, p)
		}
	}
}

// TestBrokenOrder moves rows of the table to forbidden places. The manager must report the wrong order before it runs
// any row.
func TestBrokenOrder(t *testing.T) {
	const mapping, encoding, heading, registers = 0, 1, 2, 3
	for _, c := range []struct {
		name  string
		order []int
		late  string // a pass of package compiler that comes after the rows; empty: none
		want  string
	}{
		{
			"the head before the LUTs",
			[]int{heading, mapping, encoding, registers},
			"",
			`hardware: pass "map" must come before "head": the head takes levels`,
		},
		{
			"the encoder after the head",
			[]int{mapping, heading, encoding, registers},
			"",
			`hardware: pass "encoder" must come before "head": the head takes levels`,
		},
		{
			"registers before the head",
			[]int{mapping, encoding, registers, heading},
			"",
			`hardware: pass "every other" must come before "pipeline": registers balance`,
		},
		{
			"constants folded after the head",
			[]int{mapping, encoding, heading, registers},
			"constants",
			`hardware: pass "constants" must come before "head": folded constants would take joined carry chains apart`,
		},
		{
			"equal cells merged after the head",
			[]int{mapping, encoding, heading, registers},
			"hashing",
			`hardware: pass "hashing" must come before "head"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := Options{}.table(&Design{})
			all := table.Passes
			table.Passes = nil
			for _, i := range c.order {
				table.Passes = append(table.Passes, all[i])
			}
			if c.late != "" {
				i := slices.IndexFunc(table.Earlier, func(p compiler.Pass) bool { return p.Name == c.late })
				table.Passes = slices.Insert(table.Passes, 3, table.Earlier[i])
				table.Earlier = slices.Delete(table.Earlier, i, i+1)
			}
			defer func() {
				if got, ok := recover().(string); !ok || !strings.HasPrefix(got, c.want) {
					t.Errorf("panic %q, want %q", got, c.want)
				}
			}()
			_, _ = (&compiler.Manager{Table: table}).Sweep(t.Context(), nil, 0)
		})
	}
}

// first copies a netlist. In the copy, the result of the function change replaces the first cell for which the
// function wanted returns true.
func first(
	n *netlist.Netlist, wanted func(netlist.Cell) bool, change func(*netlist.Copier, netlist.Cell) netlist.Net,
) *netlist.Netlist {
	c, found := netlist.NewCopier(n), false
	for i := range netlist.Cell(n.Cells()) {
		if !found && wanted(i) {
			found = true
			c.Set(n.Output(i), change(c, i))
			continue
		}
		c.Copy(i)
	}
	return c.Finish()
}

// inverted replaces the function of the last LUT by its complement.
func inverted(n *netlist.Netlist, _ *Design) *netlist.Netlist {
	last := netlist.Cell(n.Cells() - 1)
	for n.Kind(last) != netlist.Function {
		last--
	}
	return first(n, func(i netlist.Cell) bool { return i == last }, func(c *netlist.Copier, i netlist.Cell) netlist.Net {
		in := c.Inputs(i)
		return c.Function(n.Param(i)^netlist.TableMask(len(in)), n.Origin(i), in...)
	})
}

// unprobed drops the probes.
func unprobed(n *netlist.Netlist, _ *Design) *netlist.Netlist {
	b := netlist.NewBuilder(n.Name)
	b.Classes(n.ChainClasses())
	for _, p := range n.InputPorts() {
		b.Input(p.Name, len(p.Nets), p.Word, p.Labels)
	}
	for i := range netlist.Cell(n.Cells()) {
		b.Cell(n.Kind(i), n.Param(i), n.Origin(i), n.Inputs(i)...)
	}
	for _, p := range n.OutputPorts() {
		b.Output(p.Name, p.Word, p.Labels, p.Nets)
	}
	return b.Netlist()
}

// widened adds four inputs to the first function of two inputs. The result has too many inputs for a LUT of four.
func widened(n *netlist.Netlist, _ *Design) *netlist.Netlist {
	is := func(i netlist.Cell) bool { return n.Kind(i) == netlist.Function && len(n.Inputs(i)) == 2 }
	return first(n, is, func(c *netlist.Copier, i netlist.Cell) netlist.Net {
		in := append([]netlist.Net{}, c.Inputs(i)...)
		return c.Function(n.Param(i)*0x1111111111111111, n.Origin(i), append(in, in[0], in[0], in[1], in[1])...)
	})
}

// untold changes the report, so that the stated number of stages is one more than the netlist has.
func untold(n *netlist.Netlist, d *Design) *netlist.Netlist {
	d.Stages.Stages++
	return n
}

// TestBrokenLowering inserts a fault after each lowering in turn. The manager must name the lowering and the broken
// rule.
func TestBrokenLowering(t *testing.T) {
	n := optimised(t)
	unlowered := func(*netlist.Netlist, *Design) *netlist.Netlist { return n }
	for _, c := range []struct {
		name, pass, want string
		fault            func(*netlist.Netlist, *Design) *netlist.Netlist
	}{
		{"another function", "map", " on a random sample", inverted},
		{"another function", "head", " on a random sample", inverted},
		{"another function", "pipeline", " on a random sample", inverted},
		{"no probe", "encoder", `probe "count_0" is not where it was`, unprobed},
		{"wide functions", "map", "has 6 inputs, a LUT has 4", widened},
		{"wide functions later", "encoder", `what pass "map" ensured is lost: function cell `, widened},
		{"comparisons left", "encoder", "is a comparison", unlowered},
		{"a head left", "head", "is a compare", unlowered},
		{"counts unproved", "head", "count 0: ", func(n *netlist.Netlist, d *Design) *netlist.Netlist {
			d.Hint = &counts.Hint{Counts: slices.Clone(d.Hint.Counts)}
			d.Hint.Counts[0].Bits = d.Hint.Counts[0].Bits[1:]
			return n
		}},
		{"fewer registers than told", "pipeline", "2 registers on each path, the report says 3", untold},
	} {
		t.Run(c.pass+", "+c.name, func(t *testing.T) {
			d := &Design{}
			o := Options{Target: target.ICE40, K: 4, Objective: lut.Balanced, Pipeline: pipeline.Options{Stages: 2}}
			table := o.table(d)
			faulty := &table.Passes[slices.IndexFunc(table.Passes, func(p compiler.Pass) bool { return p.Name == c.pass })]
			sound := faulty.Run
			faulty.Run = func(ctx context.Context, n *netlist.Netlist) (*netlist.Netlist, error) {
				n, err := sound(ctx, n)
				if err == nil {
					n = c.fault(n, d)
				}
				return n, err
			}
			_, err := (&compiler.Manager{Table: table, Check: sameOn}).Sweep(t.Context(), n, 0)
			broken := (*compiler.BrokenError)(nil)
			if !errors.As(err, &broken) || broken.Pass != c.pass || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q of pass %s", err, c.want, c.pass)
			}
		})
	}
}
