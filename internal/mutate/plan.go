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
)

// kind is a kind of mutants and how they are made.
type kind struct {
	name    string
	places  []place
	netlist func(*design, *rand.Rand) *change
	text    func(*design, *rand.Rand) *textChange
}

// kinds returns the table of all kinds.
func kinds() []kind {
	all := []place{inBoth, inVerilog, inNetlist, inText}
	return []kind{
		{"operation", all, (*design).operation, (*design).textOperation},
		{"anchor", all, (*design).anchor, (*design).textAnchor},
		{"lut", []place{inBoth, inVerilog, inNetlist, inBoth, inVerilog, inText}, (*design).lutBit, (*design).textLUT},
		{"counter", []place{inBoth, inHint, inVerilog, inNetlist, inHint, inText}, (*design).counter, (*design).textCounter},
		{"tie", all, (*design).tie, (*design).textTie},
		{"register", []place{inText, inBoth, inText, inVerilog, inText, inNetlist}, (*design).registerData, (*design).textRegister},
		{"class", []place{inBoth, inHint, inVerilog, inNetlist, inText}, (*design).classGroup, (*design).textClass},
		{"threshold", all, (*design).threshold, (*design).textThreshold},
		{"expected", []place{inBench}, nil, (*design).textBench},
	}
}

// slot is a mutant that is to be made.
type slot struct {
	number  int
	kind    kind
	place   place
	trained bool // in a trained network, and rare if that can be
}

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
	for i := first; i < first+count; i++ {
		k := table[i%len(table)]
		nth := i / len(table)
		list = append(list, slot{i, k, k.places[nth%len(k.places)], nth/len(k.places)%5 < 4})
	}
	return list, nil
}

func kindNames(table []kind) string {
	var names []string
	for _, k := range table {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}
