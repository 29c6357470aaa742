package readback

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ialgn/internal/testkit"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// every is set to try all mutants instead of a selection.
var every = flag.Bool("every", false, "try every mutant")

// mutant is a file with one change.
type mutant struct {
	text, what string
}

var (
	// blank matches the text that mutants do not change: comments, strings, directives, attributes and loops. A
	// changed loop might never end.
	blank           = regexp.MustCompile("//.*|\"[^\"\n]*\"|`.*|\\(\\*[^*]*\\*\\)|while .*")
	numberPattern   = regexp.MustCompile(`\b(?:(\d+)'([bdh])([0-9a-f]+)|(\d+))\b`)
	operatorPattern = regexp.MustCompile(`==|!=|<<|>>|<=|&&|[<>~&|^+\-?]`)
	transfer        = regexp.MustCompile(`(\w+(?:\[\w+\])?) +<= ([^;]+);`)
)

// replacements lists the replacements of each operator. Assignments are not replaced.
var replacements = map[string][]string{
	"==": {"!="}, "!=": {"=="}, "<<": {">>"}, ">>": {"<<"}, "&&": {"||"}, "<": {"<=", ">"}, ">": {">=", "<"},
	"~": {""}, "&": {"|"}, "|": {"&"}, "^": {"|", "~^"}, "+": {"-"}, "-": {"+"},
}

// mutants returns all mutants of a file. In each mutant, a bit of a constant is flipped, an extra high bit is set in
// a number without a size, an operator is replaced, or an assignment to a register is removed.
func mutants(text string) (list []mutant) {
	code := blank.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	add := func(from, to int, by string) {
		line := strings.Count(text[:from], "\n")
		what := fmt.Sprintf("%d: %s: %q becomes %q", line+1, strings.TrimSpace(strings.Split(text, "\n")[line]),
			text[from:to], by)
		list = append(list, mutant{text[:from] + by + text[to:], what})
	}
	for _, m := range numberPattern.FindAllStringSubmatchIndex(code, -1) {
		for _, by := range flipped(code, m) {
			add(m[0], m[1], by)
		}
	}
	assigned := map[int]bool{}
	for _, m := range transfer.FindAllStringSubmatchIndex(code, -1) {
		assigned[m[3]+strings.Index(code[m[3]:], "<=")] = true
		add(m[4], m[5], code[m[2]:m[3]])
	}
	for _, m := range operatorPattern.FindAllStringIndex(code, -1) {
		if assigned[m[0]] || code[m[0]:m[1]] == "<=" {
			continue
		}
		for _, by := range replacements[code[m[0]:m[1]]] {
			add(m[0], m[1], by)
		}
	}
	return list
}

// flipped returns copies of a number. Each copy has one flipped bit.
func flipped(code string, m []int) (list []string) {
	if m[8] >= 0 { // a number without a size
		v, _ := strconv.Atoi(code[m[8]:m[9]])
		for bit := 1; bit <= max(1, 2*v); bit *= 2 {
			list = append(list, strconv.Itoa(v^bit))
		}
		return list
	}
	size, _ := strconv.Atoi(code[m[2]:m[3]])
	base := map[string]int{"b": 2, "d": 10, "h": 16}[code[m[4]:m[5]]]
	v, _ := new(big.Int).SetString(code[m[6]:m[7]], base)
	for bit := range size {
		by := new(big.Int).SetBit(new(big.Int).Set(v), bit, 1-v.Bit(bit))
		list = append(list, fmt.Sprintf("%d'%s%s", size, code[m[4]:m[5]], by.Text(base)))
	}
	return list
}

// prover proves a wrapper or an engine.
type prover func(context.Context) (*clockResult, error)

// survivors tries to prove mutants of a file, and returns the mutants for which it found a proof.
func survivors(t *testing.T, list []mutant, write func(t *testing.T, dir string) (path string,
	prove prover),
) (left []string) {
	t.Helper()
	var mutex sync.Mutex
	var wait sync.WaitGroup
	work := make(chan mutant)
	for range 2 {
		dir := t.TempDir()
		path, prove := write(t, dir)
		wait.Go(func() {
			for m := range work {
				put(t, path, m.text)
				r, err := prove(t.Context())
				if err != nil {
					t.Errorf("%s: %v", m.what, err)
				} else if r.Verdict == cec.Equivalent {
					mutex.Lock()
					left = append(left, m.what)
					mutex.Unlock()
				}
			}
		})
	}
	for _, m := range list {
		work <- m
	}
	close(work)
	wait.Wait()
	return left
}

