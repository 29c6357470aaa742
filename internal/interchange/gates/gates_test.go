package gates

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn/internal/aiger"
	"ialgn/internal/blif"
	"ialgn/internal/freeze"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/graph/graphtest"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// source returns a text as a source for a reader. Each output has its own class, so the scores are the outputs.
func source(text string, outputs int) *given.Source {
	tau := 1.0
	return &given.Source{
		Name: "file", File: strings.NewReader(text), Size: int64(len(text)),
		Facts: &given.Facts{Sum: given.GroupSum{K: &outputs, Tau: &tau}},
	}
}

// aag writes a file in ASCII AIGER with the gates in random order.
func aag(r *rand.Rand, f *aiger.File) string {
	b := &strings.Builder{}
	variables := len(f.Inputs) + len(f.Gates)
	fmt.Fprintf(b, "aag %d %d 0 %d %d\n", variables, len(f.Inputs), len(f.Outputs), len(f.Gates))
	for i := range f.Inputs {
		fmt.Fprintln(b, 2*(i+1))
	}
	for _, o := range f.Outputs {
		fmt.Fprintln(b, o.Literal)
	}
	for _, i := range r.Perm(len(f.Gates)) {
		fmt.Fprintln(b, 2*(len(f.Inputs)+1+i), f.Gates[i][0], f.Gates[i][1])
	}
	return b.String() + "i0 x\nc\nmade by a test\n"
}

// TestWhatCompileWrites writes random netlists, and the gates of a network, as compile does. It reads the files with
// this package, and compares the outputs with the outputs that package aiger computes for the AIGER file.
func TestWhatCompileWrites(t *testing.T) {
	network, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{Width: 60, Classes: 5}), netlist.Gates)
	if err != nil {
		t.Fatal(err)
	}
	netlists := []*netlist.Netlist{network}
	for seed := range uint64(20) {
		netlists = append(netlists, netgen.Netlist(seed, netgen.NetlistOptions{Kinds: aiger.Kinds}))
	}
	for i, n := range netlists {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		var binary, text bytes.Buffer
		if err := aiger.Write(&binary, n); err != nil {
			t.Fatal(err)
		}
		if err := blif.Write(&text, n, blif.Options{}); err != nil {
			t.Fatal(err)
		}
		ref, err := aiger.Read(bytes.NewReader(binary.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for form, read := range map[string]func() (*graph.Network, error){
			"blif": func() (*graph.Network, error) { return ReadBLIF(source(text.String(), len(ref.Outputs))) },
			"aig":  func() (*graph.Network, error) { return ReadAIGER(source(binary.String(), len(ref.Outputs))) },
			"aag":  func() (*graph.Network, error) { return ReadAIGER(source(aag(r, ref), len(ref.Outputs))) },
		} {
			t.Run(fmt.Sprint(i, form), func(t *testing.T) {
				g, err := read()
				if err != nil {
					t.Fatal(err)
				}
				same(t, r, g, ref)
			})
		}
	}
}

// same compares the outputs of a network with the outputs of an AIGER file, for 64 random samples.
func same(t *testing.T, r *rand.Rand, g *graph.Network, ref *aiger.File) {
	t.Helper()
	in := make([]uint64, len(ref.Inputs))
	for i := range in {
		in[i] = r.Uint64()
	}
	out := aiger.Eval(ref, in)
	for s := range 64 {
		sample := make([]float64, len(in))
		for i := range in {
			sample[i] = float64(in[i] >> s & 1)
		}
		for o, v := range graphtest.Scores(g, sample) {
			if v != float32(out[o]>>s&1) {
				t.Fatalf("sample %d, output %d is %v", s, o, v)
			}
		}
	}
}

// TestCovers compares narrow and wide covers with the function that they describe.
func TestCovers(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		n, value := r.IntN(20), r.IntN(2)
		var cubes []string
		for range r.IntN(6) {
			cube := make([]byte, n)
			for i := range cube {
				cube[i] = "01---"[r.IntN(5)]
			}
			cubes = append(cubes, string(cube))
		}
		b := &strings.Builder{}
		// The cover comes before the nets that it reads. These nets are buffers of the inputs.
		fmt.Fprintf(b, ".model m\n.outputs y\n.inputs z")
		for i := range n {
			fmt.Fprintf(b, " \\\n i%d", i)
		}
		fmt.Fprintf(b, "\n.names")
		for i := range n {
			fmt.Fprintf(b, " w%d", i)
		}
		fmt.Fprintf(b, " y # a comment\n")
		for _, cube := range cubes {
			fmt.Fprintf(b, "%s %d\n", cube, value)
		}
		for i := range n {
			fmt.Fprintf(b, ".names i%d w%d\n1 1\n", i, i)
		}
		fmt.Fprintf(b, ".end\n")
		g, err := ReadBLIF(source(b.String(), 1))
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		for range 200 {
			sample := make([]float64, n+1)
			for i := range sample {
				sample[i] = float64(r.IntN(2))
			}
			covered := false
			for _, cube := range cubes {
				hit := true
				for i, v := range []byte(cube) {
					hit = hit && (v == '-' || float64(v-'0') == sample[1+i])
				}
				covered = covered || hit
			}
			want := covered == (value == 1) && (len(cubes) > 0)
			if got := graphtest.Scores(g, sample)[0] == 1; got != want {
				t.Fatalf("%v, want %v of %v\n%s", got, want, sample, b)
			}
		}
	}
}

