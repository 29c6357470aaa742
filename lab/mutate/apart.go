package main

import (
	"context"
	"path/filepath"
	"strings"

	"ialgn/backend"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// apart is what single checks of verify say of a mutant that is refused as a whole, as its text is none that is
// written: they are asked each by itself.
type apart struct {
	Play  string `json:"play"`  // found, not found, or what it says instead
	Proof string `json:"proof"` // empty: none was asked
}

// The answers of single checks.
const (
	found    = "found"
	notFound = "not found"
)

// checked is the design as the library has it.
func (d *design) checked() (verify.Design, error) {
	f, err := model.ReadFrozen(d.model)
	if err != nil {
		return verify.Design{}, err
	}
	scope, err := netlist.ParseScope(d.out.Manifest.Scope)
	if err != nil {
		return verify.Design{}, err
	}
	raw, err := freeze.Network(f, scope)
	if err == nil && strings.Contains(d.recipe.options, "--counts") {
		raw, err = netlist.WithCounts(raw, f.Classes)
	}
	return verify.Design{Model: f, Raw: raw, Product: d.out.Netlist, Hint: d.out.Hint}, err
}

// apartSamples is how many samples a single check plays.
const apartSamples = 100

// askApart asks the checks that a text has beside its comparison, for the mutant in a folder.
func (x *mutant) askApart(ctx context.Context, p place, dir string) (*apart, error) {
	d, err := x.d.checked()
	if err != nil {
		return nil, err
	}
	switch s := x.d.encoder.set; p {
	case inStatement, inText, inVerilog:
		f := rtl.Files{
			Module: x.d.options.Module, Design: filepath.Join(dir, x.d.options.Module+".v"),
			Style: x.d.options.Style, Target: x.d.options.Target,
		}
		played, err := rtl.Check(ctx, d, s, f, "iverilog", apartSamples)
		proof, failed := rtl.CheckText(ctx, d, f)
		return &apart{
			answer(err, err == nil && played.Mismatches > 0),
			answer(failed, failed == nil && proof.Verdict != "equivalent"),
		}, ctx.Err()
	case inWrapper, inCore:
		played, err := rtl.CheckWrapper(ctx, d, s, x.d.wrapperFiles(dir), apartSamples)
		return &apart{Play: answer(err, err == nil && played.Mismatches > 0)}, ctx.Err()
	case inEngine, inMemory:
		f := x.d.foldFiles(dir)
		played, err := rtl.CheckEngine(ctx, d, s, f, "iverilog", apartSamples)
		a := &apart{Play: answer(err, err == nil && played.Mismatches > 0)}
		if p == inMemory {
			proof, failed := proof.ProveProgram(ctx, d, f)
			a.Proof = answer(failed, failed == nil && !proof.Proved)
		}
		return a, ctx.Err()
	}
	return nil, nil
}

// answer says what a check found.
func answer(err error, differs bool) string {
	switch {
	case err != nil:
		return found + ": " + err.Error()
	case differs:
		return found
	}
	return notFound
}

// wrapperFiles are the files of a wrapper in a folder, and what they were written for.
func (d *design) wrapperFiles(dir string) rtl.WrapperFiles {
	f := rtl.WrapperFiles{
		Kind: d.wrap, Module: d.options.Module, Style: d.options.Style, Target: d.options.Target,
	}
	inner := "verilog"
	switch s := backend.Core(d.out.Netlist, d.wrap); {
	case d.lanes > 0:
		engine := d.foldFiles(dir)
		f.Fold, inner = &engine, "fold"
	case s != nil:
		f.Levels = &wrapper.Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
		inner = "core"
	}
	for _, name := range append(d.named(d.wrap), d.named(inner)...) {
		f.Sources = append(f.Sources, filepath.Join(dir, name))
	}
	return f
}

// foldFiles are the files of an engine in a folder.
func (d *design) foldFiles(dir string) proof.EngineFiles {
	in := func(format string) (paths []string) {
		for _, name := range d.named(format) {
			paths = append(paths, filepath.Join(dir, name))
		}
		return paths
	}
	f := proof.EngineFiles{
		Module: d.options.Module + "_fold", Verilog: in("fold")[0], Lanes: d.lanes, Programs: in("fold-program"),
		Drop: wrapper.Is(d.wrap, wrapper.DropsPackets),
	}
	if thresholds := in("fold-thresholds"); len(thresholds) > 0 {
		f.Thresholds = thresholds[0]
	}
	return f
}
