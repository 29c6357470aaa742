package netlist

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// ParseText reads a netlist in the text form of docs/reference/netlist.md and validates it. Errors begin with the
// given name, line and column. The text is read as a stream and not kept. Memory is proportional to the text that was
// actually read, and does not depend on numbers in the text.
func ParseText(name string, r io.Reader) (*Netlist, error) {
	p := &textParser{name: name, scan: newScanner(r), names: map[string]bool{}}
	p.advance()
	p.header()
	p.sections()
	if p.err != nil {
		return nil, p.err
	}
	n := p.b.Netlist()
	if err := n.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// textParser is a recursive descent parser. It keeps the first error; after that, all its methods act as if the
// text had ended.
type textParser struct {
	name  string
	scan  *scanner
	tok   token // the token to be read next
	err   error
	b     *Builder
	names map[string]bool // names of the ports and probes read so far
	pins  []Net
}

func (p *textParser) advance() {
	if p.err != nil {
		return
	}
	p.tok = p.scan.next()
	switch err := p.scan.readError(); {
	case p.tok.kind == tokenBad:
		p.fail(p.tok, "%s", p.tok.text)
	case p.tok.kind == tokenEnd && err != nil:
		p.fail(p.tok, "%w", err)
	}
}

// fail records an error at a token, unless an earlier error is already recorded.
func (p *textParser) fail(at token, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d:%d: %w", p.name, at.line, at.col, fmt.Errorf(format, args...))
	}
	p.tok = token{line: at.line, col: at.col}
}

// want consumes a token of the given kind, or fails.
func (p *textParser) want(kind byte, what string) token {
	t := p.tok
	if t.kind != kind {
		p.fail(t, "%v, want %s", t, what)
		return token{}
	}
	p.advance()
	return t
}

// accept consumes the next token if it is of the given kind.
func (p *textParser) accept(kind byte) bool {
	if p.tok.kind != kind {
		return false
	}
	p.advance()
	return true
}

// word consumes the given word, or fails.
func (p *textParser) word(word string) {
	if p.tok.kind != tokenWord || p.tok.text != word {
		p.fail(p.tok, "%v, want the word %s", p.tok, word)
		return
	}
	p.advance()
}

// number consumes a number that is at most limit, or fails.
func (p *textParser) number(what string, limit uint64) uint64 {
	t := p.want(tokenNumber, what)
	if t.number > limit {
		p.fail(t, "%s is %d, want at most %d", what, t.number, limit)
		return 0
	}
	return t.number
}

// identifier consumes a name that [CheckName] accepts, or fails.
func (p *textParser) identifier(what string) (string, token) {
	t := p.want(tokenWord, what)
	if p.err == nil {
		if err := CheckName(t.text); err != nil {
			p.fail(t, "%s: %w", what, err)
		}
	}
	return t.text, t
}

func (p *textParser) endLine() {
	if p.tok.kind != tokenEnd {
		p.want(tokenLine, "the end of the line")
	}
}

func (p *textParser) blankLines() {
	for p.accept(tokenLine) {
	}
}

// header reads the lines with the format's version and the netlist's name.
func (p *textParser) header() {
	p.blankLines()
	p.word("ialgn")
	p.word("netlist")
	t := p.want(tokenNumber, "the version")
	if p.err == nil && t.number != textVersion {
		p.fail(t, "version %d of the text form, this program reads version %d: compile again", t.number, textVersion)
	}
	p.endLine()
	p.blankLines()
	p.word("name")
	name, _ := p.identifier("the netlist's name")
	p.endLine()
	p.b = NewBuilder(name)
}

// sectionOrder lists the words that begin a section, in the required order. The sections "classes", "offsets", "ties",
// "positions", "cells" and "end" occur once.
var sectionOrder = []string{
	"primitive", "classes", "offsets", "ties", "positions", "input", "cells", "output", "probe", "end",
}

// sections reads everything after the header.
func (p *textParser) sections() {
	last := -1
	for {
		p.blankLines()
		t := p.want(tokenWord, "one of the words "+strings.Join(sectionOrder, ", "))
		if p.err != nil {
			return
		}
		at := slices.Index(sectionOrder, t.text)
		once := slices.Contains([]string{"classes", "offsets", "ties", "positions", "cells"}, t.text)
		switch {
		case at < 0:
			p.fail(t, "unknown section %v, want one of %s", t, strings.Join(sectionOrder, ", "))
		case at < last:
			p.fail(t, "section %s after %s, the order is %s", t.text, sectionOrder[last], strings.Join(sectionOrder, ", "))
		case at == last && once:
			p.fail(t, "a second section %s, write one", t.text)
		}
		last = at
		if p.err == nil {
			p.section(t.text)
		}
		if t.text == "end" || p.err != nil {
			return
		}
	}
}

// section reads the rest of a section after the word with which the section begins.
func (p *textParser) section(word string) {
	switch word {
	case "primitive":
		p.primitive()
	case "classes":
		p.b.Classes(numbers[uint16](p, "a class", math.MaxUint16))
	case "offsets":
		p.b.Offsets(numbers[uint32](p, "an offset", math.MaxInt32))
	case "ties":
		p.b.Ties(numbers[uint16](p, "a class", math.MaxUint16))
	case "positions":
		p.positions()
	case "input":
		p.input()
	case "cells":
		p.endLine()
		for p.blankLines(); p.tok.kind == tokenNumber; p.blankLines() {
			p.cell()
		}
	case "output":
		p.output()
	case "probe":
		p.probe()
	case "end":
		p.endLine()
		if p.blankLines(); p.tok.kind != tokenEnd {
			p.fail(p.tok, "%v after the end of the netlist, remove it", p.tok)
		}
	}
}

