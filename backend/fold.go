package backend

import (
	"io"
	"math"

	"ialgn/internal/folded"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// Fold is a folded engine and what the report says of it.
type Fold struct {
	folded.Engine
	Header []string      // of the engine and of its wrapper; nil: the header of all files
	Clocks folded.Clocks // of the engine
	Parts  []FoldPart    // modules that it has instances of
	Report FoldReport
}

// FoldPart is a module within a folded engine.
type FoldPart struct {
	Suffix  string   // what follows the netlist's name in the module's
	Header  []string // what it is
	Netlist *netlist.Netlist
}

// FoldReport is the part of the report about a folded engine.
type FoldReport struct {
	Lanes     int          `json:"lanes,omitempty"`     // steps in a clock
	Each      []FoldCost   `json:"each,omitempty"`      // one for each possible number of lanes
	Positions *Positions   `json:"positions,omitempty"` // of an engine that takes a position a clock
	Sequence  *Sequence    `json:"sequence,omitempty"`  // of an engine that has the layers of a step once
	Memories  []FoldMemory `json:"memories"`
}

// Sequence is what an engine takes that has the layers of a step once. The parts are those layers, then what makes the
// class.
type Sequence struct {
	folded.StepsCost
	FoldParts
}

// Positions is what an engine takes that has each kernel once. The parts are the kernels of each convolution, then the
// dense layers.
type Positions struct {
	folded.PositionsCost
	FoldParts
}

// FoldParts is what the report says of an engine with modules of its own.
type FoldParts struct {
	SamplesPerSecond float64      `json:"samples_per_second,omitempty"`
	Parts            []PartReport `json:"parts"`
}

// PartReport is the size of a part.
type PartReport struct {
	Module string `json:"module"`
	Raw    int    `json:"gates_raw"` // nodes of the model
	Cells  int    `json:"cells"`     // optimised
	LUTs   int    `json:"luts,omitempty"`
	Levels int    `json:"levels"`           // between registers
	Stages int    `json:"stages,omitempty"` // of registers
}

// FoldCost is the cost of an engine with a given number of lanes.
type FoldCost struct {
	folded.Cost
	Fits             []string `json:"fits"` // the devices of iCE40 that have the block RAM
	SamplesPerSecond float64  `json:"samples_per_second,omitempty"`
}

// Clocks returns how long samples take in the engine that was made, 0 if the report does not say it.
func (r *FoldReport) Clocks() (c folded.Clocks) {
	switch {
	case r == nil:
	case r.Positions != nil:
		c = folded.Clocks{Cycles: float64(r.Positions.Cycles), Latency: r.Positions.Latency}
	case r.Sequence != nil:
		c = folded.Clocks{Cycles: r.Sequence.Cycles, Latency: r.Sequence.Latency}
	default:
		for _, e := range r.Each {
			if e.Lanes == r.Lanes {
				c = folded.Clocks{Cycles: float64(e.Cycles), Latency: e.Latency}
			}
		}
	}
	return c
}

// MinClocks are the cycles of [FoldReport.Clocks] as a whole number, 1 at least.
func (r *FoldReport) MinClocks() int { return max(1, int(math.Ceil(r.Clocks().Cycles))) }

// FoldMemory is a memory that a file of the folder fills.
type FoldMemory struct {
	File  string `json:"file"`
	Depth int    `json:"depth"` // words
	Width int    `json:"width"` // bits of a word
}

// The formats of a folded engine's files.
const (
	FoldVerilog = "fold"
	FoldPartOf  = "fold-part"
	FoldCells   = "fold-cells" // models of the primitives of all parts, for simulators
	FoldProgram = "fold-program"
	FoldEncoder = "fold-thresholds"
)

// FoldSuffix ends the name of an engine's module, after the name of the netlist's module.
const FoldSuffix = folded.Suffix

// foldCellsSuffix ends the name of the file of that format.
const foldCellsSuffix = FoldSuffix + "_cells.v"

// foldedFormats returns the files of a folded engine.
func foldedFormats(p Product) []format {
	if p.Fold == nil {
		return nil
	}
	list := []format{{
		FoldVerilog, "", FoldSuffix + ".v", always,
		func(w io.Writer, p Product) error { return p.Fold.WriteVerilog(w, p.foldHeader()) },
	}}
	for _, part := range p.Fold.Parts {
		list = append(list, format{
			FoldPartOf, "", part.Suffix + ".v", always,
			func(w io.Writer, p Product) error { return verilog.Write(w, part.Netlist, partOptions(p, part)) },
		})
	}
	if len(p.Fold.Parts) > 0 && inLUTs(p) {
		list = append(list, format{FoldCells, "", foldCellsSuffix, always, writeFoldCells})
	}
	for _, m := range p.Fold.Memories() {
		name := FoldProgram
		if m.Thresholds {
			name = FoldEncoder
		}
		list = append(list, format{
			name, "", m.File[len(p.Manifest.Module):], always,
			func(w io.Writer, _ Product) error { return m.Write(w) },
		})
	}
	return list
}

// foldHeader are the lines at the top of the engine and of the wrapper around it.
func (p Product) foldHeader() []string {
	if p.Fold.Header != nil {
		return p.Fold.Header
	}
	return p.Header
}

// partOptions say how a part is written.
func partOptions(p Product, part FoldPart) verilog.Options {
	o := verilogOptions(p)
	o.Module, o.Cells = p.Manifest.Module+part.Suffix, p.Manifest.Module+foldCellsSuffix
	o.Header, o.Inputs, o.Version = append(part.Header[:len(part.Header):len(part.Header)], p.Header...), nil, 0
	return o
}

// writeFoldCells writes models of the primitives of all parts.
func writeFoldCells(w io.Writer, p Product) error {
	var all []*netlist.Netlist
	for _, part := range p.Fold.Parts {
		all = append(all, part.Netlist)
	}
	o := verilogOptions(p)
	o.Module = p.Manifest.Module + FoldSuffix
	return verilog.WriteCellsOf(w, o, all...)
}

// sources returns the Verilog files of a folded engine, itself last.
func (f *Fold) sources(module string) (all []string) {
	for _, part := range f.Parts {
		all = append(all, module+part.Suffix+".v")
	}
	return append(all, module+FoldSuffix+".v")
}
