// Package gostub writes what a Go package needs to call machine code that stands beside it in an object file: its
// declaration in Go, and an assembly function that goes from Go's calling convention to that of C. There is no cgo in
// it, and no compiler of C.
//
// The go command gives every file NAME_linux_amd64.syso of a package to the linker when it builds for Linux on x86-64.
// Such a file is an ELF relocatable file (package [ialgn/backend/object]), which Go's linker reads by itself. But where
// nothing in the program uses cgo, it leaves the relocations of the file as they are, without a word, and it knows no
// symbol that may stay undefined. So the file must be one that needs neither: [Check] says whether it is. For that
// reason the choice among several codes for x86-64 is made by the assembly function, by a level that a variable of Go
// keeps.
//
// # The rules of the runtime
//
// The goroutine that calls stays on its own stack, and cannot be stopped before the call returns; the garbage collector
// waits for it. So a call is kept short: [Options].Piece samples at a time. The stack that the machine code may use is
// the frame of the assembly function itself, which the runtime has made sure of, whatever it leaves below frames. The
// code keeps no pointer, and calls nothing.
package gostub

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"ialgn/backend/object"
	"ialgn/backend/object/dispatch"
)

// Options says what is called and how.
type Options struct {
	// Package is the package's name, that of backend/gocode's file beside it, which has the type Network, the names of
	// sizes, and what classifies where there is no machine code.
	Package string
	// Module is the beginning of the names of files, and of those of functions in the object files.
	Module string
	// Machines are those for which there is an object file.
	Machines []Machine
	// Header are lines for the comment at the top of the files.
	Header []string
	// Scratch is the memory that the function takes, in bytes, and ScratchAlign the power of two that its address is a
	// multiple of.
	Scratch, ScratchAlign int
	// Stack is how many bytes of stack the function uses, including its return address and, on x86-64, the 128 bytes
	// below the stack pointer that it may use without saying so.
	Stack int
	// Piece is how many samples are classified in one call: of some blocks, 100 microseconds' worth at most, or of one.
	Piece int
	// Real says that the file of backend/gocode has the function Quantise: Native then has the method ClassifyReal.
	Real bool
}

// Machine is a machine for which there is an object file.
type Machine struct {
	Name string // in Go: amd64 or arm64
	// Variants are the names of the codes for several kinds of processors, the best last, on amd64: the file has the
	// functions MODULE_VARIANT_classify of each, and MODULE_level (dispatch.Dispatcher.Level). Empty: the file has
	// MODULE_classify, which any processor runs.
	Variants []string
}

// MaxStack is the most stack that a function may ask for: more would be for the stack of a thread, which this is not.
const MaxStack = 16 << 10

// File is a file of the package.
type File struct {
	Name, Text string
}

// ObjectName returns the name that the object file for a machine must have.
func ObjectName(module, machine string) string { return module + "_linux_" + machine + ".syso" }

// Files returns the files, which go beside what backend/gocode writes for a classifier of features of at most 8, 16 or
// 32 bits, and the object files, under their [ObjectName]. The package then has the type Native with the method
// Classify, which does what Network's does on every machine, by the machine code where there is some for it, and where
// [Options] say so ClassifyReal; and a test that it does, with a benchmark.
//
// It returns an error if a name is none in Go or C, a machine is not known or stands twice, or a size is out of range.
func Files(opt Options) ([]File, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	native, test := nativeGo, testGo
	if opt.Real {
		native += nativeReal
		test = strings.Replace(test, "import (\n", "import (\n\t\"fmt\"\n\t\"math\"\n", 1) + testReal
	}
	files := []File{
		{opt.Module + "_native.go", opt.fill(native)},
		{opt.Module + "_native_test.go", opt.fill(test)},
		{opt.Module + "_native_other.go", opt.fill(otherGo)},
	}
	for _, m := range opt.Machines {
		name := opt.Module + "_linux_" + m.Name
		declarations, assembly := opt.machine(m)
		files = append(files, File{name + ".go", opt.fill(declarations)}, File{name + ".s", opt.fill(assembly)})
	}
	return files, nil
}

