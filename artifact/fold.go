package artifact

import (
	"io"

	"ialgn/backend/fold"
)

// Fold is a folded engine and what the report says of it.
type Fold struct {
	Engine *fold.Engine
	Report FoldReport
}

// FoldReport is the part of the report about a folded engine.
type FoldReport struct {
	Lanes    int          `json:"lanes"` // steps in a clock
	Each     []FoldCost   `json:"each"`  // one for each possible number of lanes
	Memories []FoldMemory `json:"memories"`
}

// FoldCost is the cost of an engine with a given number of lanes.
type FoldCost struct {
	fold.Cost
	Fits             []string `json:"fits"` // the devices of iCE40 that have the block RAM
	SamplesPerSecond float64  `json:"samples_per_second,omitempty"`
}

// Cost returns what the engine that was made takes, nothing if the report does not say it.
func (r *FoldReport) Cost() FoldCost {
	if r == nil {
		return FoldCost{}
	}
	for _, c := range r.Each {
		if c.Lanes == r.Lanes {
			return c
		}
	}
	return FoldCost{}
}

// FoldMemory is a memory that a file of the folder fills.
type FoldMemory struct {
	File  string `json:"file"`
	Depth int    `json:"depth"` // words
	Width int    `json:"width"` // bits of a word
}

// The formats of a folded engine's files.
const (
	FoldVerilog = "fold"
	FoldProgram = "fold-program"
	FoldEncoder = "fold-thresholds"
)

// folded returns the files of a folded engine.
func folded(p Product) []format {
	if p.Fold == nil {
		return nil
	}
	e := p.Fold.Engine
	list := []format{{
		FoldVerilog, "", fold.Suffix + ".v", always,
		func(w io.Writer, _ Product) error { return e.WriteVerilog(w) },
	}}
	for _, m := range e.Memories() {
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