func TestSum(t *testing.T) {
	const text = ".model m\n.inputs a b\n.outputs a b one n\n.names one\n1\n.names a n\n0 1\n.end\n"
	src := source(text, 2)
	beta, tau := 0.5, 2.0
	src.Facts.Sum.Tau, src.Facts.Sum.Beta = &tau, &beta
	g, err := ReadBLIF(src)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(graphtest.Scores(g, []float64{1, 1}), graphtest.Scores(g, []float64{0, 1})); got != "[1.25 0.75] [0.75 1.25]" {
		t.Error(got, g.Sum)
	}
	for _, what := range []string{"group_sum.k", "group_sum.tau"} {
		src := source(text, 2)
		if src.Facts.Sum.Tau = nil; what == "group_sum.k" {
			src.Facts.Sum.K = nil
		}
		var m *given.Missing
		if _, err := ReadBLIF(src); !errors.As(err, &m) || m.What != what || m.Why != whyNoSum {
			t.Error(err)
		}
	}
	if _, err := ReadBLIF(source(text, 3)); err == nil || !strings.Contains(err.Error(), "not a multiple") {
		t.Error(err)
	}
}

// TestUndriven reads a circuit with an undriven net that only dead logic reads. Yosys and abc leave such nets in
// their files.
func TestUndriven(t *testing.T) {
	n, err := ReadBLIF(source(".model m\n.inputs a b\n.outputs y\n.names a gone dead\n11 1\n.names dead deader\n0 1\n"+
		".names a b y\n11 1\n.end\n", 1))
	if err != nil {
		t.Fatal(err)
	}
	for line := range 4 {
		a, b := float64(line>>1), float64(line&1)
		if got := graphtest.Scores(n, []float64{a, b})[0]; float64(got) != a*b {
			t.Errorf("%v and %v: %v", a, b, got)
		}
	}
	_, err = ReadBLIF(source(".model m\n.inputs a b\n.outputs y\n.names a gone half\n11 1\n.names half b y\n11 1\n.end\n", 1))
	if err == nil || !strings.Contains(err.Error(), `line 4: "gone" is read here, but nothing drives it`) {
		t.Errorf("error %v", err)
	}
}

