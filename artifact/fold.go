package artifact

import (
	"io"
	"math"

	"ialgn/backend/fold"
	"ialgn/backend/levels"
	"ialgn/backend/positions"
	"ialgn/backend/steps"
	"ialgn/backend/verilog"
	"ialgn/netlist"
)

// Fold is a folded engine and what the report says of it.
type Fold struct {
	Module       string
	Header       []string // of the wrapper around it; nil: that of all files
	Drop         bool     // it has the input drop
	Cycles       float64  // clocks from one sample to the next, as package wrapper defines them
	Latency      int      // clocks of a sample, by the same
	WriteVerilog func(w io.Writer, p Product) error
	Memories     []levels.Memory
	Parts        []FoldPart // modules that it has instances of
	Report       FoldReport
}

// FoldPart is a module within a folded engine.
type FoldPart struct {
	Suffix  string   // what follows the netlist's name in the module's
	Header  []string // what it is
	Netlist *netlist.Netlist
}

// MemoryFiles returns what the report says of the memories.
func (f *Fold) MemoryFiles() (all []FoldMemory) {
	for _, m := range f.Memories {
		all = append(all, FoldMemory{File: m.File, Depth: m.Depth, Width: m.Width})
	}
	return all
}

// FoldReport is the part of the report about a folded engine.
type FoldReport struct {
	Lanes     int          `json:"lanes,omitempty"`     // steps in a clock
	Each      []FoldCost   `json:"each,omitempty"`      // one for each possible number of lanes
	Positions *Positions   `json:"positions,omitempty"` // of an engine that takes a position a clock
	Sequence  *Sequence    `json:"sequence,omitempty"`  // of an engine that has the layers of a step once
	Memories  []FoldMemory `json:"memories"`
}

// Sequence is what an engine takes that has the layers of a step once.
type Sequence struct {
	steps.Cost
	SamplesPerSecond float64      `json:"samples_per_second,omitempty"`
	Parts            []PartReport `json:"parts"` // the layers of a step, then what makes the class
}

// Positions is what an engine takes that has each kernel once.
type Positions struct {
	positions.Cost
	SamplesPerSecond float64      `json:"samples_per_second,omitempty"`
	Parts            []PartReport `json:"parts"` // the kernels of each convolution, then the dense layers
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
	fold.Cost
	Fits             []string `json:"fits"` // the devices of iCE40 that have the block RAM
	SamplesPerSecond float64  `json:"samples_per_second,omitempty"`
}

// Clocks returns how many clocks lie between two samples, at least, on average.
func (r *FoldReport) Clocks() float64 {
	if s := r.Sequence; s != nil {
		return s.Cycles
	}
	return float64(r.Cost().Cycles)
}

// Cost returns what the engine that was made takes, its clocks as a whole number. It returns nothing if the report
// does not say it.
func (r *FoldReport) Cost() FoldCost {
	if r == nil {
		return FoldCost{}
	}
	if p := r.Positions; p != nil {
		return FoldCost{Cost: fold.Cost{Cycles: p.Cycles, Latency: p.Latency}, SamplesPerSecond: p.SamplesPerSecond}
	}
	if s := r.Sequence; s != nil {
		return FoldCost{
			Cost: fold.Cost{Cycles: int(math.Ceil(s.Cycles)), Latency: s.Latency}, SamplesPerSecond: s.SamplesPerSecond,
		}
	}
	for _, c := range r.Each {
		if c.Lanes == r.Lanes {
			return c
		}
	}
	return FoldCost{}
}

// MinClocks is [FoldReport.Clocks] as a whole number, 1 at least.
func (r *FoldReport) MinClocks() int { return max(1, r.Cost().Cycles) }

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

// FoldSuffix ends the name of an engine's module, after that of the netlist's.
const FoldSuffix = fold.Suffix

// foldCellsSuffix ends the name of the file of that format.
const foldCellsSuffix = fold.Suffix + "_cells.v"

// folded returns the files of a folded engine.
func folded(p Product) []format {
	if p.Fold == nil {
		return nil
	}
	list := []format{{
		FoldVerilog, "", fold.Suffix + ".v", always,
		func(w io.Writer, p Product) error { return p.Fold.WriteVerilog(w, p) },
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
	for _, m := range p.Fold.Memories {
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
	o.Module = p.Fold.Module
	return verilog.WriteCellsOf(w, o, all...)
}

// sources returns the Verilog files of a folded engine, itself last.
func (f *Fold) sources(module string) (all []string) {
	for _, part := range f.Parts {
		all = append(all, module+part.Suffix+".v")
	}
	return append(all, f.Module+".v")
}
