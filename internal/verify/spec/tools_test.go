package spec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/aiger"
	"ialgn/internal/testkit"
)

// These are the answers of abc.
const (
	equivalent = "equivalent"
	different  = "different"
)

// fromVerilog returns the graphs of the given texts. Each text contains one module, named top. yosys reads all texts
// in one run. A module must have no state, and no x or z.
func fromVerilog(t *testing.T, texts ...string) (graphs []*aiger.File) {
	t.Helper()
	yosys, dir := testkit.FindTool(t, "yosys"), t.TempDir()
	var read, write strings.Builder
	for i, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.v", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&read, "read_verilog %d.v; rename top top%d; ", i, i)
		fmt.Fprintf(&write, "design -load all; hierarchy -top top%d; write_aiger -symbols %d.aig; ", i, i)
	}
	testkit.RunTool(t, yosys, dir, "-q", "-p", read.String()+"hierarchy -check; proc; check -assert; "+
		"select -assert-none t:$*dff* t:$*latch* t:$mem* t:$tribuf; techmap; aigmap; opt_clean; "+
		"select -assert-none t:* t:$_AND_ %d t:$_NOT_ %d; design -save all; "+write.String())
	for i := range texts {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%d.aig", i)))
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, parse(t, data))
	}
	return graphs
}

func parse(t *testing.T, data []byte) *aiger.File {
	t.Helper()
	f, err := aiger.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// graphOf returns the network's graph.
func graphOf(t *testing.T, n *Network, o Options) *aiger.File {
	t.Helper()
	return parse(t, write(t, n, o))
}

func write(t *testing.T, n *Network, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := n.WriteAIGER(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claim is the expected answer of abc about two graphs.
type claim struct {
	name string
	a, b *aiger.File
	want string
}

// hold asks abc about all claims in one run. Since abc compares by position, the inputs and outputs of the second
// graph of each claim are put into the order of the first graph.
func hold(t *testing.T, claims ...claim) {
	t.Helper()
	abc, dir := testkit.FindTool(t, "abc"), t.TempDir()
	store := func(name string, f *aiger.File) {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var script strings.Builder
	for i, c := range claims {
		b, err := aiger.Match(c.a, c.b)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		store(fmt.Sprintf("%da.aig", i), c.a)
		store(fmt.Sprintf("%db.aig", i), b)
		fmt.Fprintf(&script, "&r %da.aig\n&cec -T 60 %db.aig\n", i, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	said := testkit.RunTool(t, abc, dir, "-f", "script")
	var got []string
	for line := range strings.Lines(said) {
		switch {
		case strings.HasPrefix(line, "Networks are equivalent"):
			got = append(got, equivalent)
		case strings.HasPrefix(line, "Networks are NOT EQUIVALENT"):
			got = append(got, different)
		}
	}
	if len(got) != len(claims) {
		t.Fatalf("abc gave %d answers to %d questions:\n%s", len(got), len(claims), said)
	}
	for i, c := range claims {
		if got[i] != c.want {
			t.Errorf("%s: abc says %s, want %s", c.name, got[i], c.want)
		}
	}
}
