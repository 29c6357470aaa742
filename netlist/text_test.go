package netlist_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

func text(t testing.TB, n *netlist.Netlist) string {
	t.Helper()
	var s strings.Builder
	if err := netlist.WriteText(&s, n); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func parse(t testing.TB, s string) *netlist.Netlist {
	t.Helper()
	n, err := netlist.ParseText("test", strings.NewReader(s))
	if err != nil {
		t.Fatalf("%v\n%s", err, s)
	}
	return n
}

// TestTextRoundTrip writes netlists with cells of all kinds, and frozen networks in every scope. It reads each text
// back, once as a whole and once byte by byte.
func TestTextRoundTrip(t *testing.T) {
	cases := map[string]*netlist.Netlist{"empty": netlist.NewBuilder("empty").Netlist()}
	for seed := range uint64(60) {
		o := netgen.NetlistOptions{Registers: seed%2 == 1, Cells: 1 + 2*int(seed), Margins: seed%4 < 2, Ties: seed%3 == 0}
		cases[fmt.Sprintf("seed %d", seed)] = netgen.Netlist(seed, o)
	}
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{}), scope)
		if err != nil {
			t.Fatal(err)
		}
		cases[scope.String()] = n
	}
	for _, form := range netgen.Forms() {
		if form.Name == "conv" {
			n, err := freeze.Network(form.Model().Freeze(), netlist.Full)
			if err != nil || len(n.Positions()) != 6 {
				t.Fatalf("positions %+v of a convolution, error %v", n.Positions(), err)
			}
			cases[form.Name] = n
		}
	}
	for name, want := range cases {
		s := text(t, want)
		got := parse(t, s)
		if !got.Equal(want) {
			t.Fatalf("%s: netlists differ, text (-written +read and written again):\n%s", name, cmp.Diff(s, text(t, got)))
		}
		slow, err := netlist.ParseText("test", iotest.OneByteReader(strings.NewReader(s)))
		if err != nil || !slow.Equal(want) {
			t.Fatalf("%s: byte by byte: differs, or error %v", name, err)
		}
	}
}

// TestTextDocumented reads the example in docs/reference/netlist.md. It compares the netlist with the result of
// freezing the network that the document describes.
func TestTextDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/reference/netlist.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "```\n")
	example, _, _ := strings.Cut(rest, "```\n")
	n, err := freeze.Network(netgen.Demo(), netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text(t, n), text(t, parse(t, example))); diff != "" {
		t.Errorf("text (-frozen +documented):\n%s", diff)
	}
}

