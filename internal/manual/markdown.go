// This file parses the Markdown of this project's documents, and writes it as plain text or as roff for man.
//
// It supports the elements that the documents use: headings, paragraphs, lists, fenced and indented blocks, and
// tables. Within lines it supports links, code and emphasis. [Parse] turns a document into a [Text], which is a list
// of blocks. [Text.Section] and [Text.Table] select a part of a Text.

package manual

import (
	"regexp"
	"strings"
)

// Text is a document as a list of blocks.
type Text []block

// kind is the kind of a block.
type kind int

const (
	paragraph kind = iota
	heading
	item // item of a list
	code
	table
)

// block is a piece of a document.
type block struct {
	kind  kind
	level int      // level of a heading, from 1 for the document's title
	text  string   // text of a heading, a paragraph or an item, in one line
	lines []string // lines of code
	rows  [][]string
}

var (
	headingLine = regexp.MustCompile(`^(#+) (.*)$`)
	itemLine    = regexp.MustCompile(`^(?:-|\d+\.) (.*)$`)
	ruleCell    = regexp.MustCompile(`^:?-+:?$`)
	image       = regexp.MustCompile(`!\[[^]]*\]\([^)]*\)`)
	link        = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)
)

// Parse returns the blocks of a document.
func Parse(markdown string) (t Text) {
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch m := headingLine.FindStringSubmatch(line); {
		case m != nil:
			t = append(t, block{kind: heading, level: len(m[1]), text: inline(m[2])})
		case strings.HasPrefix(line, "```"):
			b := block{kind: code}
			for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
				b.lines = append(b.lines, lines[i])
			}
			t = append(t, b)
		default:
			t = t.with(line, i == 0 || strings.TrimSpace(lines[i-1]) == "")
		}
	}
	return t
}

// with adds a line that is outside fenced blocks. If first is true, the preceding line belongs to another block.
func (t Text) with(line string, first bool) Text {
	indented, isIndented := strings.CutPrefix(line, "    ")
	if m := itemLine.FindStringSubmatch(line); m != nil {
		return append(t, block{kind: item, text: inline(m[1])})
	}
	text := inline(strings.TrimSpace(line))
	var last *block
	if len(t) > 0 && !first {
		last = &t[len(t)-1]
	}
	switch {
	case strings.TrimSpace(line) == "":
	case strings.HasPrefix(line, "|"):
		if last == nil || last.kind != table {
			t = append(t, block{kind: table})
			last = &t[len(t)-1]
		}
		if row := cells(line); !ruleCell.MatchString(row[0]) {
			last.rows = append(last.rows, row)
		}
	case last != nil && (last.kind == paragraph || last.kind == item):
		last.text += " " + text
	case isIndented && last != nil && last.kind == code:
		last.lines = append(last.lines, indented)
	case isIndented:
		t = append(t, block{kind: code, lines: []string{indented}})
	case text != "":
		t = append(t, block{kind: paragraph, text: text})
	}
	return t
}

// cells returns the cells of a table row. In a cell, \| represents a bar.
func cells(row string) (all []string) {
	const bar = "\x00"
	row = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(row, `\|`, bar), "|"), "|")
	for cell := range strings.SplitSeq(row, "|") {
		all = append(all, strings.ReplaceAll(inline(strings.TrimSpace(cell)), bar, "|"))
	}
	return all
}

// inline returns a line without pictures, link targets and emphasis marks.
func inline(line string) string {
	return strings.ReplaceAll(link.ReplaceAllString(image.ReplaceAllString(line, ""), "$1"), "**", "")
}

// Section returns the text below a heading, up to the next heading of the same or a higher level. It returns nil if
// there is no such heading.
func (t Text) Section(name string) Text {
	for i, b := range t {
		if b.kind != heading || b.text != name {
			continue
		}
		end := i + 1
		for end < len(t) && (t[end].kind != heading || t[end].level > b.level) {
			end++
		}
		return t[i+1 : end]
	}
	return nil
}

// Table returns the first table whose first column has the given name, or nil if there is no such table.
func (t Text) Table(column string) Text {
	for i, b := range t {
		if b.kind == table && b.rows[0][0] == column {
			return t[i : i+1]
		}
	}
	return nil
}
