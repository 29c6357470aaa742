package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// textChange is an edit of a file's text.
type textChange struct {
	text, what string
}

// replaceAt returns the text with a piece of it replaced.
func replaceAt(text string, from, to int, by, where string) *textChange {
	if text[from:to] == by {
		return nil
	}
	return &textChange{text[:from] + by + text[to:], fmt.Sprintf("%s: %q becomes %q", where, text[from:to], by)}
}

// assignment is a statement of the Verilog: its target, and where its expression stands.
type assignment struct {
	target   string
	from, to int
}

var assignPattern = regexp.MustCompile(`(?m)^  assign ([a-z_0-9\[\]:]+) = ([^;]+);`)

func assignments(text string, target *regexp.Regexp) (list []assignment) {
	for _, m := range assignPattern.FindAllStringSubmatchIndex(text, -1) {
		if a := (assignment{text[m[2]:m[3]], m[4], m[5]}); target.MatchString(a.target) {
			list = append(list, a)
		}
	}
	return list
}

var (
	operators  = regexp.MustCompile(`[&|^]|~`)
	codeBits   = regexp.MustCompile(`\bx(_\d+|\d+_gt\d+|\[\d+\])`)
	initDigits = regexp.MustCompile(`#\(\.INIT\(\d+'h([0-9a-f]+)\)\) (\w+)`)
	comparison = regexp.MustCompile(`x\[\d+:\d+\] > \d+'d(\d+)`)
)

// editOperator changes an operator in an assignment to what the pattern says.
func editOperator(r *rand.Rand, text string, target *regexp.Regexp) *textChange {
	a, ok := pick(r, assignments(text, target))
	if !ok {
		return nil
	}
	at, ok := pick(r, operators.FindAllStringIndex(text[a.from:a.to], -1))
	if !ok {
		return replaceAt(text, a.from, a.from, "~", a.target)
	}
	from := a.from + at[0]
	switch text[from] {
	case '~':
		return replaceAt(text, from, from+1, "", a.target)
	default:
		return replaceAt(text, from, from+1, strings.Trim("&|^", text[from:from+1])[:1], a.target)
	}
}

// textOperation writes a wrong operator for a gate.
func (d *design) textOperation(r *rand.Rand) *textChange { return editOperator(r, d.text, gateName) }

// textAnchor writes another bit of the input in a gate's expression.
func (d *design) textAnchor(r *rand.Rand) *textChange {
	a, ok := pick(r, assignments(d.text, gateName))
	if !ok {
		return nil
	}
	at, ok := pick(r, codeBits.FindAllStringIndex(d.text[a.from:a.to], -1))
	if !ok {
		return nil
	}
	b, _ := pick(r, assignments(d.text, gateName))
	other, ok := pick(r, codeBits.FindAllString(d.text[b.from:b.to], -1))
	if !ok {
		return nil
	}
	return replaceAt(d.text, a.from+at[0], a.from+at[1], other, a.target)
}

// textLUT writes one bit of an INIT wrongly.
func (d *design) textLUT(r *rand.Rand) *textChange { return d.editInit(r, gateName) }

func (d *design) editInit(r *rand.Rand, name *regexp.Regexp) *textChange {
	var all [][]int
	for _, m := range initDigits.FindAllStringSubmatchIndex(d.text, -1) {
		if name.MatchString(d.text[m[4]:m[5]]) {
			all = append(all, m)
		}
	}
	m, ok := pick(r, all)
	if !ok {
		return nil
	}
	at := m[2] + r.IntN(m[3]-m[2])
	digit, err := strconv.ParseUint(d.text[at:at+1], 16, 8)
	if err != nil {
		return nil
	}
	return replaceAt(d.text, at, at+1, fmt.Sprintf("%x", digit^1<<r.IntN(4)), d.text[m[4]:m[5]])
}

// rewrite is a piece of text and what may stand in its place.
type rewrite struct {
	from *regexp.Regexp
	to   string
}

// editOne applies one of some rewrites at one of the places where they fit.
func editOne(r *rand.Rand, text string, rewrites []rewrite) *textChange {
	rule, ok := pick(r, rewrites)
	if !ok {
		return nil
	}
	at, ok := pick(r, rule.from.FindAllStringSubmatchIndex(text, -1))
	if !ok {
		return nil
	}
	by := string(rule.from.ExpandString(nil, rule.to, text, at))
	return replaceAt(text, at[0], at[1], by, "line "+strconv.Itoa(strings.Count(text[:at[0]], "\n")+1))
}

func rewrites(pairs ...string) (list []rewrite) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, rewrite{regexp.MustCompile(pairs[i]), pairs[i+1]})
	}
	return list
}

// popcountRewrites break the module of popcounts, or what it is given.
var popcountRewrites = rewrites(
	`for \(i = 0; i < WIDTH; i = i \+ 1\) ones`, `for (i = 1; i < WIDTH; i = i + 1) ones`,
	`for \(i = 0; i < WIDTH; i = i \+ 1\) ones`, `for (i = 0; i < WIDTH - 1; i = i + 1) ones`,
	`ones = ones \+ \{`, `ones = ones | {`,
	`ones = ones \+ \{`, `ones = ones ^ {`,
	`ones = \{BITS\{1'b0\}\};`, `ones = {{BITS - 1{1'b0}}, word[0]};`,
	`(_in\[\d+:\d+\] = \{)\w+, (\w+),`, `${1}${2}, ${2},`,
	`(_in\[\d+:\d+\] = \{)(\w+), `, `${1}~${2}, `,
	`\.count\(count_(\d+)\)`, `.count(count_${1}[3:1])`,
)

