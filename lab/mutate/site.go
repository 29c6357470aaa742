package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// site is a place in a file at which a mutant is made, and how. A kind that has sites tries each of them
// at most once.
type site struct {
	file     string // name of the file
	from, to int
	by       string
	// manifest, unless nil, changes the folder instead: its manifest, or its files' names.
	manifest *claim
}

// tokens of a Verilog text. Comments, directives and strings are none.
var (
	blankPattern   = regexp.MustCompile("(?m)//.*$|^`.*$|\"[^\"]*\"|\\(\\* .* \\*\\)")
	literalPattern = regexp.MustCompile(`\b(\d+)'([bdh])([0-9a-f]+)`)
	integerPattern = regexp.MustCompile(`[^\w'.]\d+\b`)
	rangePattern   = regexp.MustCompile(`\[[^\[\]]*\]`)
	comparePattern = regexp.MustCompile(` (==|!=|>|<|>=) `)
	operatorAround = regexp.MustCompile(` ([&|^+-]) |([~!])[\w({]`)
	updatePattern  = regexp.MustCompile(`(\w+(?:\[[^\]]*\])?)( *<= )([^;]+);`)
	edgePattern    = regexp.MustCompile(`\b(posedge|negedge)\b`)
	initialPattern = regexp.MustCompile(`(?m)^  initial (\w+) = [^;]+;`)
	pinPattern     = regexp.MustCompile(`\.(\w+)\(([^()]+)\)`)
)

// source is a Verilog text of which sites are made.
type source struct {
	file, text string
	code       string // the text with blanks for what is no code
	sites      []site
}

func newSource(file, text string) *source {
	return &source{file: file, text: text, code: blankPattern.ReplaceAllStringFunc(text,
		func(s string) string { return strings.Repeat(" ", len(s)) })}
}

// add adds a change of a piece of the text.
func (s *source) add(from, to int, by string) {
	if s.text[from:to] != by {
		s.sites = append(s.sites, site{file: s.file, from: from, to: to, by: by})
	}
}

// each calls f with the places of a pattern's groups, for each place where it fits in the code.
func (s *source) each(p *regexp.Regexp, f func(m []int)) {
	for _, m := range p.FindAllStringSubmatchIndex(s.code, -1) {
		f(m)
	}
}

// within reports whether a place is between brackets.
func (s *source) within(at int, ranges [][]int) bool {
	return slices.ContainsFunc(ranges, func(r []int) bool { return r[0] <= at && at < r[1] })
}

// constants changes each bit of each constant, and each plain number that is no bound of a range, by 1 and by a bit.
func (s *source) constants() {
	s.each(literalPattern, func(m []int) {
		width, _ := strconv.Atoi(s.text[m[2]:m[3]])
		digits := s.text[m[6]:m[7]]
		switch s.text[m[4]:m[5]] {
		case "b":
			s.digits(m[6], digits, 1)
		case "h":
			s.digits(m[6], digits, 4)
		default:
			v, err := strconv.ParseUint(digits, 10, 64)
			for bit := 0; err == nil && bit < width && bit < 64; bit++ {
				s.add(m[6], m[7], fmt.Sprint(v^1<<bit))
			}
		}
	})
	ranges := rangePattern.FindAllStringIndex(s.code, -1)
	s.each(integerPattern, func(m []int) {
		if !s.within(m[0]+1, ranges) {
			s.numbers(m[0]+1, m[1])
		}
	})
}

// digits changes each bit of the digits of a constant, of so many bits each.
func (s *source) digits(from int, digits string, bits int) {
	for i := range digits {
		v, err := strconv.ParseUint(digits[i:i+1], 16, 8)
		for bit := 0; err == nil && bit < bits; bit++ {
			s.add(from+i, from+i+1, fmt.Sprintf("%x", v^1<<bit))
		}
	}
}

// numbers changes a plain number.
func (s *source) numbers(from, to int) {
	v, err := strconv.ParseInt(s.text[from:to], 10, 64)
	if err != nil || to < len(s.code) && s.code[to] == '\'' {
		return
	}
	list := []int64{v + 1, v - 1}
	for bit := range 63 {
		if v>>bit > 0 {
			list = append(list, v^1<<bit)
		}
	}
	slices.Sort(list)
	for _, w := range slices.Compact(list) {
		if w >= 0 {
			s.add(from, to, fmt.Sprint(w))
		}
	}
}

// widths changes each number in a range or an index.
func (s *source) widths() {
	for _, r := range rangePattern.FindAllStringIndex(s.code, -1) {
		for _, m := range integerPattern.FindAllStringIndex(s.code[r[0]:r[1]], -1) {
			s.numbers(r[0]+m[0]+1, r[0]+m[1])
		}
		if piece := s.code[r[0]:r[1]]; strings.Contains(piece, "+:") {
			s.add(r[0], r[1], strings.Replace(piece, "+:", "-:", 1))
		}
	}
}

