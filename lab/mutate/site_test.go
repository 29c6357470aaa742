package main

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// siteText has one of everything that sites are made of, and the like in a comment and a string.
const siteText = `module m #(parameter READ = 4'h9) (input wire clk);
  // a comment with 3'd5 and a & b
  reg [7:0] at;
  initial at = 8'd0;
  wire whole = at == 2'd2 & ~clk;
  always @(posedge clk)
    if (rst) at <= 3'b010;
    else if (whole) at <= at + 1;
  sub s (.a(at[2]), .b(whole));
endmodule
`

// TestSites holds what each change makes of a text, all of it.
func TestSites(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*source)
		want   []string
	}{
		"constants": {(*source).constants, []string{
			"9>8", "9>b", "9>d", "9>1", "0>1", "0>2", "0>4", "0>8", "0>16", "0>32", "0>64", "0>128", "2>3", "2>0",
			"0>1", "1>0", "0>1", "1>0", "1>2",
		}},
		"widths":      {(*source).widths, []string{"7>3", "7>5", "7>6", "7>8", "0>1", "2>0", "2>1", "2>3"}},
		"comparisons": {(*source).comparisons, []string{"==>!=", "==>>", "==><="}},
		"operators":   {(*source).operators, []string{"&>|", "&>^", "~>", "+>-"}},
		"states": {(*source).states, []string{
			"3'b010>at", "3'b010>~(3'b010)", "3'b010>0", "at + 1>at", "at + 1>~(at + 1)", "at + 1>0", "whole>1'b1", "whole>1'b0",
			"whole>!(whole)",
		}},
		"resets": {(*source).resets, []string{
			"rst>1'b0", "rst>~rst", "rst>rst & in_valid", "posedge>negedge", "posedge>posedge rst or posedge",
			"  initial at = 8'd0;>  initial at = ~0;", "  initial at = 8'd0;>",
		}},
		"pins": {(*source).pins, []string{
			"at[2]>1'b0", "at[2]>1'b1", "whole>1'b0", "whole>1'b1", "whole>at[2]",
			"at[2]>whole",
		}},
	} {
		s := newSource("m.v", siteText)
		c.change(s)
		var got []string
		for _, e := range s.sites {
			got = append(got, siteText[e.from:e.to]+">"+e.by)
			if text, _ := e.apply(siteText); text == siteText {
				t.Errorf("%s: a site changes nothing", name)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

// TestRecipes holds that every target occurs in both styles, and every wrapper.
func TestRecipes(t *testing.T) {
	has := func(words string) bool {
		return slices.ContainsFunc(recipes, func(r recipe) bool { return strings.Contains(r.options, words) })
	}
	for _, target := range target.Names() {
		for _, style := range []string{"gates", "lut"} {
			if words := "--target " + target + " --style " + style; !has(words) {
				t.Errorf("no recipe has %s", words)
			}
		}
	}
	for _, words := range []string{
		"--wrap stream", "--wrap axis", "--wrap uart", "--wrap spi", "--fold 1 --wrap",
		"--fold 2", "--fold 4",
	} {
		if !has(words) {
			t.Errorf("no recipe has %s", words)
		}
	}
}

// TestSlots holds that sites are divided among the slots of a kind, whatever part of a run is made.
func TestSlots(t *testing.T) {
	seen := map[string]map[int]bool{}
	for _, part := range [][2]int{{0, 700}, {700, 1300}, {2000, 600}} {
		list, err := slots(part[0], part[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if seen[s.kind.name] == nil {
				seen[s.kind.name] = map[int]bool{}
			}
			if seen[s.kind.name][s.nth] || s.nth >= s.of {
				t.Fatalf("mutant %d is number %d of %d of the kind %s, once more", s.number, s.nth, s.of, s.kind.name)
			}
			seen[s.kind.name][s.nth] = true
		}
	}
	for _, k := range kinds() {
		if len(seen[k.name]) < fullPlan/len(kinds()) {
			t.Errorf("%d mutants of the kind %s", len(seen[k.name]), k.name)
		}
	}
}

// TestStatements holds that each form of statement is Verilog for iverilog or for yosys.
func TestStatements(t *testing.T) {
	for _, name := range []string{"iverilog", "yosys", "verilator"} {
		if _, err := tool.Find(name); err != nil {
			t.Skip(err)
		}
	}
	const text = "`default_nettype none\nmodule dut (input wire [3:0] x, output wire h);\n  localparam [31:0] VERSION " +
		"= 32'h1;\n" +
		"  wire c0_k0_l1;\n  assign c0_k0_l1 = x[0] & ~x[1];\n  assign h = c0_k0_l1;\nendmodule\n"
	d := &design{read: map[string]string{}}
	d.options.Module = "dut"
	for _, form := range statements {
		t.Run(form.text, func(t *testing.T) {
			t.Parallel()
			var c *textChange
			for seed := uint64(0); c == nil || strings.Contains(c.text, "assign c0_k0_l1 = x[0] & ~x[1];\n  "+
				"assign h"); seed++ {
				c = d.writeStatement(rand.New(rand.NewPCG(seed, 1)), text, form)
			}
			if strings.Contains(c.text, "WN") {
				t.Fatalf("%s", c.text)
			}
			dir := t.TempDir()
			if err := writeAll(dir, files{
				"dut.v":    c.text,
				"replay.v": "module replay; reg clk; wire h; dut dut (.x(4'd0), .h(h)); endmodule\n",
			}); err != nil {
				t.Fatal(err)
			}
			var failed []error
			for program, args := range map[string][]string{
				"iverilog": {"-g2001", "-o", "out", "replay.v", "dut.v"},
				"yosys":    {"-q", "-p", "read_verilog dut.v; hierarchy -top dut; proc"},
			} {
				run, err := tool.Find(program)
				if err != nil {
					t.Fatal(err)
				}
				_, err = run.Run(t.Context(), tool.Command{Args: args, Dir: dir, Limit: replayLimit})
				failed = append(failed, err)
			}
			if failed[0] != nil && failed[1] != nil {
				t.Errorf("%v\n%s", errors.Join(failed...), c.text)
			}
		})
	}
}

// TestClaims changes a manifest: what was not changed stays, in its order.
func TestClaims(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	const text = `{"format":1,"ialgn":"0.1.0","version_word":5,"module":"m","scope":"full","options":{"scope":"full","module":"m","style":"gates"},` +
		`"model":{"name":"n","sha256":"00"},"classes":["a","b"],"files":[{"name":"m.v","format":"verilog"},{"name":"m.netlist","format":"netlist"}]}`
	write := func() {
		if err := errors.Join(os.RemoveAll(dir), writeAll(dir, files{
			"manifest.json": text, "m.v": "module",
			"m.netlist": "netlist",
		}), testkit.ResignFolder(dir)); err != nil {
			t.Fatal(err)
		}
	}
	claims := slices.Concat(fileClaims(0, "m.v"), pairClaims(1, 0, "m.netlist", "m.v"), optionClaims(), valueClaims())
	kinds := map[string]int{}
	for _, c := range claims {
		write()
		before := contentsOf(t, dir, c.what)
		err := c.apply(dir)
		if errors.Is(err, errSame) {
			continue
		}
		if err != nil && !strings.Contains(c.what, "encoder") && !strings.Contains(c.what, "data") {
			t.Errorf("%s: %v", c.what, err)
		}
		kinds[c.kind]++
		if err != nil {
			continue // of an entry that is not there
		}
		got, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Options json.RawMessage
			Files   []struct{ Name, Format string }
		}
		if err := json.Unmarshal(got, &m); err != nil {
			t.Fatalf("%s: %v in %s", c.what, err, got)
		}
		if after := contentsOf(t, dir, c.what); cmp.Equal(before, after) {
			t.Errorf("%s: nothing is changed", c.what)
		}
		switch c.what {
		case "m.v is not claimed":
			if len(m.Files) != 1 || m.Files[0].Format != "netlist" {
				t.Errorf("%s: %s", c.what, got)
			}
		case "m.netlist and m.v have each other's format":
			if m.Files[0].Format != "netlist" || m.Files[0].Name != "m.v" {
				t.Errorf("%s: %s", c.what, got)
			}
		}
	}
	for _, kind := range []string{leftOut, swapped, renamed, optioned, claimed} {
		if kinds[kind] == 0 {
			t.Errorf("no claim of the kind %s", kind)
		}
	}
}

// TestResume takes over a log, and refuses one of another run.
func TestResume(t *testing.T) {
	list, err := slots(0, 10, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{}
	rest, err := r.resume(strings.NewReader(`{"number":3,"kind":"`+list[3].kind.name+`","level":"rtl"}`+"\n"),
		slices.Clone(list))
	if err != nil || len(rest) != 9 || rest[3].number != 4 || len(r.results) != 1 {
		t.Errorf("%d slots are left, %d results: %v", len(rest), len(r.results), err)
	}
	if _, err := r.resume(strings.NewReader(`{"number":3,"kind":"another"}`), list); err == nil ||
		!strings.Contains(err.Error(), "of another run") {
		t.Errorf("%v", err)
	}
}

// TestCountsOf takes what levels and their parts did out of a report, and no times.
func TestCountsOf(t *testing.T) {
	got := countsOf(`{"wrapper": {"values": 32, "seconds": 1.5, "stub": {"words": 4000}, "checked": 9}, "verified": true, "folder": ["x"], "checked": 3}`)
	want := map[string]int{"wrapper values": 32, "wrapper stub words": 4000, "wrapper checked": 9}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// contentsOf returns what the files of a folder say, of the manifest whatever the order of its keys. Its
// version word, which follows from other entries, is left out unless a claim is about it.
func contentsOf(t *testing.T, dir, claim string) map[string]any {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if all[e.Name()] = string(text); e.Name() != "manifest.json" {
			continue
		}
		var content map[string]any
		if err := json.Unmarshal(text, &content); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(claim, "word") {
			delete(content, "version_word")
		}
		all[e.Name()] = content
	}
	return all
}