// primitive reads "O = LUT4(0xcafe) A B C D".
func (p *textParser) primitive() {
	var t PrimitiveType
	var at token
	t.Output, at = p.identifier("the primitive's output pin")
	p.want('=', "=")
	t.Name, _ = p.identifier("the primitive's name")
	p.want('(', "( and the function's table")
	t.Table = p.number("the function's table", math.MaxUint64)
	p.want(')', ")")
	for p.tok.kind == tokenWord {
		pin, _ := p.identifier("an input pin")
		t.Inputs = append(t.Inputs, pin)
	}
	p.endLine()
	if p.err != nil {
		return
	}
	if err := t.check(); err != nil {
		p.fail(at, "primitive %s: %w", t.Name, err)
	}
	p.b.Primitive(t)
}

// numbers reads a section that consists of numbers, such as the class of each chain.
func numbers[T uint16 | uint32](p *textParser, what string, most T) (all []T) {
	p.endLine()
	for p.blankLines(); p.tok.kind == tokenNumber; p.blankLines() {
		all = append(all, T(p.number(what, uint64(most))))
	}
	return all
}

// positions reads the rows and columns of positions for layers with shared nodes.
func (p *textParser) positions() {
	p.endLine()
	var all []Positions
	for p.blankLines(); p.tok.kind == tokenNumber; p.blankLines() {
		all = append(all, Positions{
			Layer:   uint16(p.number("a layer", MaxLayers)),
			Rows:    uint16(p.number("rows of positions", math.MaxUint16)),
			Columns: uint16(p.number("columns of positions", math.MaxUint16)),
		})
		p.endLine()
	}
	p.b.Positions(all)
}

// cell reads a line such as "7-9 = popcount 2 3 4 5 @4.0".
func (p *textParser) cell() {
	at, own := p.tok, p.b.n.outStart[p.b.n.Cells()]
	p.next(own, "the cell's first net")
	last, lastAt, ranged := Net(0), token{}, p.accept('-')
	if ranged {
		lastAt = p.tok
		last = p.net("the cell's last net")
	}
	p.want('=', "=")
	kind := p.kind()
	param := p.param(kind)
	p.inputs(own)
	origin := p.origin()
	p.endLine()
	if p.err != nil {
		return
	}
	p.add(at, kind, param, origin)
	if end := p.b.n.outStart[p.b.n.Cells()] - 1; ranged && last != end {
		p.fail(lastAt, "the cell's last net is %d, but a %v of %d inputs drives %d to %d", last, kind, len(p.pins), own, end)
	}
}

// add adds a cell that was read, and checks it.
func (p *textParser) add(at token, kind Kind, param uint64, origin Origin) {
	n := p.b.n
	p.b.Cell(kind, param, origin, p.pins...)
	c := Cell(n.Cells() - 1)
	if err := n.checkCell(c); err != nil {
		p.fail(at, "%w", n.cellError(c, err))
	}
}

// param reads the parameter of a cell, if its kind has one.
func (p *textParser) param(k Kind) uint64 {
	if !k.hasParam() {
		return 0
	}
	p.want('(', "( and the cell's parameter")
	var v uint64
	if k == Argmax {
		v = p.argmaxParam()
	} else {
		v = p.number("the parameter", math.MaxUint64)
	}
	p.want(')', ")")
	return v
}

// argmaxParam reads the parameter of an argmax, such as "5" or "5 margin 3".
func (p *textParser) argmaxParam() uint64 {
	width := p.number("the bits of a word", math.MaxUint32)
	if p.tok.kind != tokenWord {
		return ArgmaxParam(int(width), 0)
	}
	p.word("margin")
	at := p.tok
	margin := p.number("the margin", math.MaxUint32)
	if margin == 0 {
		p.fail(at, "a margin of 0, want at least 1, or no margin")
	}
	return ArgmaxParam(int(width), int(margin))
}

// inputs reads the nets that a cell reads. All of them must be below the net own, which is the first net that the
// cell drives.
func (p *textParser) inputs(own Net) {
	p.pins = p.pins[:0]
	for p.tok.kind == tokenNumber {
		if v := p.tok.number; v >= uint64(own) {
			p.fail(p.tok, "the cell reads net %d, which is not driven before net %d: put cells in topological order", v, own)
			return
		}
		p.pins = append(p.pins, Net(p.tok.number))
		p.advance()
	}
}

// next reads a net number, which must equal the argument want.
func (p *textParser) next(want Net, what string) {
	t := p.tok
	if v := p.net(what); v != want {
		p.fail(t, "%s is %v, want %d: nets are numbered in order, from 2, with no gaps", what, t, want)
	}
}

func (p *textParser) net(what string) Net { return Net(p.number(what, MaxPins-1)) }

// kind reads the name of a kind.
func (p *textParser) kind() Kind {
	t := p.want(tokenWord, "the kind of the cell")
	k := slices.Index(kindNames[:], t.text)
	if k < 0 {
		p.fail(t, "unknown kind %v, want one of %s", t, strings.Join(kindNames[:], ", "))
		return 0
	}
	return Kind(k)
}

// origin reads layer and chain, such as "@4.17", if present.
func (p *textParser) origin() (o Origin) {
	if p.accept('@') {
		o.Layer = uint16(p.number("the layer", math.MaxUint16))
		p.want('.', ". and the chain")
		o.Chain = uint32(p.number("the chain", math.MaxUint32))
	}
	return o
}