// comparisons puts another comparison in the place of each.
func (s *source) comparisons() {
	others := map[string][]string{
		"==": {"!=", ">", "<="}, "!=": {"==", "<"}, ">": {">=", "<", "!="},
		"<": {"<=", ">", "!="}, ">=": {">", "=="},
	}
	s.each(comparePattern, func(m []int) {
		for _, by := range others[s.code[m[2]:m[3]]] {
			s.add(m[2], m[3], by)
		}
	})
}

// operators puts another operator in the place of each, and leaves out complements.
func (s *source) operators() {
	others := map[string][]string{"&": {"|", "^"}, "|": {"&", "^"}, "^": {"|", "~^"}, "+": {"-"}, "-": {"+"}}
	s.each(operatorAround, func(m []int) {
		if m[2] < 0 {
			s.add(m[4], m[5], "")
			return
		}
		for _, by := range others[s.code[m[2]:m[3]]] {
			s.add(m[2], m[3], by)
		}
	})
}

// states has registers keep what they have, take the complement, or take 0, and conditions hold always, never,
// or the other way round.
func (s *source) states() {
	s.each(updatePattern, func(m []int) {
		value := s.text[m[6]:m[7]]
		for _, by := range []string{s.text[m[2]:m[3]], "~(" + value + ")", "0"} {
			s.add(m[6], m[7], by)
		}
	})
	s.conditions(func(from, to int) {
		if strings.TrimSpace(s.code[from:to]) != "rst" {
			for _, by := range []string{"1'b1", "1'b0", "!(" + s.text[from:to] + ")"} {
				s.add(from, to, by)
			}
		}
	})
}

// conditions calls f with the places of the conditions after each if.
func (s *source) conditions(f func(from, to int)) {
	for at := 0; ; {
		i := strings.Index(s.code[at:], "if (")
		if i < 0 {
			return
		}
		from := at + i + len("if (")
		depth, to := 1, from
		for ; to < len(s.code) && depth > 0; to++ {
			depth += strings.Count(s.code[to:to+1], "(") - strings.Count(s.code[to:to+1], ")")
		}
		f(from, to-1)
		at = from
	}
}

// resets leaves resets out, turns them over or makes them wait for no clock, and changes edges and initial values.
func (s *source) resets() {
	s.conditions(func(from, to int) {
		if strings.TrimSpace(s.code[from:to]) == "rst" {
			for _, by := range []string{"1'b0", "~rst", "rst & in_valid"} {
				s.add(from, to, by)
			}
		}
	})
	s.each(edgePattern, func(m []int) {
		s.add(m[0], m[1], map[string]string{"posedge": "negedge", "negedge": "posedge"}[s.code[m[0]:m[1]]])
		s.add(m[0], m[1], "posedge rst or "+s.code[m[0]:m[1]])
	})
	s.each(initialPattern, func(m []int) {
		s.add(m[0], m[1], fmt.Sprintf("  initial %s = ~0;", s.text[m[2]:m[3]]))
		s.add(m[0], m[1], "")
	})
}

// pins gives a pin what its neighbour has, or a constant.
func (s *source) pins() {
	var before []int
	s.each(pinPattern, func(m []int) {
		for _, by := range []string{"1'b0", "1'b1"} {
			s.add(m[4], m[5], by)
		}
		if before != nil {
			s.add(m[4], m[5], s.text[before[4]:before[5]])
			s.add(before[4], before[5], s.text[m[4]:m[5]])
		}
		before = m
	})
}

// textSites returns a kind's sites function: what a change makes of the texts that are chosen.
func textSites(of func(*design) []string, change func(*source)) func(*design) []site {
	return func(d *design) (sites []site) {
		for _, file := range of(d) {
			s := newSource(file, d.files[file])
			change(s)
			sites = append(sites, s.sites...)
		}
		return sites
	}
}

// wrapperFiles and engineFiles are the Verilog of a wrapper, and that of an engine.
func wrapperFiles(d *design) []string { return d.named(d.wrap) }
func engineFiles(d *design) []string  { return d.named("fold") }

// coreFiles are what a wrapper with the encoder in it is around.
func coreFiles(d *design) []string { return d.named("core") }

// named returns the files of a format.
func (d *design) named(format string) (names []string) {
	for _, f := range d.out.Manifest.Files {
		if f.Format == format {
			names = append(names, f.Name)
		}
	}
	return names
}

// memorySites changes each field of each word of an engine's memories, of which the width is the file's digits.
func memorySites(d *design) (sites []site) {
	for _, file := range slices.Concat(d.named("fold-program"), d.named("fold-thresholds")) {
		s := newSource(file, d.files[file])
		at := 0
		for line := range strings.Lines(s.text) {
			s.digits(at, strings.TrimSpace(line), 4)
			at += len(line)
		}
		sites = append(sites, s.sites...)
	}
	return sites
}

// apply returns the file's text with the change, and what it is.
func (e site) apply(text string) (changed, what string) {
	line := strings.Count(text[:e.from], "\n") + 1
	return text[:e.from] + e.by + text[e.to:], fmt.Sprintf("%s:%d: %q becomes %q", e.file, line, text[e.from:e.to], e.by)
}
