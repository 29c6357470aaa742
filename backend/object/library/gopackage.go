package library

import (
	"debug/elf"
	"fmt"
	"io"

	"ialgn/backend/native"
	"ialgn/backend/object"
	"ialgn/backend/object/gostub"
)

// machine is the machine that the code is for, as Go calls it.
const machine = "amd64"

// longest is how long a call of machine code by a goroutine should take at most, in nanoseconds: it cannot be stopped
// meanwhile, and the garbage collector waits for it.
const longest = 100_000

// wordsPerInstruction is how many words of features become bits in the time of an instruction on vectors, which is a
// nanosecond at most (docs/BENCHMARKS.md).
const wordsPerInstruction = 5

// WriteGo writes the file with that name of those by which a Go package has the machine code: the object file
// ([gostub.ObjectName]), or one of [gostub.Files]. The package is that of backend/gocode, of the module's name.
func (l *Library) WriteGo(w io.Writer, name string) error {
	if name == gostub.ObjectName(l.opt.Module, machine) {
		return l.writeGoObject(w)
	}
	files, err := gostub.Files(l.stub())
	if err != nil {
		return fmt.Errorf("object: %w", err)
	}
	for _, f := range files {
		if f.Name == name {
			_, err := io.WriteString(w, f.Text)
			return err
		}
	}
	return fmt.Errorf("object: a Go package has no file %s", name)
}

func (l *Library) stub() gostub.Options {
	m := gostub.Machine{Name: machine}
	for _, v := range variants {
		m.Variants = append(m.Variants, v.isa.Name)
	}
	return gostub.Options{
		Package: l.opt.Module, Module: l.opt.Module, Machines: []gostub.Machine{m}, Header: l.opt.Header,
		Scratch: l.scratch, ScratchAlign: scratchAlign, Stack: native.FunctionStack, Piece: l.piece(),
		Real: l.opt.Real,
	}
}

// piece returns how many samples a call classifies: as many blocks as take no longer than longest with the slowest
// code, and one block at least.
func (l *Library) piece() int {
	piece := 0
	for _, f := range l.functions {
		cost := f.Cost
		block := cost.Compute + cost.Loads + cost.Stores + cost.Copies + f.Samples*l.features/wordsPerInstruction
		samples := max(1, longest/max(1, block)) * f.Samples
		if piece == 0 || samples < piece {
			piece = samples
		}
	}
	return piece
}

// writeGoObject writes the object file that Go's linker takes: all functions in one section, which refer to nothing.
func (l *Library) writeGoObject(w io.Writer) error {
	level, err := l.dispatcher().Level()
	if err != nil {
		return fmt.Errorf("object: %w", err)
	}
	file := object.Functions(elf.EM_X86_64, append([]object.Function{level}, l.codes()...)...)
	if err := gostub.Check(file); err != nil {
		return err
	}
	data, err := file.Bytes()
	if err != nil {
		return fmt.Errorf("object: %w", err)
	}
	_, err = w.Write(data)
	return err
}
