package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/head"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/netlist"
)

// corePart runs the part core, on the given models or on a random network.
func corePart(ctx context.Context, w io.Writer, o *options) error {
	fmt.Fprintf(w, "\nGates, popcounts and argmax as LUT6, inverters included, and the gates alone.\n\n")
	t := newTable(w, "network", "made by", "LUTs", "levels", "CPU s", "proved")
	if len(o.models) == 0 {
		return coreOf(ctx, t, o, "random 8,000 x 6, the paper's shares", netgen.Frozen(1, netgen.Paper(8000, 6)))
	}
	for _, path := range o.models {
		f, err := model.ReadFrozen(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if err := coreOf(ctx, t, o, fmt.Sprintf("%s, %s x %d", name, number(f.Width), f.Depth()), f); err != nil {
			return err
		}
	}
	return nil
}

// coreOf adds the rows of one network to the table.
func coreOf(ctx context.Context, t table, o *options, name string, f *model.Frozen) error {
	for _, scope := range []netlist.Scope{netlist.Core, netlist.Gates} {
		for _, objective := range []lut.Objective{lut.Area, lut.Balanced} {
			got, err := lowered(ctx, f, scope, objective)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			t.add(name, fmt.Sprintf("ialgn, %v, %v", scope, objective),
				number(got.luts+got.inverters), fmt.Sprint(got.levels), seconds(got.cpu), "yes")
		}
		n, err := optimised(ctx, f, scope)
		if err != nil {
			return err
		}
		forms, err := formsOf(n)
		if err != nil {
			return err
		}
		for _, form := range forms {
			got, err := mapYosys(ctx, o.dir, form.n, 6)
			if err != nil {
				return err
			}
			t.add(name, fmt.Sprintf("yosys, %v%s", scope, form.name), number(got.luts), fmt.Sprint(got.levels), seconds(got.cpu),
				"")
		}
	}
	return nil
}

func optimised(ctx context.Context, f *model.Frozen, scope netlist.Scope) (*netlist.Netlist, error) {
	raw, err := freeze.Network(f, scope)
	if err != nil {
		return nil, err
	}
	n, _, err := exact.Optimise(ctx, raw)
	return n, err
}

// lowered lowers a network to hardware and proves the result.
func lowered(ctx context.Context, f *model.Frozen, scope netlist.Scope, objective lut.Objective) (got figures,
	err error,
) {
	before := cpuSeconds()
	n, err := optimised(ctx, f, scope)
	if err != nil {
		return got, err
	}
	d, err := hardware.Options{K: target.Generic.LUT.Most, Objective: objective}.Lower(ctx, n)
	if err != nil {
		return got, err
	}
	got.cpu = cpuSeconds() - before
	m := netlist.Measure(d.Netlist)
	got.luts, got.levels = m.LUTs.Total, m.Levels.Total
	raw, err := freeze.Network(f, scope)
	if err != nil {
		return got, err
	}
	proof, err := proof.Check(ctx, verify.Design{Model: f, Raw: raw, Product: d.Netlist, Hint: d.Hint})
	if err == nil && !proof.Proved {
		err = fmt.Errorf("%v, %v: not proved: %s (%s)", scope, objective, proof.Verdict, proof.Reason)
	}
	return got, err
}

// form is one form of a netlist that yosys gets as input.
type form struct {
	name string
	n    *netlist.Netlist
}

// formsOf returns the three forms of a core. They differ in how the sums are given: as operators from which yosys
// builds circuits, as full adders, or as the counters of ialgn. A netlist of gates without sums has only one form.
func formsOf(n *netlist.Netlist) ([]form, error) {
	if len(n.Probes()) == 0 {
		return []form{{"", n}}, nil
	}
	adders, _, err := head.Lower(n, head.Options{K: 3})
	if err != nil {
		return nil, err
	}
	counters, _, err := head.Lower(n, head.Options{K: 6})
	if err != nil {
		return nil, err
	}
	return []form{{" from +", n}, {" from full adders", adders}, {" from our counters", counters}}, nil
}
