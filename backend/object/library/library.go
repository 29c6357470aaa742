// Package library makes libraries of classifiers: their machine code for the processors of x86-64, in an archive that a
// linker takes as it is, with the C header of it.
//
// The function NAME_classify of the archive goes on to the code for AVX-512 or AVX2, as the processor and the operating
// system allow, or to the portable C that stands beside, if the program has it (package backend/object/dispatch).
package library

import (
	"debug/elf"
	"fmt"
	"io"

	"ialgn/backend/ccode"
	"ialgn/backend/native"
	"ialgn/backend/object"
	"ialgn/backend/object/ar"
	"ialgn/backend/object/dispatch"
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
	needs dispatch.Feature
}

// variants are all of them, the best last.
var variants = []variant{
	{native.AVX2, dispatch.AVX2},
	{native.AVX512, dispatch.AVX512F | dispatch.AVX512BW | dispatch.BMI2},
}

// classify is the function of the library.
const classify = "classify"

// scratchAlign is what the address of the scratch memory is a multiple of: a cache line.
const scratchAlign = 64

// Library is a library of one classifier.
type Library struct {
	n       *netlist.Netlist
	opt     Options
	archive []byte
	scratch int
}

// New makes the library of a classifier, of scope core or full. It returns an error if n is none, has registers, or
// reads bits of feature words otherwise than by comparing them.
func New(n *netlist.Netlist, opt Options) (*Library, error) {
	core, f, bits, err := apart(n)
	if err != nil {
		return nil, fmt.Errorf("object: %s: %w", n.Name, err)
	}
	l := &Library{n: n, opt: opt}
	if l.scratch, err = ccode.ClassifyScratch(n, ccode.Options{Module: opt.Portable()}); err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	d := dispatch.Dispatcher{Module: opt.Module, Functions: []dispatch.Function{{Name: classify}}}
	var members []ar.Member
	for _, v := range variants {
		function, err := native.CompileFunction(core, v.isa, f, bits)
		if err != nil {
			return nil, fmt.Errorf("object: %w", err)
		}
		l.scratch = max(l.scratch, function.Scratch)
		d.Variants = append(d.Variants, dispatch.Variant{Name: v.isa.Name, Needs: v.needs})
		members, err = appendMember(members, opt.Module+"_"+v.isa.Name+".o", codeObject(opt.Module, v.isa.Name, function))
		if err != nil {
			return nil, err
		}
	}
	file, err := d.Object()
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	if members, err = appendMember(members, opt.Module+".o", file); err != nil {
		return nil, err
	}
	l.archive, err = ar.Bytes(members)
	return l, err
}

// codeObject returns the object file with the function of a variant.
func codeObject(module, name string, f *native.Function) *object.File {
	return &object.File{
		Machine:  elf.EM_X86_64,
		Sections: []object.Section{object.Text(f.Text)},
		Symbols: []object.Symbol{{
			Name: dispatch.Symbol(module, name, classify), Section: ".text", Value: uint64(f.Entry),
			Size: uint64(len(f.Text) - f.Entry), Binding: elf.STB_GLOBAL, Visibility: elf.STV_HIDDEN, Type: elf.STT_FUNC,
		}},
	}
}

func appendMember(members []ar.Member, name string, f *object.File) ([]ar.Member, error) {
	data, err := f.Bytes()
	if err != nil {
		return nil, fmt.Errorf("object: %s: %w", name, err)
	}
	return append(members, ar.Member{Name: name, Data: data, Symbols: f.Defined()}), nil
}

// WriteArchive writes the archive.
func (l *Library) WriteArchive(w io.Writer) error {
	_, err := w.Write(l.archive)
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
func (o Options) Portable() string { return o.Module + "_" + dispatch.Portable }
