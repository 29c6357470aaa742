package backend

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"ialgn/backend/internal/dot"
	"ialgn/backend/internal/fhe"
	"ialgn/backend/internal/gocode"
	"ialgn/backend/internal/qonnx"
	"ialgn/internal/aiger"
	"ialgn/internal/blif"
	"ialgn/internal/ccode"
	"ialgn/internal/handover"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/message"
	"ialgn/internal/object/library"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/internal/yosysjson"
	"ialgn/netlist"
)

// format describes one file that is made from the netlist.
type format struct {
	name   string             // name in the manifest
	emit   string             // name for --emit, possibly shared by several files; empty: not selectable
	suffix string             // the file's name is the module name and this suffix
	always func(Product) bool // reports whether the file is written without request
	write  func(io.Writer, Product) error
}

// netlistFormat is the name of the netlist's format.
const netlistFormat = "netlist"

// file returns the name of the file.
func (f format) file(p Product) string { return p.Manifest.Module + f.suffix }

func always(Product) bool    { return true }
func onRequest(Product) bool { return false }

// lowered reports whether a product's netlist is lowered to hardware. inLUTs reports whether the netlist consists of
// LUTs. Some files are written only for lowered netlists, and some only for netlists of LUTs.
func lowered(p Product) bool { return p.Hardware != nil && p.Hardware.Hint != nil }
func inLUTs(p Product) bool  { return p.Hardware != nil && p.Hardware.Style == verilog.LUTs }

// formats returns all formats, in the order in which they are written.
func formats() []format {
	return slices.Concat(ownFormats(), wrappers(), requested())
}

// ownFormats returns the formats of the Verilog and the files that belong to it.
func ownFormats() []format {
	return []format{
		{"verilog", "verilog", ".v", always, tagged(func(w io.Writer, n *netlist.Netlist, p Product) error {
			return verilog.Write(w, n, verilogOptions(p))
		})},
		{"testbench", "testbench", "_tb.v", always, tagged(func(w io.Writer, n *netlist.Netlist, p Product) error {
			return verilog.WriteTestbench(w, n, verilogOptions(p))
		})},
		{netlistFormat, "netlist", ".netlist", always, func(w io.Writer, p Product) error {
			return netlist.WriteText(w, p.Netlist)
		}},
		{"hint", "", ".hint.json", lowered, func(w io.Writer, p Product) error {
			return json.NewEncoder(w).Encode(p.Hardware.Hint)
		}},
		{"cells", "", "_cells.v", inLUTs, func(w io.Writer, p Product) error {
			return verilog.WriteCells(w, p.Netlist, verilogOptions(p))
		}},
		{"core", "", CoreSuffix + ".v", func(p Product) bool { return p.split != nil }, func(w io.Writer, p Product) error {
			o := verilogOptions(p)
			o.Module += CoreSuffix
			o.Inputs = nil // the core reads the results of comparisons, not feature words
			n, _, err := netlist.WithTag(p.split.Core, p.Tag)
			if err != nil {
				return err
			}
			return verilog.Write(w, n, o)
		}},
	}
}

// wrappers returns the formats of all wrappers.
func wrappers() (list []format) {
	for _, kind := range wrapper.Kinds() {
		list = append(list, format{
			kind, "", "_" + kind + ".v", func(p Product) bool { return p.Wrap == kind },
			func(w io.Writer, p Product) error {
				return wrapper.Write(kind, w, p.wrapped(), wrapperOptions(p))
			},
		})
	}
	return list
}

