package backend

import (
	"io"
	"math"

	"ialgn/internal/folded"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// Fold is a folded engine and its part of the report.
type Fold struct {
	folded.Engine
	Header []string      // header of the files of the engine and its wrapper; nil: same as in other files
	Clocks folded.Clocks // timing of the engine
	Parts  []FoldPart    // modules that the engine instantiates
	Report FoldReport
}

// FoldPart is a Verilog module that a folded engine instantiates.
type FoldPart struct {
	Suffix  string   // the part's module name is the netlist's name and this suffix
	Header  []string // header lines that describe the part in its file
	Netlist *netlist.Netlist
}

// FoldReport is the part of the report about a folded engine.
type FoldReport struct {
	Lanes     int          `json:"lanes,omitempty"`     // program steps in each clock
	Each      []FoldCost   `json:"each,omitempty"`      // cost for each possible number of lanes
	Positions *Positions   `json:"positions,omitempty"` // set if the engine computes one position in each clock
	Sequence  *Sequence    `json:"sequence,omitempty"`  // set if the engine has the layers of only one time step
	Memories  []FoldMemory `json:"memories"`
}

// Sequence is the cost of an engine that contains the layers of a single time step and uses them for all steps. The
// first part of the engine has these layers, and the second part is the module that computes the class.
type Sequence struct {
	folded.StepsCost
	FoldParts
}

// Positions is the cost of an engine that contains each convolution kernel once. The engine has one part for the
// kernels of each convolution. The last part has the dense layers.
type Positions struct {
	folded.PositionsCost
	FoldParts
}

// FoldParts is the part of the report about an engine with its own modules.
type FoldParts struct {
	SamplesPerSecond float64      `json:"samples_per_second,omitempty"`
	Parts            []PartReport `json:"parts"`
}

// PartReport is the size of a part.
type PartReport struct {
	Module string `json:"module"`
	Raw    int    `json:"gates_raw"` // nodes of the model
	Cells  int    `json:"cells"`     // after optimisation
	LUTs   int    `json:"luts,omitempty"`
	Levels int    `json:"levels"`           // number of levels between registers
	Stages int    `json:"stages,omitempty"` // number of register stages
}

// FoldCost is the cost of an engine with a given number of lanes.
type FoldCost struct {
	folded.Cost
	Fits             []string `json:"fits"` // iCE40 devices with enough block RAM
	SamplesPerSecond float64  `json:"samples_per_second,omitempty"`
}

// Clocks returns the timing of the engine in the folder, or the zero value if the report does not contain the timing.
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

// MinClocks returns the number of cycles in [FoldReport.Clocks], rounded up. The result is at least 1.
func (r *FoldReport) MinClocks() int { return max(1, int(math.Ceil(r.Clocks().Cycles))) }

// FoldMemory is a memory that is initialised from a file of the folder.
type FoldMemory struct {
	File  string `json:"file"`
	Depth int    `json:"depth"` // number of words
	Width int    `json:"width"` // bits of a word
}

// These are the formats of a folded engine's files.
const (
	FoldVerilog = "fold"
	FoldPartOf  = "fold-part"
	FoldCells   = "fold-cells" // models of the primitives in all parts, for simulators
	FoldProgram = "fold-program"
	FoldEncoder = "fold-thresholds"
)

// FoldSuffix is the end of the name of an engine's module. The name begins with the name of the netlist's module.
const FoldSuffix = folded.Suffix

// foldCellsSuffix is the end of the name of the file with format FoldCells.
const foldCellsSuffix = FoldSuffix + "_cells.v"

// foldedFormats returns the formats of a folded engine's files.
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

// foldHeader returns the header lines of the engine and of its wrapper.
func (p Product) foldHeader() []string {
	if p.Fold.Header != nil {
		return p.Fold.Header
	}
	return p.Header
}

// partOptions returns the Verilog options for a part.
func partOptions(p Product, part FoldPart) verilog.Options {
	o := verilogOptions(p)
	o.Module, o.Cells = p.Manifest.Module+part.Suffix, p.Manifest.Module+foldCellsSuffix
	o.Header, o.Inputs, o.Version = append(part.Header[:len(part.Header):len(part.Header)], p.Header...), nil, 0
	return o
}

// writeFoldCells writes models of the primitives in all parts.
func writeFoldCells(w io.Writer, p Product) error {
	var all []*netlist.Netlist
	for _, part := range p.Fold.Parts {
		all = append(all, part.Netlist)
	}
	o := verilogOptions(p)
	o.Module = p.Manifest.Module + FoldSuffix
	return verilog.WriteCellsOf(w, o, all...)
}

// sources returns the Verilog files of a folded engine. The engine itself is last.
func (f *Fold) sources(module string) (all []string) {
	for _, part := range f.Parts {
		all = append(all, module+part.Suffix+".v")
	}
	return append(all, module+FoldSuffix+".v")
}