// someOf returns two mutants. They are chosen so that, for each subject, yosys accepts at least one mutant that is
// different hardware. In the long tests, someOf returns every 128th mutant.
func someOf(list []mutant) (some []mutant) {
	if !testkit.Whole() {
		return []mutant{list[len(list)*2/3], list[len(list)*3/4]}
	}
	for i := 0; i < len(list); i += 128 {
		some = append(some, list[i])
	}
	return some
}

// TestMutants breaks engines and a small wrapper of each kind. It breaks constants, operators and transitions, one at
// a time. A mutant may be proved only if it is the same hardware.
func TestMutants(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	for name, write := range subjects() {
		t.Run(name, func(t *testing.T) {
			path, _ := write(t, t.TempDir())
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			list := mutants(string(text))
			all := len(list)
			if !*every {
				list = someOf(list)
			}
			t.Logf("%d of %d mutants", len(list), all)
			for _, what := range survivors(t, list, write) {
				if same(name, what) == "" {
					t.Errorf("proved: %s", what)
				}
			}
		})
	}
}

// equivalents lists mutants that are the same hardware. Each entry has a text in the changed line, the subjects, and
// the reason.
var equivalents = []struct {
	line     *regexp.Regexp
	subjects string
	why      string
}{
	{
		regexp.MustCompile(`parameter (WORD|WORDS|BEAT) = 1,|parameter \[WORD\*WORDS-1:0\] READ`), "stream axis uart spi byte",
		"the instance of the loader says another value",
	},
	{regexp.MustCompile(`parameter BEAT = 1  `), "axis", "the instance of the stream says another value"},
	{regexp.MustCompile(`localparam \[31:0\] .*"31" becomes`), "", "the number has few digits, or is cut to few"},
	{regexp.MustCompile(`wire unused_`), "", "nothing reads it"},
	{
		regexp.MustCompile(`for .*(group|h) \+ 64.*"64" becomes|for \(group = 0; group < \d+;|for \(h = 0; h < WORDS`), "",
		"there is one group of less than 64",
	},
	{regexp.MustCompile(`for .*"<" becomes "<="`), "", "the last round drives bits that there are none of"},
	{
		regexp.MustCompile(`localparam (LOWS|HIGHS) = |wire \[(LOWS|HIGHS|PACKET)-1:0\]|for \(h = 0; h < HIGHS`), "",
		"wires that are not used, or the same number of them",
	},
	{
		regexp.MustCompile(`(LAST|ONE|I|H)\[\w+(-LOW)?-1:0\].*"(-|0|1)" becomes`), "",
		"the digits above are 0, and the count has none where these are not compared",
	},
	{regexp.MustCompile(`\(h ?<< ?LOW\) ?\+ ?i`), "", "the same place for so few words"},
	{
		regexp.MustCompile(`parameter (CLOCK_HZ|BAUD) = |localparam \[31:0\] BIT = |localparam (QUIET|TIMER) = `), "uart",
		"rounded, it is the same number of clocks or digits",
	},
	{regexp.MustCompile(`(BIT|HALF|IDLE)\[\w+-1:0\].*"(-|0|1)" becomes|op_\d <= do_\d\[1:0\].*"1" becomes "3"|read_\d_\d\[8:0\].*"8" becomes`), "", "it is cut to the register"},
	{
		regexp.MustCompile(`ANSWER = 1'd0|\] result = \{|result\[\{to, 3'd0\}\+:8\].*"8" becomes "24"`), "uart spi byte",
		"zeros above, or what is cut off",
	},
	{regexp.MustCompile(`localparam \[2-1:0\] ANSWER = 2'd3;.*"(1|2|-)" becomes`), "byte", "another width of the same number"},
	{regexp.MustCompile(`uo_out = result.*"8" becomes "(9|10|12)"`), "byte", "it is cut to the port"},
	{regexp.MustCompile(`in_data\[lane\*`), "uart spi byte", "there is one word in a clock"},
	{
		regexp.MustCompile(`(beat  |skip  |failed) <= (1'b[01]|\{COUNT\{1'b0\}\});`), "stream axis byte",
		"it has no input drop, which is 0",
	},
	{regexp.MustCompile(`assign sample\[i\*WORD\+k\] = 1'b0;`), "axis uart spi byte", "a bit above a word is cut off"},
	{regexp.MustCompile(`assign features\[word\*4\+:4\]`), "axis uart spi byte", "the next word is driven again, or cut off"},
}

