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

// The answers of abc.
const (
	equivalent = "equivalent"
	different  = "different"
)

// fromVerilog returns the graph of a module called top, as yosys reads it. Nothing that
// has a state and no x or z may be in it.
func fromVerilog(t *testing.T, text string) *aiger.File {
	t.Helper()
	yosys, dir := testkit.FindTool(t, "yosys"), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "top.v"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	testkit.RunTool(t, yosys, dir, "-q", "-p", "read_verilog top.v; hierarchy -check -top top; proc; check -assert; "+
		"select -assert-none t:$*dff* t:$*latch* t:$mem* t:$tribuf; techmap; aigmap; opt_clean; "+
		"select -assert-none t:* t:$_AND_ %d t:$_NOT_ %d; write_aiger -symbols top.aig")
	data, err := os.ReadFile(filepath.Join(dir, "top.aig"))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, data)
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

// answers asks abc about each of the graphs whether it is equivalent to ref. The graphs
// are brought into ref's order of inputs and outputs, since abc compares by position.
func answers(t *testing.T, ref *aiger.File, graphs ...*aiger.File) []string {
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
	store("ref.aig", ref)
	var script strings.Builder
	for i, f := range graphs {
		f, err := aiger.Match(ref, f)
		if err != nil {
			t.Fatal(err)
		}
		store(fmt.Sprintf("%d.aig", i), f)
		fmt.Fprintf(&script, "&r ref.aig; &cec -T 60 %d.aig; ", i)
	}
	said := testkit.RunTool(t, abc, dir, "-c", script.String())
	var list []string
	for line := range strings.Lines(said) {
		switch {
		case strings.HasPrefix(line, "Networks are equivalent"):
			list = append(list, equivalent)
		case strings.HasPrefix(line, "Networks are NOT EQUIVALENT"):
			list = append(list, different)
		}
	}
	if len(list) != len(graphs) {
		t.Fatalf("abc gave %d answers to %d questions:\n%s", len(list), len(graphs), said)
	}
	return list
}

// expect fails unless abc says the same of all graphs.
func expect(t *testing.T, want string, ref *aiger.File, graphs ...*aiger.File) {
	t.Helper()
	for i, got := range answers(t, ref, graphs...) {
		if got != want {
			t.Errorf("graph %d is %s, want %s", i, got, want)
		}
	}
}