// textCounter breaks what counts.
func (d *design) textCounter(r *rand.Rand) *textChange {
	if strings.Contains(d.text, "_popcount #(") && r.IntN(4) > 0 {
		return editOne(r, d.text, popcountRewrites)
	}
	if d.cells != "" {
		return d.editInit(r, countName)
	}
	return editOperator(r, d.text, countDriver)
}

// countDriver is a cell that counts, not the bus of its digits.
var countDriver = regexp.MustCompile(`^count_\d+_[nb]`)

// tieRewrites break the rule for equal counts in the module of the argmax.
var tieRewrites = rewrites(
	`(words\[i\*BITS\+:BITS\]) > best`, `${1} >= best`,
	`if \((words\[i\*BITS\+:BITS\]) > best`, `if (${1} > best || i == 3 && ${1} == best`,
	`if \((words\[i\*BITS\+:BITS\]) > best`, `if (${1} > best || i > 6 && ${1} == best`,
	`if \((words\[i\*BITS\+:BITS\]) > best`, `if (${1} > best || i == 9 && ${1} >= best`,
	`if \((words\[i\*BITS\+:BITS\]) > best`, `if (${1} > best || i[0] && ${1} == best`,
	`if \((words\[i\*BITS\+:BITS\]) > best`, `if (${1} > best || largest == 0 && ${1} == best`,
	`if \((words\[i\*BITS\+:BITS\]) > best`, `if (${1} > best || largest == 4 && ${1} == best`,
)

// textTie has equal counts go to another class.
func (d *design) textTie(r *rand.Rand) *textChange { return editOne(r, d.text, tieRewrites) }

// textClass has two words of the argmax, or bits of two classes, change places.
func (d *design) textClass(r *rand.Rand) *textChange {
	if !strings.Contains(d.text, "_popcount #(") {
		return d.textSwap(r)
	}
	if r.IntN(4) == 0 {
		return editOne(r, d.text, rewrites(`count_(\d), count_(\d)([,}])`, `count_${2}, count_${1}${3}`))
	}
	return d.textSwap(r)
}

// textSwap writes the bits of two classes in each other's place.
func (d *design) textSwap(r *rand.Rand) *textChange {
	c := d.classGroup(r)
	if c == nil {
		return nil
	}
	text, err := d.verilog(c.netlist)
	if err != nil {
		return nil
	}
	return &textChange{text, c.what}
}

// textThreshold writes another constant, comparison or word in a comparator.
func (d *design) textThreshold(r *rand.Rand) *textChange {
	at, ok := pick(r, comparison.FindAllStringSubmatchIndex(d.text, -1))
	if !ok {
		return editOperator(r, d.text, encoderName)
	}
	if r.IntN(3) == 0 {
		gt := at[0] + strings.Index(d.text[at[0]:at[1]], ">")
		return replaceAt(d.text, gt, gt+1, []string{">=", "<", "!="}[r.IntN(3)], d.text[at[0]:at[1]])
	}
	t, err := strconv.Atoi(d.text[at[2]:at[3]])
	if err != nil {
		return nil
	}
	t = max(0, t+[]int{-2, -1, 1, 2}[r.IntN(4)])
	return replaceAt(d.text, at[2], at[3], strconv.Itoa(t), d.text[at[0]:at[1]])
}

// registerRewrites break a register, or the bits that go with the samples. Q is what a
// register holds, D what it is given.
var registerRewrites = rewrites(
	`(?s)dut_register (?:#\(\.WIDTH\(\d+\)\) )?\w+ \(\.clk\(clk\),\s+\.ce\(ce\),\s+\.d\(([^)]+)\),\s+\.q\(([^)]+)\)\);`,
	`assign ${2} = ${1};`,
	`\.ce\(ce\), \.d\(`, `.ce(1'b1), .d(`,
	`\.ce\(ce\), \.d\(`, `.ce(in_valid), .d(`,
	`\.ce\(ce\), \.d\(`, `.ce(ce & valid[0]), .d(`,
	`\.ce\(ce\), \.d\(`, `.ce(~rst), .d(`,
	`\.clk\(clk\), \.ce\(ce\)`, `.clk(~clk), .ce(ce)`,
	`(\.clk\(clk\), \.ce\(ce\)), \.d\(([^)]+)\)`, `${1}, .d(~${2})`,
	`(?s)dut_register #\(\.WIDTH\((\d+)\)\) (\w+)_i \(\.clk\(clk\),\s+\.ce\(ce\),\s+\.d\(([^)]+)\),\s+\.q\(([^)]+)\)\);`,
	`wire [$1-1:0] ${2}_more; dut_register #(.WIDTH($1)) ${2}_a (.clk(clk), .ce(ce), .d(${3}), .q(${2}_more)); `+
		`dut_register #(.WIDTH($1)) ${2}_i (.clk(clk), .ce(ce), .d(${2}_more), .q(${4}));`,
	`if \(ce\) q <= d;`, `q <= d;`,
	`if \(rst\) valid <= [^;]*;\s+else if`, `if`,
	`else if \(ce\) valid`, `else valid`,
	`(else if \(ce\) valid <= \{[^,]*), in_valid\}`, `${1}, 1'b1}`,
	`assign out_valid = valid\[(\d)\]`, `assign out_valid = valid[0]`,
	`always @\(posedge clk\) if \(ce\) q`, `always @(negedge clk) if (ce) q`,
)

// textRegister breaks a register. Half of the time it is the enable or the place of one of
// the data registers, of which there are many.
func (d *design) textRegister(r *rand.Rand) *textChange {
	if !d.clocked() {
		return nil
	}
	rules := registerRewrites
	if r.IntN(4) > 0 {
		rules = rules[:8]
	}
	return editOne(r, d.text, rules)
}