// same returns the reason why a mutant of a subject is the same hardware. It returns an empty string if the mutant
// should differ.
func same(subject, what string) string {
	for _, e := range equivalents {
		if e.line.MatchString(what) && (e.subjects == "" || slices.Contains(strings.Fields(e.subjects), subject)) {
			return e.why
		}
	}
	return ""
}

// limit bounds the time of a mutant's proof, because some mutants have functions that never end.
const limit = 5 * time.Second

// subjects returns the modules to break. They are small wrappers of each kind, and engines with one bank and with
// several banks. One of the wrappers contains an engine.
func subjects() map[string]func(t *testing.T, dir string) (path string, prove prover) {
	all := map[string]func(t *testing.T, dir string) (string, prover){}
	for name, f := range map[string]form{
		"stream":         {kind: "stream", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, apart: true},
		"axis":           {kind: "axis", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, stages: 1, beat: 1},
		"uart":           {kind: "uart", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, counts: true},
		"spi":            {kind: "spi", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, apart: true},
		"byte":           {kind: "byte", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, counts: true},
		"engine in axis": {kind: "axis", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, engine: true},
	} {
		all[name] = func(t *testing.T, dir string) (string, prover) {
			w := f.write(t, dir)
			w.Limit = limit
			return w.File, w.Prove
		}
	}
	for _, name := range []string{"four lanes", "own thresholds", "several banks"} {
		all[name] = func(t *testing.T, dir string) (string, prover) {
			e := foldings()[name].write(t, dir)
			e.Limit = limit
			return e.File, e.Prove
		}
	}
	return all
}

// TestTagMutants breaks the path of the tag through a wrapper. The mutants add or remove a register, take the tag in
// the wrong clock or from another sample's beat, or exchange two bits. No mutant may be proved.
func TestTagMutants(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	breakWrapper(t, form{kind: "axis", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, stages: 1, beat: 1, tag: 2}, [][2]string{
		{"out_tag <= core_out_tag;", "out_tag <= late_tag; late_tag <= core_out_tag;"},
		{"out_tag <= core_out_tag;", "out_tag <= sample_tag;"},
		{"out_tag <= core_out_tag;", "out_tag <= {core_out_tag[0], core_out_tag[1]};"},
		{".in_tag(sample_tag)", ".in_tag(in_tag)"},
		{"if (in_valid & in_ready) sample_tag", "if (in_valid) sample_tag"},
		{"if (in_valid & in_ready) sample_tag", "if (in_valid & in_ready & ~in_last) sample_tag"},
		{".out_tag(m_axis_tuser)", ".out_tag(unused_tag)"},
	})
}

// TestUncertainMutants breaks the path of the bit that says whether the class is uncertain. No mutant may be proved.
func TestUncertainMutants(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	breakWrapper(t, form{kind: "axis", features: 2, bitsIn: 4, classes: 3, scope: netlist.Full, beat: 1, margin: 2}, [][2]string{
		{"uncertain <= core_uncertain;", "uncertain <= core_class_index[0];"},
		{"uncertain[0:0],\n    class_index[1:0]", "class_index[1:0],\n    uncertain[0:0]"},
	})
}

// breakWrapper makes changes, one at a time, in the Verilog of a wrapper. No changed wrapper may be proved.
func breakWrapper(t *testing.T, f form, changes [][2]string) {
	t.Helper()
	write := func(t *testing.T, dir string) (string, prover) {
		w := f.write(t, dir)
		return w.File, w.Prove
	}
	path, _ := write(t, t.TempDir())
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []mutant
	for _, c := range changes {
		broken := strings.Replace(string(text), c[0], c[1], 1)
		if broken == string(text) {
			t.Fatalf("the wrapper has no %q", c[0])
		}
		switch { // declare the names that the change adds
		case strings.Contains(c[1], "late_tag"):
			broken = strings.Replace(broken, "  reg [1:0] sample_tag;\n", "  reg [1:0] sample_tag, late_tag;\n", 1)
		case strings.Contains(c[1], "unused_tag"):
			broken = strings.Replace(broken, ");\n", ");\n  wire [1:0] unused_tag;\n  assign m_axis_tuser = s_axis_tuser;\n", 1)
		}
		list = append(list, mutant{broken, c[1]})
	}
	for _, what := range survivors(t, list, write) {
		t.Errorf("proved: %s", what)
	}
}
