// This file writes the functions of x86-64 by which a program chooses, when it runs, among machine code for
// several kinds of processors.
//
// The code for one kind is a [Variant]: its function F of a module M is the symbol M_VARIANT_F, such as
// mnist_avx512_classify, in another object file. A [Dispatcher] writes M_F, which goes on to the function of the best
// variant that the processor has the instructions of, and the operating system keeps the registers of; and M_level,
// which says which that is. AArch64 needs none of this: all of its processors with Linux have NEON, and M_F is the
// function itself.
//
// What the processor can do is asked once, by cpuid, which takes a hundred cycles and under a hypervisor thousands. The
// answer is kept in one aligned word of zeroed memory. Threads that ask at the same time find and store the same.
//
// The processor that has none of the variants runs portable code, where the program has some: the functions
// M_portable_F, which are the names that internal/ccode gives to the C of a module called M_portable. They are weak
// symbols, which a program may leave undefined; then M_F returns [Unsupported].

package object

import (
	"debug/elf"
	"fmt"
	"math"
	"regexp"
)

// Unsupported is what a function returns where the processor has none of the variants and the program no portable code.
const Unsupported = -2

// Portable is the name of the variant of level 0, which any compiler makes of C.
const Portable = "portable"

// Variant is the code of the functions for one kind of processors.
type Variant struct {
	Name  string  // such as avx2, between the module's name and the function's
	Needs Feature // all that it uses
}

// DispatchedFunction is a function that each variant has. It returns an int and takes what it wants in registers.
type DispatchedFunction struct {
	Name string // behind the module's and the variant's names
	// Void says that the portable form returns nothing. The dispatcher returns 0 for it.
	Void bool
}

// Dispatcher describes the functions that choose.
type Dispatcher struct {
	Module    string // the beginning of every name
	Variants  []Variant
	Functions []DispatchedFunction
}

// SymbolName returns the name of the function of a variant.
func SymbolName(module, variant, function string) string {
	return module + "_" + variant + "_" + function
}

// Object returns the object file with M_level and the functions of the dispatcher.
//
// M_level takes nothing and returns the level of the processor: 0 if it has none of the variants, otherwise the number
// of the last of Variants, counted from 1, whose needs it has: put the best last. All functions keep every register
// that the ABI has for arguments until they go on to the variant's, and take at most 40 bytes of stack before.
//
// It returns an error if there is no variant or more than 126, if a name is no part of a C name or stands twice, or a
// variant needs nothing.
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

// identifier matches what can be the beginning of a name in C, part what can follow.
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

// take refuses a name that is no part of one in C or is taken, and takes it.
func take(taken map[string]bool, what, name string) error {
	if !part.MatchString(name) || taken[name] {
		return fmt.Errorf("dispatch: %s %q: the name is taken, or has other than letters, digits and _: choose another",
			what, name)
	}
	taken[name] = true
	return nil
}
