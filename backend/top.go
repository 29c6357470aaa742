package backend

import (
	"io"

	"ialgn/internal/handover"
	"ialgn/internal/wrapper"
)

// top is a Verilog module that receives samples piece by piece. It is the wrapper or the folded engine. Each such
// module has its own testbench and its own files from package handover.
type top struct {
	name     string // prefix of the names of its formats: the wrapper's kind, or fold
	protocol string // the wrapper's kind, or stream for the engine
	suffix   string // the module's name is the netlist's name and this suffix
	ports    *wrapper.Interface
	latency  int
	sources  []string // Verilog files, with the module itself last
	pinned   bool     // reports whether a pin file contains the clock
}

// topModules returns the modules of a product that receive samples piece by piece.
func topModules(p Product) ([]top, error) {
	var list []top
	o := wrapperOptions(p)
	if p.Fold != nil {
		ports, err := wrapper.EngineInterface(p.Netlist, o, p.Fold.Outside().Drop)
		if err != nil {
			return nil, err
		}
		list = append(list, top{
			name: FoldVerilog, protocol: wrapper.EngineKind, suffix: FoldSuffix, ports: ports,
			latency: p.Fold.Clocks.Latency, sources: p.Fold.sources(p.Manifest.Module),
		})
	}
	if p.Wrap == "" {
		return list, nil
	}
	ports, err := wrapper.NewInterface(p.Wrap, p.wrapped(), o)
	if err != nil {
		return nil, err
	}
	rate, err := wrapper.NewRate(p.Wrap, p.wrapped(), o)
	if err != nil {
		return nil, err
	}
	suffix := "_" + p.Wrap
	return append(list, top{
		name: p.Wrap, protocol: p.Wrap, suffix: suffix, ports: ports, latency: rate.Latency,
		sources: append(p.inner(), p.Manifest.Module+suffix+".v"), pinned: p.Board != nil,
	}), nil
}

// inner returns the Verilog files of the module inside the wrapper.
func (p Product) inner() []string {
	switch {
	case p.Fold != nil:
		return p.Fold.sources(p.Manifest.Module)
	case p.split != nil:
		return []string{p.Manifest.Module + CoreSuffix + ".v"}
	}
	return []string{p.Manifest.Module + ".v"}
}

// cells returns the file with models of a top module's primitives, or "" if it has no primitives.
func (p Product) cells() string {
	switch {
	case !inLUTs(p) || p.Fold != nil && len(p.Fold.Parts) == 0:
		return ""
	case p.Fold != nil:
		return p.Manifest.Module + foldCellsSuffix
	}
	return p.Manifest.Module + "_cells.v"
}

// formats returns the formats of the module's files, except its Verilog.
func (t top) formats(p Product) []format {
	testbench := t.suffix + "_tb.v"
	files := []format{{t.name + "-testbench", "", testbench, always, t.writeTestbench}}
	h := handoverOptions(p)
	h.Top = &handover.Top{
		Module: t.ports.Module, Clock: t.ports.Clock, Latency: t.latency, Sources: t.sources, Cells: p.cells(),
		Testbench: p.Manifest.Module + testbench,
	}
	for _, port := range t.ports.Ports {
		h.Top.Ports = append(h.Top.Ports, handover.Port(port))
	}
	if p.Fold != nil {
		for _, m := range p.Fold.Memories() {
			h.Top.Memories = append(h.Top.Memories, m.File)
		}
	}
	if t.pinned {
		h.MHz = 0
	}
	for _, f := range handover.Files(h) {
		files = append(files, format{
			t.name + "-" + f.Format, "", t.suffix + f.Suffix, always,
			func(w io.Writer, p Product) error {
				return f.Write(w, p.Netlist, h)
			},
		})
	}
	return files
}

func (t top) writeTestbench(w io.Writer, p Product) error {
	sources := t.sources
	if cells := p.cells(); cells != "" {
		sources = append(sources[:len(sources):len(sources)], cells)
	}
	return wrapper.WriteTestbench(w, p.Netlist, wrapper.Bench{
		Kind: t.protocol, Vectors: p.Manifest.Module + vectorsSuffix, Sources: sources,
	}, wrapperOptions(p))
}

// vectorsSuffix is the end of the name of the vectors file, which all testbenches read.
const vectorsSuffix = "_vectors.txt"
