package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// place says which files of the output folder a mutant changes.
type place string

const (
	inBoth    place = "netlist and Verilog" // a bug of a pass
	inNetlist place = "netlist"
	inVerilog place = "Verilog"                // a bug of the writer: the rest is as it was
	inText    place = "Verilog, as text"       // an edit
	inHint    place = "netlist, Verilog, hint" // a bug that the hint of the counts repeats
	inBench   place = "testbench"

	inStatement place = "statement" // a form that is never written
	inWrapper   place = "wrapper"   // the text of a wrapper
	inCore      place = "core"      // the text of what a wrapper is around
	inEngine    place = "engine"    // the text of a folded engine
	inMemory    place = "memory"    // a memory of a folded engine
	inManifest  place = "manifest"  // the manifest, or names of files
)

// kind is a kind of mutants and how they are made: drawn in the netlist or in a text, or one after the
// other at all sites of the designs.
type kind struct {
	name    string
	places  []place
	netlist func(*design, *rand.Rand) *change
	text    func(*design, *rand.Rand) *textChange
	sites   func(*design) []site
}

// kinds returns the table of all kinds. One that has many sites stands in it more than once.
func kinds() []kind {
	return slices.Concat(drawnKinds(), formKinds(), siteKinds())
}

// formKinds are the kinds of statements.
func formKinds() (list []kind) {
	for _, name := range statementKinds() {
		list = append(list, kind{name: name, places: []place{inStatement}, text: textStatement(name)})
	}
	return list
}

// siteKinds are the kinds of which all sites are known.
func siteKinds() (list []kind) {
	changes := []struct {
		name  string
		times int
		make  func(*source)
	}{
		{"constant", 4, (*source).constants},
		{"width", 2, (*source).widths},
		{"comparison", 1, (*source).comparisons},
		{"operator", 2, (*source).operators},
		{"state", 3, (*source).states},
		{"reset", 1, (*source).resets},
		{"pin", 2, (*source).pins},
	}
	for _, in := range []struct {
		place place
		files func(*design) []string
	}{{inWrapper, wrapperFiles}, {inEngine, engineFiles}} {
		for _, c := range changes {
			k := kind{name: string(in.place) + ": " + c.name, places: []place{in.place}, sites: textSites(in.files, c.make)}
			list = append(list, slices.Repeat([]kind{k}, c.times)...)
		}
	}
	core := kind{name: "core: operator", places: []place{inCore}, sites: textSites(coreFiles, (*source).operators)}
	memory := kind{name: "engine: memory", places: []place{inMemory}, sites: memorySites}
	list = append(list, core, memory, memory)
	for _, name := range []string{leftOut, swapped, renamed, optioned, claimed} {
		list = append(list, kind{name: name, places: []place{inManifest}, sites: claimSites(name)})
	}
	return list
}

// drawnKinds are the kinds that are drawn.
func drawnKinds() []kind {
	all := []place{inBoth, inVerilog, inNetlist, inText}
	return []kind{
		{"operation", all, (*design).operation, (*design).textOperation, nil},
		{"anchor", all, (*design).anchor, (*design).textAnchor, nil},
		{"lut", []place{inBoth, inVerilog, inNetlist, inBoth, inVerilog, inText}, (*design).lutBit, (*design).textLUT, nil},
		{
			"counter",
			[]place{inBoth, inHint, inVerilog, inNetlist, inHint, inText},
			(*design).counter, (*design).textCounter,
			nil,
		},
		{"tie", all, (*design).tie, (*design).textTie, nil},
		{
			"register",
			[]place{inText, inBoth, inText, inVerilog, inText, inNetlist},
			(*design).registerData,
			(*design).textRegister, nil,
		},
		{"class", []place{inBoth, inHint, inVerilog, inNetlist, inText}, (*design).classGroup, (*design).textClass, nil},
		{"threshold", all, (*design).threshold, (*design).textThreshold, nil},
		{"expected", []place{inBench}, nil, (*design).textBench, nil},
	}
}

// slot is a mutant that is to be made.
type slot struct {
	number  int
	kind    kind
	place   place
	trained bool // in a trained network, and rarely shown if possible
	nth     int  // number among the mutants of its kind
	of      int  // how many of its kind there are in a plan of fullPlan mutants
}

// fullPlan is how many mutants a full run makes. Sites are divided among these, whatever part of them a run makes.
const fullPlan = 2600

// slots returns what is to be made, from a number on: as many of each kind, four fifths of them in trained
// networks.
func slots(first, count int, only []string) ([]slot, error) {
	table := kinds()
	for _, name := range only {
		if !slices.ContainsFunc(table, func(k kind) bool { return k.name == name }) {
			return nil, fmt.Errorf("-kinds: %q is none of %s", name, kindNames(table))
		}
	}
	if len(only) > 0 {
		table = slices.DeleteFunc(table, func(k kind) bool { return !slices.Contains(only, k.name) })
	}
	var list []slot
	rounds := max(fullPlan/len(kinds()), (first+count)/len(table)) + 1
	for i := first; i < first+count; i++ {
		k, round := table[i%len(table)], i/len(table)
		times, before := rows(table, k.name), rows(table[:i%len(table)], k.name)
		nth := round*times + before
		trained := nth/len(k.places)%5 < 4
		if k.places[0] == inStatement {
			trained = nth%8 == 0
		}
		list = append(list, slot{i, k, k.places[nth%len(k.places)], trained, nth, rounds * times})
	}
	return list, nil
}

// rows returns how often a kind stands in a table.
func rows(table []kind, name string) (n int) {
	for _, k := range table {
		if k.name == name {
			n++
		}
	}
	return n
}

func kindNames(table []kind) string {
	var names []string
	for _, k := range table {
		if !slices.Contains(names, k.name) {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, ", ")
}