func TestBLIFErrors(t *testing.T) {
	const head = ".model m\n.inputs a b\n.outputs y\n"
	for name, test := range map[string]struct{ text, want string }{
		"empty":      {"", "the file has no model"},
		"latch":      {head + ".latch a y re clk 0\n", "line 4: .latch, where a combinational circuit is wanted"},
		"subckt":     {head + ".subckt and A=a Y=y\n", `line 4: .subckt: an instance of "and"`},
		"gate":       {head + ".gate and A=a Y=y\n", "line 4: .gate: a cell of a library"},
		"other":      {head + ".wires\n", "line 4: .wires is not read"},
		"states":     {head + ".start_kiss\n", "line 4: .start_kiss: a table of states"},
		"search":     {head + ".search x.blif\n", "line 4: .search: another file"},
		"behind":     {head + ".names a y\n1 1\n.end\n.names b y\n1 1\n", "line 7: .names behind .end"},
		"connection": {head + ".conn a\n", "line 4: .conn: 1 names, want two"},
		"conn twice": {head + ".conn a y\n.conn b y\n", `line 5: "y" is driven twice`},
		"conn cube":  {head + ".conn a y\n1 1\n", `line 5: "1" is not part of a .names`},
		"undriven":   {head + ".names a \\\n b \\\n\t c y\n1-1 1\n", `line 4: "c" is read here, but nothing drives it`},
		"output":     {head, `line 3: "y" is read here, but nothing drives it`},
		"twice":      {head + ".names y\n1\n.names a y\n1 1\n", `line 6: "y" is driven twice`},
		"input":      {head + ".names a\n1\n", `line 4: "a" is driven twice`},
		"cycle":      {head + ".names a z y\n11 1\n.names y z\n1 1\n", "depends on itself"},
		"itself":     {head + ".names y y\n1 1\n", `line 4: "y" depends on itself`},
		"width":      {head + ".names a b y\n111 1\n", "line 5: a line of 2 words in a cover of 2 inputs"},
		"no pins":    {head + ".names a b y\n1\n", "line 5: a line of 1 words in a cover of 2 inputs"},
		"words":      {head + ".names a b y\n1 1 1\n", "line 5: a line of 3 words in a cover of 2 inputs"},
		"character":  {head + ".names a b y\n1x 1\n", `line 5: 'x' where 0, 1 or - is expected`},
		"value":      {head + ".names a b y\n11 2\n", `line 5: "2" where the output is to be 0 or 1`},
		"both":       {head + ".names a b y\n11 1\n00 0\n", "line 6: a cover of both values"},
		"loose":      {head + "11 1\n", `line 4: "11" is not part of a .names`},
		"after":      {head + ".names y\n.attr x 1\n1\n", `line 6: "1" is not part of a .names`},
		"nameless":   {head + ".names\n", "line 4: .names without an output"},
		"no inputs":  {".model m\n.outputs y\n.names y\n", "0 inputs and 1 outputs are no classifier"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadBLIF(source(test.text, 1)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func TestAIGERErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"empty":         {"", "line 1: the file ends here"},
		"other":         {"hello\n", `line 1: header "hello"`},
		"latch":         {"aag 2 1 1 1 0\n", "line 1: 1 latch,"},
		"constraints":   {"aag 1 1 0 1 0 0 1\n", "line 1: properties and constraints"},
		"negative":      {"aag 1 -1 0 1 0\n", `"-1" is no number`},
		"many":          {"aag 100000000 100000000 0 1 0\n", "100000000 inputs, more than"},
		"many gates":    {"aig 300000001 1 0 1 300000000\n", "300000000 gates, more than"},
		"sum":           {"aig 4 1 0 1 2\n", "4 variables of 1 inputs and 2 gates"},
		"cut":           {"aig 100001 1 0 1 100000\n2\n", "line 2: gate 0 of 100000: the file ends here"},
		"above":         {"aig 2 1 0 1 1\n4\n\x00\x00", "gate 0 of 1: operand 0 is not below the gate"},
		"below":         {"aig 2 1 0 1 1\n4\n\x05\x00", "gate 0 of 1: operand 0 is not below the gate"},
		"long delta":    {"aig 2 1 0 1 1\n4\n\xff\xff\xff\xff\xff\xff", "more than 31 bits"},
		"literal":       {"aag 1 1 0 1 0\n2\n4\n", `line 3: "4" is no literal of 1 variables`},
		"odd input":     {"aag 1 1 0 1 0\n3\n2\n", "line 2: input 0 is literal 3"},
		"twice":         {"aag 2 2 0 1 0\n2\n2\n2\n", "line 3: input 1 is literal 2"},
		"undriven":      {"aag 3 1 0 2 0\n2\n2\n4\n", "line 4: output 1 is literal 4, which nothing drives"},
		"undriven gate": {"aag 3 1 0 1 1\n2\n6\n6 2 4\n", "line 4: gate 0 reads literal 4, which nothing drives"},
		"cycle":         {"aag 3 1 0 1 2\n2\n6\n6 2 4\n4 6 2\n", "depends on itself"},
		"gate twice":    {"aag 3 1 0 1 2\n2\n6\n6 2 2\n6 2 2\n", "line 5: gate 1 is literal 6"},
		"gate input":    {"aag 3 1 0 1 1\n2\n6\n2 2 2\n", "line 4: gate 0 is literal 2"},
		"words":         {"aag 1 1 0 1 0\n2 4\n2\n", `line 2: "2 4": want 1 literal`},
		"long line":     {"aag 1 1 0 1 0\n" + strings.Repeat("2", 300), "line 2: a line of more than 256 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadAIGER(source(test.text, 1)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// seeds adds the files of the tests as seeds for fuzzing.
func seeds(f *testing.F) {
	n := netgen.Netlist(3, netgen.NetlistOptions{Kinds: aiger.Kinds, Cells: 12})
	for _, write := range []func(w io.Writer) error{
		func(w io.Writer) error { return aiger.Write(w, n) },
		func(w io.Writer) error { return blif.Write(w, n, blif.Options{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("aag 3 1 0 1 2\n2\n6\n6 5 2\n4 2 2\n"))
	f.Add([]byte(".model m\n.inputs a b c d e f g\n.outputs y\n.names a b c d e f g y\n1--1-01 0\n.end\n"))
}

func FuzzBLIF(f *testing.F) { fuzz(f, ReadBLIF) }

func FuzzAIGER(f *testing.F) { fuzz(f, ReadAIGER) }

// fuzz evaluates every network that can be read.
func fuzz(f *testing.F, read func(src *given.Source) (*graph.Network, error)) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		if g, err := read(source(string(text), 1)); err == nil {
			if g.Input.Bits() < 1<<16 {
				graphtest.Scores(g, make([]float64, g.Input.Bits()))
			}
			if nodes, most := g.Circuit.Nodes(), 8*len(text)+8; nodes > most {
				t.Errorf("%d nodes from a file of %d bytes", nodes, len(text))
			}
		}
	})
}