// requested returns the formats that are written on request, and the format of the vectors.
func requested() []format {
	return []format{
		{"aiger", "aiger", ".aig", onRequest, combinational(func(w io.Writer, n *netlist.Netlist, _ Product) error {
			return aiger.Write(w, n)
		})},
		{"blif", "blif", ".blif", onRequest, func(w io.Writer, p Product) error {
			return blif.Write(w, p.Netlist, blif.Options{Module: p.Manifest.Module, Header: p.Header})
		}},
		{"c", "c", ".c", onRequest, inC(ccode.Write)},
		{"c-header", "c", ".h", onRequest, inC(ccode.WriteHeader)},
		{"c-test", "c", "_selftest.c", onRequest, inC(ccode.WriteTest)},
		{"c-one", "c", "_one.c", onRequest, inC(ccode.WriteOne)},
		{"c-one-header", "c", "_one.h", onRequest, inC(ccode.WriteOneHeader)},
		{"c-one-test", "c", "_one_selftest.c", onRequest, inC(ccode.WriteOneTest)},
		{"go", "go", "_net.go", onRequest, combinational(func(w io.Writer, n *netlist.Netlist, p Product) error {
			return gocode.Write(w, n, goOptions(p))
		})},
		{"go-test", "go", "_net_test.go", onRequest, combinational(func(w io.Writer, n *netlist.Netlist, p Product) error {
			return gocode.WriteTest(w, n, goOptions(p))
		})},
		{"dot", "dot", ".dot", onRequest, func(w io.Writer, p Product) error { return dot.Write(w, p.Netlist) }},
		{HomomorphicFormat, HomomorphicFormat, ".fhe", onRequest, func(w io.Writer, p Product) error {
			program, err := p.homomorphic()
			if err != nil {
				return err
			}
			return program.Write(w, fhe.Options{Module: p.Manifest.Module, Header: p.Header})
		}},
		{"object", "object", ".a", onRequest, inLibrary((*library.Library).WriteArchive)},
		{"object-header", "object", "_object.h", onRequest, inLibrary((*library.Library).WriteHeader)},
		{"object-portable", "object", "_portable.c", onRequest, combinational(func(w io.Writer, n *netlist.Netlist,
			p Product,
		) error {
			return ccode.Write(w, n, portableOptions(p))
		})},
		{"object-portable-header", "object", "_portable.h", onRequest, combinational(func(w io.Writer, n *netlist.Netlist,
			p Product,
		) error {
			return ccode.WriteHeader(w, n, portableOptions(p))
		})},
		{"qonnx", "qonnx", ".onnx", onRequest, combinational(func(w io.Writer, n *netlist.Netlist, p Product) error {
			return qonnx.Write(w, n, qonnx.Options{Module: p.Manifest.Module, Header: p.Header, Version: p.Manifest.Version})
		})},
		{"yosys-json", "yosys-json", ".yosys.json", onRequest, func(w io.Writer, p Product) error {
			return yosysjson.Write(w, p.Netlist, yosysjson.Options{Module: p.Manifest.Module, Creator: "ialgn " +
				p.Manifest.Version})
		}},
		{
			"vectors", "", vectorsSuffix, func(p Product) bool { return p.Vectors != nil },
			tagged(func(w io.Writer, n *netlist.Netlist, p Product) error {
				return verilog.WriteVectors(w, n, p.Vectors.WithTags(p.Tag))
			}),
		},
	}
}

// HomomorphicFormat is the name of the format of programs for homomorphic encryption. MostHomomorphicInputs is the
// largest number of inputs of their steps.
const (
	HomomorphicFormat     = "fhe-lut"
	MostHomomorphicInputs = fhe.MaxInputs
)

// CoreSuffix is the end of the name of the module in NAME_core.v, which holds the netlist without its encoder.
const CoreSuffix = "_core"

// Core splits a netlist into its encoder and the rest, for a wrapper that receives feature words one after another.
// The wrapper contains the encoder, and the rest becomes a module inside the wrapper. Core returns nil if the encoder
// cannot be separated. It also returns nil if the wrapper transfers bytes and a word needs more than one byte.
func Core(n *netlist.Netlist, wrap string) *encoder.Split {
	s := encoder.Apart(n)
	if k, err := wrapper.Find(wrap); s != nil && s.Word > 8 && (err != nil || k.Bytes) {
		return nil
	}
	return s
}

// prepare computes the fields of p that several files need.
func (p *Product) prepare() {
	p.split = p.apart()
	n, o := p.Netlist, libraryOptions(*p)
	p.library = sync.OnceValues(func() (*library.Library, error) {
		n, _, err := netlist.Transparent(n)
		if err != nil {
			return nil, err
		}
		return library.New(n, o)
	})
	p.homomorphic = sync.OnceValues(func() (*fhe.Program, error) {
		n, _, err := netlist.Transparent(n)
		if err != nil {
			return nil, err
		}
		return fhe.New(n)
	})
}

func (p Product) apart() *encoder.Split {
	if p.Wrap == "" || p.Fold != nil {
		return nil
	}
	return Core(p.Netlist, p.Wrap)
}

// wrapped returns the netlist inside the wrapper.
func (p Product) wrapped() *netlist.Netlist {
	if p.split != nil {
		return p.split.Core
	}
	return p.Netlist
}

func wrapperOptions(p Product) wrapper.Options {
	o := wrapper.LineOptions(p.MHz, p.Baud, p.Board)
	o.Core, o.Header, o.Tag = p.Manifest.Module, p.Header, p.Tag
	if s := p.split; s != nil {
		o.Core, o.Module = p.Manifest.Module+CoreSuffix, p.Manifest.Module+"_"+p.Wrap
		o.Levels = &wrapper.Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
	}
	if p.Fold != nil {
		f := p.Fold
		o.Header = p.foldHeader()
		o.Engine = &wrapper.Engine{
			Module: f.Outside().Module, Cycles: f.Clocks.Cycles, Latency: f.Clocks.Latency, Drop: f.Outside().Drop,
		}
	}
	return o
}

// pins returns the format of the pin file for a wrapper on a board.
func pins(p Product) []format {
	if p.Board == nil {
		return nil
	}
	suffix := "_" + p.Wrap
	return []format{{"pins", "", suffix + ".pcf", always, func(w io.Writer, p Product) error {
		return p.Board.WritePins(w, p.Wrap, p.Manifest.Module+suffix)
	}}}
}

