package wrapper

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/inputs"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// hosted returns a netlist whose features have the given number of bits. Its outputs are a class and, if countBits
// is positive, counts.
func hosted(t *testing.T, features, bits, classes, countBits int) *netlist.Netlist {
	t.Helper()
	return hostedWith(t, features, bits, classes, countBits, false)
}

// hostedWith is like hosted, and may add the output uncertain.
func hostedWith(t *testing.T, features, bits, classes, countBits int, uncertain bool) *netlist.Netlist {
	t.Helper()
	b := netlist.NewBuilder("m")
	x := b.Input("x", features*bits, bits, nil)
	zeros := func(n int) []netlist.Net { return slices.Repeat(x[:1], n) }
	b.Output("class_index", netlist.ClassBits(classes), nil, zeros(netlist.ClassBits(classes)))
	if uncertain {
		b.Output(netlist.UncertainPort, 1, nil, zeros(1))
	}
	if countBits > 0 {
		b.Output(netlist.CountsPort, countBits, nil, zeros(classes*countBits))
	}
	n := b.Netlist()
	if err := n.Validate(); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestProtocol(t *testing.T) {
	tests := []struct {
		name string
		kind string
		n    *netlist.Netlist
		o    Options
		want *Protocol
	}{
		{"serial line", "uart", hosted(t, 64, 5, 10, 0), Options{}, &Protocol{
			Kind: "uart", SampleBytes: 64, WordBits: 8, ResultBytes: 1, Class: Digits{0, 4, 8, 1}, Baud: 115_200,
			IdleBits: UARTIdle, Ahead: mostAhead,
		}},
		{"results as long as samples", "uart", hosted(t, 3, 8, 2, 4), Options{Baud: 57_600}, &Protocol{
			Kind: "uart", SampleBytes: 3, WordBits: 8, ResultBytes: 3, Class: Digits{0, 1, 8, 1}, Counts: Digits{8, 4, 8, 2},
			Baud: 57_600, IdleBits: UARTIdle, Ahead: 1,
		}},
		{
			"an engine that is slower than the line", "uart", hosted(t, 64, 5, 10, 0),
			Options{Engine: &Engine{Module: "e", Cycles: 1_000_000}},
			&Protocol{
				Kind: "uart", SampleBytes: 64, WordBits: 8, ResultBytes: 1, Class: Digits{0, 4, 8, 1}, Baud: 115_200,
				IdleBits: UARTIdle, Ahead: 1,
			},
		},
		{"bits", "spi", hosted(t, 12, 1, 300, 1), Options{}, &Protocol{
			Kind: "spi", SampleBytes: 2, WordBits: 1, ResultBytes: 2 + 38, Class: Digits{0, 9, 16, 1},
			Counts: Digits{16, 1, 1, 300}, Ahead: 1,
		}},
		{"wide words", "axis", hosted(t, 3, 12, 4, 9), Options{}, &Protocol{
			Kind: "axis", SampleBytes: 6, WordBits: 16, ResultBytes: 1 + 8, Class: Digits{0, 2, 8, 1},
			Counts: Digits{8, 9, 16, 4}, Beat: AXISBytes, Ahead: 1,
		}},
		{"uncertain", "axis", hostedWith(t, 3, 8, 10, 5, true), Options{}, &Protocol{
			Kind: "axis", SampleBytes: 3, WordBits: 8, ResultBytes: 1 + 10, Class: Digits{0, 4, 8, 1},
			Uncertain: Digits{4, 1, 8, 1}, Counts: Digits{8, 5, 8, 10}, Beat: AXISBytes, Ahead: 1,
		}},
		{"uncertain above a byte", "spi", hostedWith(t, 3, 8, 256, 0, true), Options{}, &Protocol{
			Kind: "spi", SampleBytes: 3, WordBits: 8, ResultBytes: 2, Class: Digits{0, 8, 8, 1},
			Uncertain: Digits{8, 1, 8, 1}, Ahead: 1,
		}},
		{"pins", "byte", hosted(t, 64, 5, 10, 5), Options{}, &Protocol{
			Kind: "byte", SampleBytes: 64, WordBits: 8, ResultBytes: 11, Class: Digits{0, 4, 8, 1},
			Counts: Digits{8, 5, 8, 10}, Ahead: 1,
		}},
		{"no bytes", "stream", hosted(t, 3, 8, 4, 0), Options{}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := NewProtocol(test.kind, test.n, test.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("protocol (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHosts checks that each kind of wrapper that transfers bytes has a host program for the other end, and that the
// program is written completely.
func TestHosts(t *testing.T) {
	scaled, cut := hostedTable(), hostedTable()
	cut.ByCuts, cut.Max = true, 5
	for i := range cut.Features {
		cut.Features[i].Cuts = []float64{-1, 0, 0.1, 0.1, 9}
	}
	for _, table := range []*inputs.Table{scaled, cut} {
		testHosts(t, table)
	}
}

// hostedTable has names that could end a comment or a string.
func hostedTable() *inputs.Table {
	return &inputs.Table{
		Module: "m", File: "m.json", Scope: "core", Classes: []string{"a", "b*/"}, Label: "la\"bel", Bits: 8, Max: 255,
		Scaled: true, DecimalComma: true, Missing: inputs.Missing{Declared: []string{"-999", `k"A\`}},
		Thresholds: [][]uint16{{1, 2}, {3, 4}},
		Features:   []inputs.Feature{{Name: "w*/idth", Offset: 1, Scale: 2}, {Name: "s=x", Scale: 255, Category: true, Missing: true}},
		Columns: []inputs.Column{
			{Name: "width", Kind: inputs.Number},
			{Name: "s", Kind: inputs.Category, Feature: 1, Values: []string{"x"}, Missing: true},
		},
	}
}

func testHosts(t *testing.T, table *inputs.Table) {
	for _, name := range Kinds() {
		k, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if (k.Host != nil) != k.Bytes {
			t.Errorf("wrapper %s: bytes: %t, a host: %t", name, k.Bytes, k.Host != nil)
		}
		if k.Host == nil {
			continue
		}
		p, err := NewProtocol(name, hosted(t, 4, 1, 2, 0), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		for _, b := range []*bytes.Buffer{&first, &second} {
			h := Hosted{Inputs: table, Protocol: p, File: "m" + k.Host.Suffix, Header: []string{"made by */ x\nimport y"}}
			if err := k.Host.Write(b, h); err != nil {
				t.Fatal(err)
			}
		}
		text := first.String()
		if text != second.String() {
			t.Errorf("wrapper %s: two hosts", name)
		}
		for _, wrong := range []string{"@", "\nimport y", "w*/idth */"} {
			if strings.Contains(text, wrong) {
				t.Errorf("wrapper %s: the host contains %q", name, wrong)
			}
		}
		for _, want := range []string{"m" + k.Host.Suffix, "made by"} {
			if !strings.Contains(text, want) {
				t.Errorf("wrapper %s: the host lacks %q", name, want)
			}
		}
		if strings.Contains(text, "cuts") != table.ByCuts || strings.Contains(text, "halves away") == table.ByCuts {
			t.Errorf("wrapper %s: words by cuts: %t, the host makes others:\n%s", name, table.ByCuts, text)
		}
		for _, word := range []string{`"-999"`, `"k\"A\\"`} { // these texts occur in C and in Python
			if !strings.Contains(text, word) {
				t.Errorf("wrapper %s: the host does not know the missing value %s", name, word)
			}
		}
		if !strings.Contains(k.Host.Live, "@TOP@") {
			t.Errorf("wrapper %s: no design in the simulation", name)
		}
	}
}

// TestHostOutputEncodings runs the Python hosts in environments whose encoding lacks characters of the class names.
// The hosts must write UTF-8, as predict does. There is no device. Instead, the answer to sample i is class i.
func TestHostOutputEncodings(t *testing.T) {
	table := hostedTable()
	table.Classes, table.Label, table.DecimalComma = []string{"gr\u00fcn", "\u9f8d, \U0001f600"}, "Zustand \u00e4", false
	table.Columns[0].Name = "gr\u00f6\u00dfe"
	want := "sample,class\n0,gr\u00fcn\n1,\"\u9f8d, \U0001f600\"\n"
	dir := t.TempDir()
	if out, err := testkit.TryOtherTool(t, dir, "python3", "--version"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	write(t, dir, "samples.csv", "gr\u00f6\u00dfe,s,Zustand \u00e4\n1,x,gr\u00fcn\n2,,\u00f6\n")
	for _, test := range [][2]string{
		{"uart", "PYTHONIOENCODING=ascii:strict"},
		{"uart", "PYTHONIOENCODING=cp1252"},
		{"uart", "PYTHONIOENCODING=utf-16"},
		{"uart", "LC_ALL=C"},
		{"spi", "PYTHONIOENCODING=ascii"},
		{"byte", "LC_ALL=C"},
	} {
		kind, encoding := test[0], test[1]
		t.Run(kind+"/"+encoding, func(t *testing.T) {
			writeHost(t, dir, kind, table)
			out, err := testkit.TryOtherTool(t, dir, "env", "PYTHONCOERCECLOCALE=0", "PYTHONUTF8=0", encoding,
				"python3", "-B", "-c", runHost, kind)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.HasPrefix(out, want) { // out has the standard output, followed by the standard error
				t.Errorf("output:\n%s\nwant:\n%s", out, want)
			}
		})
	}
}

// runHost is a script that runs a host without a device.
const runHost = `
import contextlib, importlib, sys
kind = sys.argv[1]
host = importlib.import_module(kind)
host.connect = lambda design, args: contextlib.nullcontext()
host.answers = lambda design, link, wanted: [bytes([i]) for i, _ in enumerate(wanted)]
sys.argv = [kind, "device", "samples.csv"] + (["--lines", "none"] if kind == "byte" else [])
sys.exit(host.main())
`

// writeHost writes the host program for an interface as KIND.py, and m.json in the same folder.
func writeHost(t *testing.T, dir, kind string, table *inputs.Table) {
	t.Helper()
	k, err := Find(kind)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewProtocol(kind, hosted(t, 4, 1, 2, 0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var program, about bytes.Buffer
	if err := k.Host.Write(&program, Hosted{Inputs: table, Protocol: p, File: kind + ".py"}); err != nil {
		t.Fatal(err)
	}
	if err := inputs.WriteJSON(&about, table, p); err != nil {
		t.Fatal(err)
	}
	write(t, dir, kind+".py", program.String())
	write(t, dir, table.File, about.String())
}