// machine returns the templates of the declarations and of the assembly functions for a machine.
func (opt *Options) machine(m Machine) (declarations, assembly string) {
	switch {
	case m.Name == "arm64":
		return machineGo, top + classifyARM64
	case len(m.Variants) == 0:
		return machineGo, top + classifyAMD64 + callAMD64 + endAMD64
	}
	compare, calls := "", []string{unsupportedAMD64}
	for i, v := range slices.Backward(m.Variants) {
		compare += fmt.Sprintf(compareAMD64, i+1, v)
		calls = append(calls, fmt.Sprintf(variantAMD64, v, dispatch.Symbol(opt.Module, v, "classify")))
	}
	choose := compare + strings.Join(calls, "\tJMP  done\n") + "done:\n"
	return machineGo + levelGo, top + classifyAMD64 + choose + endAMD64 + levelAMD64
}

// Check returns an error if Go's linker would take an object file and make of it what does not work: if it has
// relocations or undefined symbols.
func Check(f *object.File) error {
	if len(f.Relocations) > 0 {
		return fmt.Errorf("go stub: the object file has relocations, such as that of %s, which Go's linker leaves as they "+
			"are where there is no cgo: use code that refers to nothing but itself, within one section",
			f.Relocations[0].Symbol)
	}
	for _, s := range f.Symbols {
		if s.Section == "" {
			return fmt.Errorf("go stub: the object file does not define %s, which Go's linker has from nowhere: add it",
				s.Name)
		}
	}
	return nil
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (opt *Options) check() error {
	for _, name := range []string{opt.Package, opt.Module} {
		if !identifier.MatchString(name) || token.IsKeyword(name) {
			return fmt.Errorf("go stub: %q is no name in Go and C, use letters, digits and _ with a letter first", name)
		}
	}
	if err := checkMachines(opt.Machines); err != nil {
		return err
	}
	switch align := opt.ScratchAlign; {
	case opt.Scratch < 1:
		return fmt.Errorf("go stub: scratch memory of %d bytes, give at least 1", opt.Scratch)
	case align < 1 || align > 4096 || align&(align-1) != 0:
		return fmt.Errorf("go stub: scratch memory at multiples of %d bytes, give a power of two up to 4096", align)
	case opt.Stack < 16 || opt.Stack > MaxStack:
		return fmt.Errorf("go stub: %d bytes of stack, give 16 to %d", opt.Stack, MaxStack)
	case opt.Piece < 1:
		return fmt.Errorf("go stub: pieces of %d samples, give at least 1", opt.Piece)
	}
	return nil
}

func checkMachines(all []Machine) error {
	if len(all) == 0 {
		return fmt.Errorf("go stub: there is no machine with an object file, give amd64, arm64 or both")
	}
	for i, m := range all {
		twice := slices.ContainsFunc(all[:i], func(o Machine) bool { return o.Name == m.Name })
		if m.Name != "amd64" && m.Name != "arm64" || twice {
			return fmt.Errorf("go stub: machine %q stands twice or is not known, give amd64, arm64 or both", m.Name)
		}
		if m.Name == "arm64" && len(m.Variants) > 0 {
			return fmt.Errorf("go stub: there is nothing to choose by among variants for arm64, give none")
		}
		for k, v := range m.Variants {
			if !identifier.MatchString(v) || v == "done" || slices.Contains(m.Variants[:k], v) {
				return fmt.Errorf("go stub: variant %q stands twice or is no part of a name in C, choose another name", v)
			}
		}
	}
	return nil
}

// fill returns a template with the options in place of their names.
func (opt *Options) fill(template string) string {
	// The stack pointer is moved up by lift, and on x86-64 down to a multiple of 16 after that; the frame has both.
	lift := (opt.Stack + 31) &^ 15
	tags := make([]string, 0, len(opt.Machines))
	for _, m := range opt.Machines {
		tags = append(tags, m.Name)
	}
	slices.Sort(tags)
	system := "linux && (" + strings.Join(tags, " || ") + ")"
	if len(tags) == 1 {
		system = "linux && " + tags[0]
	}
	header := ""
	for _, line := range opt.Header {
		header += "// " + printable(line) + "\n"
	}
	if header != "" {
		header = "//\n" + header
	}
	return strings.NewReplacer("HEADER\n", header, "PACKAGE", opt.Package, "MODULE", opt.Module,
		"TAGS", system, "SCRATCH", fmt.Sprint(opt.Scratch), "SLACK", fmt.Sprint(opt.ScratchAlign-1),
		"ALIGN", fmt.Sprint(opt.ScratchAlign), "PIECE", fmt.Sprint(opt.Piece), "LIFT", fmt.Sprint(lift),
		"FRAME", fmt.Sprint(lift+16)).Replace(template)
}

// printable returns s with everything but printable ASCII replaced, so that it stays on the line of its comment.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
