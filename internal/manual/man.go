package manual

import (
	"io"
	"strings"
)

// ManMark is the beginning of every man page.
const ManMark = `.\" Made by `

// Page is a man page.
type Page struct {
	Name  string // file name, such as ialgn-train.1
	Write func(io.Writer) error
}

// Pages returns the man page of the program, and one for each command.
func Pages(p *Program) []Page {
	pages := []Page{{p.Name + ".1", p.writeMan}}
	for _, c := range p.Commands {
		pages = append(pages, Page{p.pageOf(c) + ".1", func(w io.Writer) error { return p.writeCommandMan(w, &c) }})
	}
	return pages
}

func (p *Program) pageOf(c Command) string { return p.Name + "-" + c.Name }

// head writes the beginning of a page, with its name and synopsis.
func (p *Program) head(l *lines, page, about, form string) {
	l.add("%s`%s man`, of what `%s -h` shows.", ManMark, p.Name, p.Name)
	l.add(".TH %s 1 \"%s\" \"%s %s\" \"%s\"", Escape(strings.ToUpper(page)), p.Date, p.Name, p.Version, p.Name)
	l.add(".SH NAME\n%s \\- %s", Escape(page), Escape(about))
	l.add(".SH SYNOPSIS\n.nf\n\\fB%s\\fR %s\n.fi", Escape(strings.Replace(page, "-", " ", 1)),
		Escape(form))
}

// writeMan writes the page of the program.
func (p *Program) writeMan(w io.Writer) error {
	l := &lines{w: w}
	p.head(l, p.Name, p.About, "COMMAND [ARGUMENT]... [OPTION]...")
	l.add(".SH COMMANDS")
	for _, c := range p.Commands {
		l.add(".TP\n\\fB%s\\fR\n%s", Escape(c.Name), Escape(c.About))
	}
	for _, s := range append(p.Sections[:len(p.Sections):len(p.Sections)], p.Common...) {
		l.section(s)
	}
	var pages []string
	for _, c := range p.Commands {
		pages = append(pages, p.pageOf(c))
	}
	l.see(pages)
	return l.err
}

// writeCommandMan writes the page of a command.
func (p *Program) writeCommandMan(w io.Writer, c *Command) error {
	l := &lines{w: w}
	p.head(l, p.pageOf(*c), c.About, c.Form+" [OPTION]...")
	if c.Details != "" {
		l.add(".SH DESCRIPTION")
		l.verbatim(c.Details)
	}
	l.add(".SH OPTIONS")
	for _, o := range c.Options {
		var names []string
		for _, n := range o.Names {
			names = append(names, `\fB`+Escape(n)+`\fR`)
		}
		left := strings.Join(names, ", ")
		if o.Meta != "" {
			left += ` \fI` + Escape(o.Meta) + `\fR`
		}
		l.add(".TP\n%s\n%s", left, Escape(o.About))
		if o.Default != "" {
			l.add("(default %s)", Escape(o.Default))
		}
	}
	for _, s := range p.Common {
		l.section(s)
	}
	l.add(".SH EXAMPLES")
	l.verbatim(c.Example)
	l.see([]string{p.Name})
	return l.err
}

// section writes a section.
func (l *lines) section(s Section) {
	l.add(".SH %s", Escape(strings.ToUpper(s.Title)))
	if l.err == nil {
		l.err = s.Text.Roff(l.w)
	}
}

// verbatim writes a text with its line breaks.
func (l *lines) verbatim(text string) {
	l.add(".nf")
	for line := range strings.SplitSeq(text, "\n") {
		l.add("%s", Escape(line))
	}
	l.add(".fi")
}

// see writes references to other pages.
func (l *lines) see(pages []string) {
	l.add(".SH SEE ALSO")
	for i, page := range pages {
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		l.add(".BR %s (1)%s", Escape(page), comma)
	}
}
