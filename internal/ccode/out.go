package ccode

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ialgn/internal/inputs"
	"ialgn/netlist"
)

// printer writes text and replaces NAME_ and MACRO_ by the module's prefixes. The buffer keeps the first write error
// until flush returns the error.
type printer struct {
	w      *bufio.Writer
	prefix *strings.Replacer
	buf    []byte
}

func newPrinter(w io.Writer, module string) *printer {
	return &printer{
		w:      bufio.NewWriterSize(w, 1<<16),
		prefix: strings.NewReplacer("NAME_", module+"_", "NAME.", module+".", "MACRO_", strings.ToUpper(module)+"_"),
	}
}

// template writes text with the prefixes replaced.
func (p *printer) template(s string) { _, _ = p.prefix.WriteString(p.w, s) }

// text writes text unchanged.
func (p *printer) text(s string) { _, _ = p.w.WriteString(s) }

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(p.w, format, args...) }

// preface writes the comment at the top of a file.
func (p *printer) preface(opt Options, suffix, title string) {
	p.template(fmt.Sprintf(`//go:build ignore
// (The line above is for Go alone, should a Go package stand in the same folder.)

/*
 * %s%s: %s
 *
`, opt.Module, suffix, title))
	for _, line := range opt.Header {
		p.printf(" * - %s\n", inputs.CComment(line))
	}
	p.text(" */\n\n")
}

// tied says in a comment which class the functions return if several counts are the largest.
func tied(n *netlist.Netlist) string {
	if n.Ties() == nil {
		return "the lowest"
	}
	return "the first in the tie order of the comment at the top"
}

// define writes a macro of the module.
func (p *printer) define(name string, value int, meaning string) {
	p.template(fmt.Sprintf("#define MACRO_%s %d", name, value))
	p.printf(" /* %s */\n", meaning)
}

// numbers writes numbers in the given format, with perLine numbers on each line.
func numbers[T any](p *printer, format string, perLine int, s []T) {
	for i, v := range s {
		switch {
		case i == 0:
			p.text("    ")
		case i%perLine == 0:
			p.text(",\n    ")
		default:
			p.text(", ")
		}
		p.printf(format, v)
	}
	p.text("\n")
}

func (p *printer) flush() error { return p.w.Flush() }
