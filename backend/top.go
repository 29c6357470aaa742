package backend

import (
	"io"

	"ialgn/internal/handover"
	"ialgn/internal/wrapper"
)

// top is a module of the folder that takes samples piece by piece: the wrapper, or the folded
// engine. Beside its Verilog it has a testbench and what package handover has for its users.
type top struct {
	name     string // begins those of its formats in the manifest: the wrapper's kind, or fold
	protocol string // the wrapper's kind, stream for the engine
	suffix   string // what follows the netlist's name in the module's name
	ports    *wrapper.Interface
	latency  int
	sources  []string // Verilog files, itself last
	pinned   bool     // a file of pins has its clock
}

// topModules returns the modules of a product that take samples piece by piece.
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

// inner returns the files of what the wrapper is around.
func (p Product) inner() []string {
	switch {
	case p.Fold != nil:
		return p.Fold.sources(p.Manifest.Module)
	case p.split != nil:
		return []string{p.Manifest.Module + CoreSuffix + ".v"}
	}
	return []string{p.Manifest.Module + ".v"}
}

// cells returns the file of models of the primitives that a top module has, none if it has no primitives.
func (p Product) cells() string {
	switch {
	case !inLUTs(p) || p.Fold != nil && len(p.Fold.Parts) == 0:
		return ""
	case p.Fold != nil:
		return p.Manifest.Module + foldCellsSuffix
	}
	return p.Manifest.Module + "_cells.v"
}

// formats returns the files that are written in addition to the module's Verilog.
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

// vectorsSuffix ends the name of the file of vectors, after the module's: all testbenches read it.
const vectorsSuffix = "_vectors.txt"