// combinational adapts a function that writes a format without a clock. If the product's netlist is a pipeline, the
// function gets the netlist with all registers replaced by wires.
func combinational(write func(io.Writer, *netlist.Netlist, Product) error) func(io.Writer, Product) error {
	return func(w io.Writer, p Product) error {
		n, _, err := netlist.Transparent(p.Netlist)
		if err != nil {
			return err
		}
		return write(w, n, p)
	}
}

// tagged adapts a function that writes a file about the Verilog module. The function gets the netlist with the tag
// ports.
func tagged(write func(io.Writer, *netlist.Netlist, Product) error) func(io.Writer, Product) error {
	return func(w io.Writer, p Product) error {
		n, _, err := netlist.WithTag(p.Netlist, p.Tag)
		if err != nil {
			return err
		}
		return write(w, n, p)
	}
}

// handedOver returns the formats of the files from package handover, for users of the Verilog.
func handedOver(p Product) []format {
	o := handoverOptions(p)
	var files []format
	for _, f := range handover.Files(o) {
		files = append(files, format{
			f.Format, "", f.Suffix, always,
			tagged(func(w io.Writer, n *netlist.Netlist, _ Product) error { return f.Write(w, n, o) }),
		})
	}
	return files
}

func handoverOptions(p Product) handover.Options {
	v := verilogOptions(p)
	return handover.Options{
		Module: v.Module, Target: v.Target, Style: v.Style, MHz: p.MHz, Version: v.Version, Classes: p.Manifest.Classes,
	}
}

func verilogOptions(p Product) verilog.Options {
	o := verilog.Options{
		Module: p.Manifest.Module, Header: p.Header, Inputs: p.Inputs.Lines(), Version: p.Manifest.Word,
	}
	if p.Hardware != nil {
		o.Style, o.Target = p.Hardware.Style, p.Hardware.Target
	}
	return o
}

// inC adapts a function that writes a C file.
func inC(write func(io.Writer, *netlist.Netlist, ccode.Options) error) func(io.Writer, Product) error {
	return combinational(func(w io.Writer, n *netlist.Netlist, p Product) error {
		return write(w, n, ccode.Options{
			Module: p.Manifest.Module, Header: p.Header, Inputs: p.Inputs, Probabilities: p.Manifest.Probabilities,
		})
	})
}

// inLibrary adapts a function that writes a file of the library.
func inLibrary(write func(*library.Library, io.Writer) error) func(io.Writer, Product) error {
	return func(w io.Writer, p Product) error {
		l, err := p.library()
		if err != nil {
			return err
		}
		return write(l, w)
	}
}

// Suffixes returns the suffixes of the files that the command writes for the given name after --emit.
func Suffixes(emit string) (all []string) {
	for _, f := range formats() {
		if f.emit != "" && f.emit == emit {
			all = append(all, f.suffix)
		}
	}
	return all
}

func libraryOptions(p Product) library.Options {
	return library.Options{Module: p.Manifest.Module, Header: p.Header}
}

// portableOptions returns the options for the C code that is used on systems for which the library has no machine
// code.
func portableOptions(p Product) ccode.Options {
	return ccode.Options{Module: libraryOptions(p).Portable(), Header: p.Header}
}

func goOptions(p Product) gocode.Options {
	return gocode.Options{
		Package: p.Manifest.Module, Header: p.Header, Inputs: p.Inputs, Probabilities: p.Manifest.Probabilities,
	}
}

// removed lists the formats of earlier versions.
var removed = map[string]struct{ reason, remedy string }{
	"go-object": {
		"Go programs have machine code by package ialgn",
		"compile with object for C and others, or with go for Go code without it",
	},
}

// selectFormats returns the formats to write for a product. It returns an error if Emit contains an unknown name.
func selectFormats(p Product) ([]format, error) {
	var selected, wrapped []format
	var names []string
	tops, err := topModules(p)
	if err != nil {
		return nil, err
	}
	for _, t := range tops {
		wrapped = append(wrapped, t.formats(p)...)
	}
	about, err := inputFiles(p)
	if err != nil {
		return nil, err
	}
	for _, f := range slices.Concat(formats(), foldedFormats(p), handedOver(p), wrapped, pins(p), about) {
		if f.emit != "" && !slices.Contains(names, f.emit) {
			names = append(names, f.emit)
		}
		if f.always(p) || f.emit != "" && slices.Contains(p.Emit, f.emit) {
			selected = append(selected, f)
		}
	}
	for _, name := range p.Emit {
		if r, ok := removed[name]; ok {
			return nil, message.WithHint(fmt.Errorf("emit: %s: removed: %s", name, r.reason), "%s", r.remedy)
		}
		if !slices.Contains(names, name) {
			return nil, message.Near(fmt.Errorf("emit: format %q is unknown: give some of %s", name, strings.Join(names, ", ")),
				name, names)
		}
	}
	return selected, nil
}
