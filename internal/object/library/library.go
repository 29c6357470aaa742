// Package library writes libraries of classifiers. A library consists of an archive with machine code for x86-64
// processors, which a linker takes directly, and a C header.
//
// The archive's function NAME_classify jumps to the code for AVX-512 or AVX2 if the processor and the operating
// system support it. Otherwise it jumps to portable C code in NAME_portable, if the program contains this code (see
// package internal/object).
package library

import (
	"debug/elf"
	"fmt"
	"io"

	"ialgn/internal/ccode"
	"ialgn/internal/native"
	"ialgn/internal/object"
	"ialgn/netlist"
)

// Options holds the name of a library and the lines of its header comment.
type Options struct {
	Module string   // beginning of every name
	Header []string // lines for the comment at the top, such as the program, the model and the options
}

// variant is the code for some processors.
type variant struct {
	isa   *native.ISA
	needs object.Feature
}

// variants lists all variants. The best variant is last.
var variants = []variant{
	{native.AVX2, object.AVX2},
	{native.AVX512, object.AVX512F | object.AVX512BW | object.BMI2},
}

// These are the names of the library's functions. The second function exists only if the classifier says whether a
// class is uncertain.
const (
	classify  = "classify"
	uncertain = "classify_uncertain"
)

// scratchAlign is the alignment of the scratch memory. It is the size of a cache line.
const scratchAlign = 64

// Library is a library of one classifier.
type Library struct {
	n         *netlist.Netlist
	opt       Options
	features  int                // number of words in a sample
	functions []*native.Function // [variant]
	scratch   int                // bytes of scratch memory, enough for each variant and the portable code
}

// New compiles the library of the classifier n, whose scope is core or full. It returns an error if n is not a
// classifier or has registers. It also returns an error if n uses bits of feature words outside comparisons.
func New(n *netlist.Netlist, opt Options) (*Library, error) {
	core, f, bits, err := apart(n)
	if err != nil {
		return nil, fmt.Errorf("object: %s: %w", n.Name, err)
	}
	l := &Library{n: n, opt: opt, features: f.Count}
	if l.scratch, err = ccode.ClassifyScratch(n, ccode.Options{Module: opt.Portable()}); err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	for _, v := range variants {
		function, err := native.CompileFunction(core, v.isa, f, bits)
		if err != nil {
			return nil, fmt.Errorf("object: %w", err)
		}
		l.scratch = max(l.scratch, function.Scratch)
		l.functions = append(l.functions, function)
	}
	return l, nil
}

func (l *Library) dispatcher() *object.Dispatcher {
	d := &object.Dispatcher{Module: l.opt.Module, Functions: []object.DispatchedFunction{{Name: classify}}}
	if l.functions[0].Uncertain > 0 {
		d.Functions = append(d.Functions, object.DispatchedFunction{Name: uncertain})
	}
	for _, v := range variants {
		d.Variants = append(d.Variants, object.Variant{Name: v.isa.Name, Needs: v.needs})
	}
	return d
}

// codes returns the functions of the variants.
func (l *Library) codes() (all []object.Function) {
	for i, f := range l.functions {
		name := func(function string) string { return object.SymbolName(l.opt.Module, variants[i].isa.Name, function) }
		function := object.Function{Name: name(classify), Code: f.Text, Entry: f.Entry, Hidden: true}
		if f.Uncertain > 0 {
			function.Others = []object.Entry{{Name: name(uncertain), Offset: f.Uncertain}}
		}
		all = append(all, function)
	}
	return all
}

// WriteArchive writes the archive. It contains an object file for each variant, and an object file with the
// dispatching functions.
func (l *Library) WriteArchive(w io.Writer) error {
	var members []object.Member
	add := func(name string, f *object.File) error {
		data, err := f.Bytes()
		members = append(members, object.Member{Name: name, Data: data, Symbols: f.Defined()})
		return err
	}
	for i, f := range l.codes() {
		name := l.opt.Module + "_" + variants[i].isa.Name + ".o"
		if err := add(name, object.Functions(elf.EM_X86_64, f)); err != nil {
			return fmt.Errorf("object: %s: %w", name, err)
		}
	}
	file, err := l.dispatcher().Object()
	if err == nil {
		err = add(l.opt.Module+".o", file)
	}
	if err != nil {
		return fmt.Errorf("object: %w", err)
	}
	data, err := object.Bytes(members)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// WriteHeader writes the C header.
func (l *Library) WriteHeader(w io.Writer) error {
	o := ccode.ObjectOptions{
		Module: l.opt.Module, Header: l.opt.Header, Scratch: l.scratch, ScratchAlign: scratchAlign,
	}
	for _, v := range variants {
		o.Variants = append(o.Variants, v.isa.Name)
	}
	return ccode.WriteObjectHeader(w, l.n, o)
}

// Portable returns the module name under which the portable C code is written.
func (o Options) Portable() string { return o.Module + "_" + object.Portable }
