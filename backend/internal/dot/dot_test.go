package dot

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/netlist"
)

var update = flag.Bool("update", false, "accept what is written as the golden files")

// tiny returns a netlist with an input port and an output port, words of several bits, a cell with two pins on one
// driver, constants, and a cell with an origin.
func tiny() *netlist.Netlist {
	b := netlist.NewBuilder("tiny")
	x := b.Input("x", 8, 4, []string{"length", "width"})
	long := b.Cell(netlist.Compare, 7, netlist.Origin{}, x[:4]...)
	wide := b.Cell(netlist.Compare, 3, netlist.Origin{}, x[4:]...)
	and := b.Function(0b0010, netlist.Origin{Layer: 1, Chain: 0}, long, wide)
	constant := b.Function(0b1000, netlist.Origin{Layer: 1, Chain: 1}, netlist.True, wide)
	same := b.Function(0x96, netlist.Origin{}, and, and, constant)
	count := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, and, same, constant, and), 3)
	b.Output("count", 3, nil, count)
	b.Output("node", 1, nil, []netlist.Net{count[2], netlist.False, and})
	b.Classes([]uint16{0, 1})
	return b.Netlist()
}

func TestGolden(t *testing.T) {
	var got bytes.Buffer
	if err := Write(&got, tiny()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "tiny.dot")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got), go test -update accepts it:\n%s", path, diff)
	}
}

// TestFunctions compares each expression with the table that it describes.
func TestFunctions(t *testing.T) {
	for table, text := range functions[2] {
		for at := range 4 {
			a, b := at&1 == 1, at>>1 == 1
			if got := value(text, a, b); got != (table>>at&1 == 1) {
				t.Errorf("table %#b: %s is %v for A = %v, B = %v", table, text, got, a, b)
			}
		}
	}
}

// value evaluates an expression from the list of functions.
func value(text string, a, b bool) bool {
	if inner, ok := strings.CutPrefix(text, "~("); ok {
		return !value(strings.TrimSuffix(inner, ")"), a, b)
	}
	fields := strings.Fields(text)
	if len(fields) == 3 {
		x, y := value(fields[0], a, b), value(fields[2], a, b)
		return map[string]bool{"&": x && y, "|": x || y, "^": x != y}[fields[1]]
	}
	return map[string]bool{"0": false, "1": true, "A": a, "B": b, "~A": !a, "~B": !b}[text]
}

// TestGraphviz has Graphviz read netlists of every scope.
func TestGraphviz(t *testing.T) {
	program, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("dot is not installed: apt-get install graphviz")
	}
	for _, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		n, err := freeze.Network(netgen.Frozen(1, netgen.FrozenOptions{Depth: 2}), scope)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := Write(&text, n); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program, "-Tcanon")
		cmd.Stdin = &text
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("in_x -> c")) {
			t.Errorf("scope %v: dot: %v\n%s", scope, err, out)
		}
	}
}

func TestTooLarge(t *testing.T) {
	chain := func(cells, inputs int) *netlist.Netlist {
		b := netlist.NewBuilder("net")
		x := b.Input("x", inputs, 1, nil)
		for range cells {
			b.Cell(netlist.Popcount, 0, netlist.Origin{}, x...)
		}
		b.Output("y", 1, nil, x[:1])
		return b.Netlist()
	}
	tests := []struct {
		name string
		n    *netlist.Netlist
		want string
	}{
		{"largest", chain(MaxNodes-2, 9), ""},
		{"nodes", chain(MaxNodes-1, 1), "dot: net has 2001 cells and ports, at most 2000 can be drawn, optimise it"},
		{"pins", chain(20, 1000), "dot: net has 20001 pins, at most 20000 can be drawn, optimise it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			err := Write(&out, tt.n)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
			if out.Len() > 0 {
				t.Errorf("%d bytes were written before the refusal", out.Len())
			}
		})
	}
}

func ExampleWrite() {
	b := netlist.NewBuilder("and2")
	x := b.Input("x", 2, 1, nil)
	and := b.Function(netlist.Table(1, 2), netlist.Origin{Layer: 1}, x...)
	b.Output("h", 1, nil, []netlist.Net{and})

	var text bytes.Buffer
	if err := Write(&text, b.Netlist()); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(text.String()) {
		if strings.Contains(line, "->") || strings.Contains(line, "c0 [") {
			fmt.Print(line)
		}
	}
	// Output:
	//   c0 [label="A & B\nk0_l1"];
	//   c0 -> out_h;
	//   in_x -> c0 [
}
