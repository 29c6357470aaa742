// This file writes x86-64 functions that choose at run time between several variants of machine code for different
// processors.
//
// The code for one kind of processor is a [Variant]. The variant's function F of a module M is the symbol
// M_VARIANT_F, such as mnist_avx512_classify, in another object file. A [Dispatcher] writes M_F, which jumps to the
// function of the best variant that the processor and the operating system support. It also writes M_level, which
// returns the number of this variant. AArch64 needs no dispatcher, because all of its processors with Linux have
// NEON. On AArch64, M_F is the function itself.
//
// The functions query the processor once, with the instruction cpuid. This instruction takes a hundred cycles, or
// thousands of cycles under a hypervisor. The result is stored in an aligned word of zeroed memory. Threads that
// query at the same time find and store the same result.
//
// If a processor supports no variant, M_F jumps to the portable function M_portable_F. The C code that internal/ccode
// writes for a module M_portable defines this function. M_portable_F is a weak symbol, so a program may leave it
// undefined. Then M_F returns [Unsupported].

package object

import (
	"debug/elf"
	"fmt"
	"math"
	"regexp"
)

// Unsupported is returned if the processor supports no variant and the program has no portable
// code.
const Unsupported = -2

// Portable is the name of the variant of level 0, which is compiled from C.
const Portable = "portable"

// Variant is the code of the functions for one kind of processor.
type Variant struct {
	Name  string  // such as avx2; part of a symbol, between the module's name and the function's name
	Needs Feature // all processor features that the code uses
}

// DispatchedFunction is a function that each variant has. It returns an int and takes its arguments
// in registers.
type DispatchedFunction struct {
	Name string // part of a symbol, after the module's name and the variant's name
	// Void says that the portable function returns no value. The dispatching function then returns 0.
	Void bool
}

// Dispatcher describes the dispatching functions of a module.
type Dispatcher struct {
	Module    string // beginning of every name
	Variants  []Variant
	Functions []DispatchedFunction
}

// SymbolName returns the name of a variant's function.
func SymbolName(module, variant, function string) string {
	return module + "_" + variant + "_" + function
}

// Object returns the object file with M_level and the dispatching functions.
//
// M_level takes no arguments and returns the level of the processor. Levels are the positions of variants in
// Variants, counted from 1. The processor's level is the level of the last variant that the processor supports, or 0
// if it supports no variant. Therefore the best variant must be last in Variants. Before they jump to the variant's
// function, all functions preserve the argument registers of the ABI and use at most 40 bytes of stack.
//
// Object returns an error if there are no variants or more than 126, or if a variant needs no feature. It also
// returns an error if a name occurs twice or cannot be part of a C name.
func (d *Dispatcher) Object() (*File, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	c := d.assemble()
	f := &File{
		Machine:     elf.EM_X86_64,
		Sections:    []Section{Text(c.bytes), Zeroed(4, 4)},
		Relocations: c.relocations,
	}
	f.Symbols = append(f.Symbols, Symbol{
		Name: cache, Section: ".bss", Size: 4, Binding: elf.STB_LOCAL, Type: elf.STT_OBJECT,
	})
	for _, s := range c.functions {
		s.Section, s.Type = ".text", elf.STT_FUNC
		f.Symbols = append(f.Symbols, s)
	}
	for _, function := range d.Functions {
		for _, v := range d.Variants {
			f.Symbols = append(f.Symbols, Symbol{
				Name: SymbolName(d.Module, v.Name, function.Name), Binding: elf.STB_GLOBAL, Visibility: elf.STV_HIDDEN,
			})
		}
		f.Symbols = append(f.Symbols, Symbol{
			Name: SymbolName(d.Module, Portable, function.Name), Binding: elf.STB_WEAK,
		})
	}
	return f, nil
}

// identifier matches the beginning of a C name. part matches the rest of a C name.
var (
	identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	part       = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
)

func (d *Dispatcher) check() error {
	if !identifier.MatchString(d.Module) {
		return fmt.Errorf("dispatch: module %q is no beginning of names in C, use letters, digits and _ with a letter first",
			d.Module)
	}
	if len(d.Variants) == 0 || len(d.Variants) >= math.MaxInt8 {
		return fmt.Errorf("dispatch: %d variants, give 1 to %d", len(d.Variants), math.MaxInt8-1)
	}
	taken := map[string]bool{Portable: true, "level": true}
	for _, v := range d.Variants {
		if v.Needs == 0 || v.Needs >= end {
			return fmt.Errorf("dispatch: variant %q needs nothing or what is not known, say what its code uses", v.Name)
		}
		if err := take(taken, "variant", v.Name); err != nil {
			return err
		}
	}
	for _, f := range d.Functions {
		if err := take(taken, "function", f.Name); err != nil {
			return err
		}
	}
	return nil
}

// take adds a name to the names in taken. It returns an error if the name is already taken or cannot be part of a C
// name.
func take(taken map[string]bool, what, name string) error {
	if !part.MatchString(name) || taken[name] {
		return fmt.Errorf("dispatch: %s %q: the name is taken, or has other than letters, digits and _: choose another",
			what, name)
	}
	taken[name] = true
	return nil
}
