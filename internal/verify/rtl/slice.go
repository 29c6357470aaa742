package rtl

import (
	"bytes"
	"fmt"
	"io"

	"ialgn/internal/verilog/syntax"
)

// A source is an emitted Verilog file, split into the statements of its first module and the text around them. Parts
// of the module can be written from a source. Every line of a part is a line of the file, so simulating the part
// tests the file. parseSource refuses a statement that package verilog cannot have written, because a part might omit
// it.
type source struct {
	*syntax.File
	drivers [][]int32 // by name: the statements that drive the name or some of its bits
}

// role says when a part includes a statement.
type role uint8

const (
	always   role = iota // in every part, for control, parameters and comments
	declares             // if the part needs a declared name
	drives               // if the part needs a name that the statement drives
)

// roleOf returns the role of a form of statement.
func roleOf(f syntax.Form) role {
	switch f {
	case syntax.Comment, syntax.Version, syntax.Valid, syntax.Control:
		return always
	case syntax.Wires, syntax.Bus:
		return declares
	}
	return drives
}

// parseSource parses the file of a module. It returns an error with the first line that package verilog cannot
// have written.
func parseSource(text []byte, module string) (*source, error) {
	f, err := syntax.Parse(text, module)
	if err != nil {
		return nil, fmt.Errorf("verify: the Verilog: %w", err)
	}
	s := &source{f, make([][]int32, f.Names())}
	for i, st := range f.Statements {
		if st.Drives != syntax.None {
			s.drivers[st.Drives] = append(s.drivers[st.Drives], int32(i))
		}
		for _, n := range st.More {
			s.drivers[n] = append(s.drivers[n], int32(i))
		}
	}
	return s, nil
}

// A part is a module reduced to the statements that some wires of the module need.
type part struct {
	*source
	kept  []bool // by statement: whether it drives a needed name
	need  []bool // by name: whether it is needed
	count int    // number of statements kept
}

// part returns the part of the module on which the given wires depend. The wires in cut get no driver.
func (s *source) part(wires []string, cut map[string]bool) part {
	p := part{source: s, kept: make([]bool, len(s.Statements)), need: make([]bool, s.Names())}
	var waiting []syntax.Name
	for _, name := range wires {
		if n, ok := s.Number(name); ok {
			waiting = append(waiting, n)
		}
	}
	for len(waiting) > 0 {
		n := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if p.need[n] {
			continue
		}
		p.need[n] = true
		if len(cut) > 0 && cut[s.Name(n)] {
			continue
		}
		for _, i := range s.drivers[n] {
			if p.kept[i] {
				continue
			}
			p.kept[i] = true
			p.count++
			waiting = append(append(waiting, s.Statements[i].Reads...), s.Statements[i].More...)
			waiting = append(waiting, s.Statements[i].Drives) // may drive other needed bits of this wire
		}
	}
	return p
}

// needs reports whether the part has a wire.
func (p part) needs(wire string) bool {
	n, ok := p.Number(wire)
	return ok && p.need[n]
}

// keeps reports whether a statement belongs to the part.
func (p part) keeps(i int) bool {
	switch st := &p.Statements[i]; roleOf(st.Form) {
	case always:
		return true
	case drives:
		return p.kept[i]
	default:
		for _, n := range st.Declares {
			if p.need[n] {
				return true
			}
		}
		return false
	}
}

// write writes the part, with additional lines at the end of the module.
func (p part) write(w io.Writer, more string) error {
	var out bytes.Buffer
	out.Write(p.Text[:p.Body])
	end := p.Body
	for i, st := range p.Statements {
		if end = st.To; p.keeps(i) {
			out.Write(p.Text[st.From:st.To])
		}
	}
	out.WriteString(more)
	out.Write(p.Text[end:])
	_, err := w.Write(out.Bytes())
	return err
}

// cells returns the number of statements that drive something.
func (p part) cells() int { return p.count }
