package manual

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// columns is the width of plain text. indent is the indentation of text that belongs to the preceding line.
const columns, indent = 92, "    "

// Plain writes the text for a terminal.
func (t Text) Plain(w io.Writer) error {
	out := &printer{w: w}
	for i, b := range t {
		if i > 0 && (b.kind != item || t[i-1].kind != item) {
			out.line("")
		}
		switch b.kind {
		case heading:
			out.line(b.text)
		case paragraph:
			out.wrap("", b.text)
		case item:
			out.wrap("  - ", b.text)
		case code:
			for _, l := range b.lines {
				out.line(indent + l)
			}
		case table:
			for _, row := range b.rows[1:] {
				out.line(row[0])
				for _, text := range b.entry(row) {
					out.wrap(indent, text)
				}
			}
		}
	}
	return out.err
}

// entry returns the cells of a row, except for the first cell. In a table with more than two columns, the third and
// later cells are preceded by the name of their column.
func (b block) entry(row []string) (all []string) {
	for i, cell := range row[1:] {
		if cell == "" || i+1 >= len(b.rows[0]) {
			continue
		}
		if i > 0 {
			cell = b.rows[0][i+1] + ": " + cell
		}
		all = append(all, cell)
	}
	return all
}

// printer writes lines until writing fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(text string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(text, " "))
	}
}

// wrap writes a text in lines of at most columns characters. The first line begins with the text begin. The other
// lines begin with the same number of blanks.
func (p *printer) wrap(begin, text string) {
	line := begin
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > columns && strings.TrimSpace(line) != "" {
			p.line(line)
			line = strings.Repeat(" ", len(begin))
		}
		if strings.TrimSpace(line) != "" && !strings.HasSuffix(line, " ") {
			line += " "
		}
		line += word
	}
	p.line(line)
}

// Roff writes the text with the macros of man(7), as the content of a section. Headings become subsections.
func (t Text) Roff(w io.Writer) error {
	out := &printer{w: w}
	for i, b := range t {
		switch b.kind {
		case heading:
			out.line(".SS " + Escape(b.text))
		case paragraph:
			if i > 0 {
				out.line(".PP")
			}
			out.line(coded(b.text))
		case item:
			out.line(".IP \\(bu 2\n" + coded(b.text))
		case code:
			out.line(".PP\n.RS 4\n.nf")
			for _, l := range b.lines {
				out.line(Escape(l))
			}
			out.line(".fi\n.RE")
		case table:
			for _, row := range b.rows[1:] {
				out.line(".TP\n" + coded(row[0]))
				for i, text := range b.entry(row) {
					if i > 0 {
						out.line(".br")
					}
					out.line(coded(text))
				}
			}
		}
	}
	return out.err
}

// Escape returns a line of text for roff with all special characters escaped.
func Escape(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "~", `\(ti`, "^", `\(ha`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// coded returns a text for roff. Parts between backticks become bold.
func coded(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		switch {
		case i%2 == 0:
			b.WriteString(Escape(part))
		case part != "":
			b.WriteString(`\fB` + strings.TrimPrefix(Escape(part), `\&`) + `\fR`)
		}
	}
	return b.String()
}
