// Package library makes libraries of classifiers: their machine code for the processors of x86-64, in an archive that a
// linker takes as it is, with the C header of it.
//
// The function NAME_classify of the archive goes on to the code for AVX-512 or AVX2, as the processor and the operating
// system allow, or to the portable C that stands beside, if the program has it (package internal/object).
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

// Options says how a library is called, and what its header says.
type Options struct {
	Module string   // the beginning of every name
	Header []string // lines for the comment at the top: the program, the model, the options
}

// variant is the code for some processors.
type variant struct {
	isa   *native.ISA
	needs object.Feature
}

// variants are all of them, the best last.
var variants = []variant{
	{native.AVX2, object.AVX2},
	{native.AVX512, object.AVX512F | object.AVX512BW | object.BMI2},
}

// classify is the function of the library.
const classify = "classify"

// scratchAlign is what the address of the scratch memory is a multiple of: a cache line.
const scratchAlign = 64

// Library is a library of one classifier.
type Library struct {
	n         *netlist.Netlist
	opt       Options
	features  int                // words of a sample
	functions []*native.Function // of each variant
	scratch   int                // bytes of memory that each of them, and the portable code, can do with
}

// New makes the library of a classifier, of scope core or full. It returns an error if n is none, has registers, or
// reads bits of feature words otherwise than by comparing them.
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
	for _, v := range variants {
		d.Variants = append(d.Variants, object.Variant{Name: v.isa.Name, Needs: v.needs})
	}
	return d
}

// codes returns the functions of the variants.
func (l *Library) codes() (all []object.Function) {
	for i, f := range l.functions {
		all = append(all, object.Function{
			Name: object.SymbolName(l.opt.Module, variants[i].isa.Name, classify), Code: f.Text, Entry: f.Entry, Hidden: true,
		})
	}
	return all
}

// WriteArchive writes the archive: an object file for each variant, and the one that chooses among them.
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

// Portable returns the module under whose name the portable C is written.
func (o Options) Portable() string { return o.Module + "_" + object.Portable }