// TestTextErrors checks every error that the text form can cause, with its position.
func TestTextErrors(t *testing.T) {
	const head = "ialgn netlist 1\nname n\n"
	const x = head + "input x word 1\n  2 3\ncells\n"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "f:1:1: the end of the text, want the word ialgn"},
		{"another format", "module n;", `f:1:1: "module", want the word ialgn`},
		{"version", "ialgn netlist 2\n", "f:1:15: version 2 of the text form, this program reads version 1"},
		{"name is a keyword", "ialgn netlist 1\nname wire\n", `f:2:6: the netlist's name: "wire" is a reserved word`},
		{"name is a number", "ialgn netlist 1\nname 7\n", "f:2:6: 7, want the netlist's name"},
		{"two things in a line", "ialgn netlist 1 name n", `f:1:17: "name", want the end of the line`},
		{"unknown section", head + "wires\n", `f:3:1: unknown section "wires", want one of primitive, classes`},
		{"order", head + "cells\ninput x word 1\n2\n", "f:4:1: section input after cells"},
		{"twice", head + "cells\ncells\n", "f:4:1: a second section cells"},
		{"cut off", x + "  4 = function(0x8) 2 3\n", "f:7:1: the end of the text, want one of the words"},
		{"after the end", head + "end\nend\n", `f:4:1: "end" after the end`},
		{"input number", head + "input x word 1\n  2 4\n", "f:4:5: the input bit's net is 4, want 3"},
		{
			"input claim", head + "input x word 4000000000\n  2\n",
			"f:3:7: port x: its 1 bits are not whole words of 4000000000",
		},
		{"word claim", head + "input x word 5000000000\n", "f:3:14: the word's width is 5000000000, want at most"},
		{"word 0", head + "input x word 0\n \"a\" \"b\" 2\n", "f:3:7: port x: its 1 bits are not whole words of 0"},
		{"no bits", head + "input x word 1\n", "f:3:7: port x: it has no bits"},
		{"label missing", head + "input x word 1\n 2 \"a\" 3\n", "f:4:4: label 1 after 1 nets"},
		{"label without a word", head + "input x word 1\n \"a\" 2 \"b\"\n", "f:3:7: port x: 2 labels for 1 words"},
		{"same name", x + "output x word 1\n 2\n", "f:6:8: another port or probe has the name x"},
		{"label in a probe", x + "probe p\n \"a\" 2\n", "f:7:2: a label in a probe"},
		{"open string", head + "input x word 1\n \"a\n 2\n", "f:4:2: a string without its closing quote"},
		{"escape", head + "input x word 1\n \"\\q\" 2\n", "f:4:2: a string with an unknown escape"},
		{"character", head + "input x; word 1\n", "f:3:8: the character ';' has no meaning"},
		{"class too large", head + "classes 1\n", "f:3:9: 1, want the end of the line"},
		{"no rows", head + "positions\n 1 65536 3\n", "f:4:4: rows of positions is 65536, want at most 65535"},
		{"no columns", head + "positions\n 1 2\n", "f:4:5: "},
		{"positions before classes", head + "positions\n 1 2 3\nclasses\n 0\n", "f:5:1: section classes after positions, the order is primitive, classes, offsets, ties, positions, input, cells, output, probe, end"},
		{"class", head + "classes\n 65536\n", "f:4:2: a class is 65536, want at most 65535"},
		{"cell number", x + "5 = carry 2 2 3\n", "f:6:1: the cell's first net is 5, want 4"},
		{"last net", x + "4-6 = popcount 2 3\n", "f:6:3: the cell's last net is 6, but a popcount of 2 inputs drives 4 to 5"},
		{"kind", x + "4 = and 2 3\n", `f:6:5: unknown kind "and", want one of function, compare`},
		{"no parameter", x + "4 = function 2 3\n", "f:6:14: 2, want ( and the cell's parameter"},
		{"parameter too many", x + "4 = carry(3) 2 2 3\n", `f:6:10: "(", want the end of the line`},
		{"number", x + "4 = function(0x1g) 2 3\n", `f:6:14: "0x1g" is no number`},
		{"number too large", x + "4 = function(0x10000000000000000) 2 3\n", `f:6:14: "0x10000000000000000" is no number`},
		{"decimal too large", x + "4 = compare(18446744073709551616) 2 3\n", `f:6:13: "18446744073709551616" is no number`},
		{"table", x + "4 = function(0x10) 2 3\n", "f:6:1: cell 0 (function, net 4): table 0x10 has bits beyond"},
		{"threshold", x + "4 = compare(4) 2 3\n", "f:6:1: cell 0 (compare, net 4): threshold 4 does not fit"},
		{"not yet driven", x + "4 = function(0x8) 2 4\n", "f:6:21: the cell reads net 4, which is not driven before net 4"},
		{
			"argmax claim", x + "4 = argmax(999999999) 2 3\n",
			"f:6:1: cell 0 (argmax, net 4): 2 inputs are not one or more words",
		},
		{"margin", x + "4 = argmax(1 margin 0) 2 3\n", "f:6:21: a margin of 0, want at least 1, or no margin"},
		{"large margin", x + "4 = argmax(1 margin 2) 2 3\n", "f:6:1: cell 0 (argmax, net 4): margin 2 does not fit"},
		{"margin's word", x + "4 = argmax(1 lead 1) 2 3\n", `f:6:14: "lead", want the word margin`},
		{"origin", x + "4 = function(0x8) 2 3 @65536.0\n", "f:6:24: the layer is 65536, want at most 65535"},
		{"origin without chain", x + "4 = function(0x8) 2 3 @1\n", "f:6:25: the end of the line, want . and the chain"},
		{"output not driven", x + "output y word 1\n 4\n", "f:7:2: net 4 has no driver, the netlist has 4 nets"},
		{
			"no such primitive", x + "4 = primitive(0) 2\n",
			"f:6:1: cell 0 (primitive, net 4): it is of primitive 0, but 0 are declared",
		},
		{"primitive table", head + "primitive O = LUT1(0x4) A\n", "f:3:11: primitive LUT1: table 0x4 has bits beyond"},
		{"primitive pins", head + "primitive O = LUT2(0x4) A A\n", `f:3:11: primitive LUT2: two pins have the name "A"`},
		{
			"stages", x + "4 = register 2\n5 = function(0x8) 4 3\nend\n",
			`f: netlist "n": cell 1 (function, net 5): input 1 is in pipeline stage 0 and an earlier input in stage 1`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, err := netlist.ParseText("f", strings.NewReader(tt.text))
			if n != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("netlist %v, error\n%v, want\n%s...", n != nil, err, tt.want)
			}
		})
	}
}

// TestTextFailingStreams checks that errors of the underlying reader and writer are returned.
func TestTextFailingStreams(t *testing.T) {
	s := text(t, netgen.Netlist(1, netgen.NetlistOptions{}))
	broken := io.MultiReader(strings.NewReader(s[:len(s)/2]), iotest.ErrReader(io.ErrUnexpectedEOF))
	if _, err := netlist.ParseText("f", broken); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken reader: error %v", err)
	}
	if err := netlist.WriteText(limited{}, netgen.Netlist(1, netgen.NetlistOptions{})); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("full disk: error %v", err)
	}
}

// limited is a writer that always fails.
type limited struct{}

func (limited) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// FuzzParseText checks that any text is either refused with an error or gives a valid netlist. Writing this netlist
// and reading the text back must give an equal netlist.
func FuzzParseText(f *testing.F) {
	for seed := range uint64(6) {
		f.Add([]byte(text(f, netgen.Netlist(seed, netgen.NetlistOptions{Cells: 12, Registers: seed > 2}))))
	}
	f.Add([]byte("ialgn netlist 1\nname n\ninput x word 9999999\n \"\\u00b5\" 2 # c\ncells\n3-99999999=popcount 2\nend"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := netlist.ParseText("fuzz", bytes.NewReader(data))
		if err != nil {
			if n != nil || !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Fatalf("error %v with netlist %v", err, n != nil)
			}
			return
		}
		if err := n.Validate(); err != nil {
			t.Fatalf("accepted a text that is not valid: %v", err)
		}
		if again := parse(t, text(t, n)); !again.Equal(n) {
			t.Fatalf("text (-first +second):\n%s", cmp.Diff(text(t, n), text(t, again)))
		}
	})
}
