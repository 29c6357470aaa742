package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

// compiled is a model and a folder compiled from it.
type compiled struct {
	model, dir, scope string
}

// compiledModels trains a network in which most gates matter and compiles it once per scope.
func compiledModels(t *testing.T) []compiled {
	t.Helper()
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1")
	var all []compiled
	for _, scope := range []string{"gates", "core", "full"} {
		must(t, "compile", "m.st", "-o", scope, "--scope", scope, "--module", "net")
		all = append(all, compiled{"m.st", scope, scope})
	}
	return all
}

// outcome is the JSON output of verify.
type outcome struct {
	Verified      bool
	Folder        []string
	Software, RTL *struct {
		Checked, Mismatches int
		First               []wrong
	}
	Wrapper *struct {
		Values, Checked, Mismatches int
		Unplayed                    string
		First                       []wrong
	}
	Formal *struct {
		Proved         bool
		Verdict        string
		Counterexample []int
		First          []wrong
	}
}

type wrong struct {
	Sample, Layer, Gate int
	What                string
}

func (c compiled) verify(t *testing.T, args ...string) (code int, o outcome) {
	t.Helper()
	code, stdout, stderr := runProgram(t, append([]string{"verify", c.model, c.dir, "--json", "--quiet"}, args...)...)
	if code == exitUsage {
		t.Fatalf("verify: %s", stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &o); err != nil {
		t.Fatalf("exit status %d: %v\n%s%s", code, err, stdout, stderr)
	}
	return code, o
}

// text returns the lines of a file of the folder. It also returns a function that overwrites the file and updates the
// checksums in the manifest. The file is restored at the end of the test.
func (c compiled) text(t *testing.T, name string) (lines []string, write func([]string)) {
	t.Helper()
	path := filepath.Join(c.dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text string) {
		writeFile(t, path, text)
		if err := testkit.ResignFolder(c.dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { put(string(data)) })
	return strings.Split(string(data), "\n"), func(lines []string) { put(strings.Join(lines, "\n")) }
}

// gateLine matches a gate in the text of a netlist. Its groups are the output, the table, the inputs, the layer and
// the chain.
var gateLine = regexp.MustCompile(`^  (\d+) = function\(0x([0-9a-f]+)\) ([0-9 ]+) @(\d+)\.(\d+)$`)

type gate struct {
	line, output, table int
	in                  []string
	layer, chain        int
}

func gates(t *testing.T, lines []string) []gate {
	t.Helper()
	var all []gate
	for i, line := range lines {
		if m := gateLine.FindStringSubmatch(line); m != nil {
			table, _ := strconv.ParseInt(m[2], 16, 64)
			all = append(all, gate{i, number(m[1]), int(table), strings.Fields(m[3]), number(m[4]), number(m[5])})
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d gates in the netlist", len(all))
	}
	return all
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func (g gate) String() string {
	return fmt.Sprintf("  %d = function(%#x) %s @%d.%d", g.output, g.table, strings.Join(g.in, " "), g.layer, g.chain)
}

// TestVerifyAcceptsSoundFolders checks, for comparison, that verify finds no fault in undamaged folders.
func TestVerifyAcceptsSoundFolders(t *testing.T) {
	level := "all"
	for _, name := range []string{"iverilog", "abc"} {
		if _, err := tool.Find(name); err != nil {
			t.Log(err)
			level = "software"
		}
	}
	for _, c := range compiledModels(t) {
		if code, o := c.verify(t, "--level", level, "--samples", "1797"); code != exitDone || !o.Verified {
			t.Errorf("%s: exit status %d, %+v", c.scope, code, o)
		}
		lines, write := c.text(t, "net.netlist")
		write(append(lines, "# changed without a change"))
		if code, o := c.verify(t, "--level", "software"); code != exitDifference || len(o.Folder) != 1 ||
			!strings.HasPrefix(o.Folder[0], "net.netlist is not what ialgn") || o.Software.Mismatches > 0 {
			t.Errorf("%s with a comment, signed: exit status %d, %+v", c.scope, code, o)
		}
	}
}

// TestChangedFiles changes each file of a folder. verify must refuse the folder, even if the change does not affect
// the function.
func TestChangedFiles(t *testing.T) {
	c := compiledModels(t)[1]
	files, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() == "manifest.json" {
			continue
		}
		path := filepath.Join(c.dir, f.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, string(data)+"\n")
		code, stdout, stderr := runProgram(t, "verify", c.model, c.dir, "--level", "software")
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, path+": changed since compile wrote it") {
			t.Errorf("%s: exit status %d, %s%s", f.Name(), code, stdout, stderr)
		}
		writeFile(t, path, string(data))
	}
}

// TestNetlistFaults breaks tables and anchors in NAME.netlist at random places. It continues until eight faults of
// each kind show in the test set. verify must find these faults and name the gate.
func TestNetlistFaults(t *testing.T) {
	for _, c := range compiledModels(t) {
		for _, anchor := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/anchor=%v", c.scope, anchor), func(t *testing.T) {
				r := rand.New(rand.NewPCG(11, 11))
				sound, write := c.text(t, "net.netlist")
				all, seen := gates(t, sound), 0
				for tries := 0; tries < 40 && seen < 8; tries++ {
					g := all[r.IntN(len(all))]
					g.in = slices.Clone(g.in)
					if pin := r.IntN(len(g.in)); anchor {
						g.in[pin] = all[0].in[0]
					} else {
						g.table ^= 1 + r.IntN(1<<(1<<len(g.in))-1)
					}
					broken := slices.Clone(sound)
					if broken[g.line] = g.String(); broken[g.line] == sound[g.line] {
						continue
					}
					write(broken)
					if code, o := c.verify(t, "--level", "software"); o.Software.Mismatches > 0 {
						seen++
						named(t, code, o, g)
					}
				}
				if seen < 8 {
					t.Errorf("only %d of 40 faults were found", seen)
				}
			})
		}
	}
}

// named checks that the software level found a broken gate and named it together with a sample.
func named(t *testing.T, code int, o outcome, g gate) {
	t.Helper()
	if code != exitDifference || o.Verified || o.Software == nil || o.Software.Mismatches == 0 || o.RTL != nil {
		t.Fatalf("%v is broken: exit status %d, %+v", g, code, o)
	}
	for _, m := range o.Software.First {
		if m.Layer != g.layer || m.Gate != g.chain || m.Sample < 0 {
			t.Errorf("%v is broken, but verify names %+v", g, m)
		}
	}
}

// TestUnseenNetlistFault flips a bit of a table that no test sample reads. The software level notices only that the
// text changed. The formal level finds the fault and names the gate, and verify exits with status 2.
func TestUnseenNetlistFault(t *testing.T) {
	if _, err := tool.Find("abc"); err != nil {
		t.Skip(err)
	}
	if _, err := tool.Find("iverilog"); err != nil {
		t.Skip(err) // the formal level includes the simulation
	}
	for _, c := range compiledModels(t) {
		t.Run(c.scope, func(t *testing.T) {
			r := rand.New(rand.NewPCG(12, 12))
			sound, write := c.text(t, "net.netlist")
			all, found := gates(t, sound), 0
			for try := 0; found < 2; try++ {
				if try == 400 {
					t.Fatal("found no fault in 400 tries that only the formal level notices")
				}
				g := all[r.IntN(len(all))]
				g.table ^= 1 << r.IntN(1<<len(g.in))
				broken := slices.Clone(sound)
				broken[g.line] = g.String()
				write(broken)
				if _, o := c.verify(t, "--level", "software"); o.Software.Mismatches > 0 {
					continue
				}
				code, o := c.verify(t, "--level", "formal", "--samples", "1")
				if o.Formal != nil && o.Formal.Proved {
					continue // no input of the network reads this bit
				}
				found++
				if code != exitDifference || o.Verified || o.Formal == nil || o.Formal.Verdict != "different" ||
					o.Formal.Counterexample == nil {
					t.Fatalf("%v: exit status %d, %+v", g, code, o)
				}
				if m := o.Formal.First[0]; m.Layer != g.layer || m.Gate != g.chain {
					t.Errorf("%v is broken, but verify names %+v", g, m)
				}
			}
		})
	}
}

// TestClassFaults exchanges inputs between two popcounts. It also permutes the words that the argmax reads. This
// changes, for example, the class of a sample with a tie.
func TestClassFaults(t *testing.T) {
	for _, c := range compiledModels(t)[1:] {
		t.Run(c.scope, func(t *testing.T) {
			r := rand.New(rand.NewPCG(13, 13))
			sound, write := c.text(t, "net.netlist")
			var counts []int
			argmax := -1
			for i, line := range sound {
				switch {
				case strings.Contains(line, " = popcount "):
					counts = append(counts, i)
				case strings.Contains(line, " = argmax("):
					argmax = i
				}
			}
			if len(counts) != 10 || argmax < 0 {
				t.Fatalf("%d popcounts, argmax in line %d", len(counts), argmax)
			}
			for range 6 {
				p := r.Perm(len(counts))
				broken := slices.Clone(sound)
				exchange(broken, counts[p[0]], counts[p[1]], r)
				write(broken)
				unnamed(t, c)
			}
			for range 4 {
				broken := slices.Clone(sound)
				broken[argmax] = permuteWords(broken[argmax], r.Perm(10))
				write(broken)
				unnamed(t, c)
			}
		})
	}
}

// unnamed checks that the software level found a fault after the last layer and named no gate.
func unnamed(t *testing.T, c compiled) {
	t.Helper()
	code, o := c.verify(t, "--level", "software")
	if code != exitDifference || o.Verified || o.Software.Mismatches == 0 || o.Software.First[0].Sample < 0 {
		t.Errorf("exit status %d, %+v", code, o)
	}
	if m := o.Software.First[0]; m.Layer != 0 || m.Gate != -1 {
		t.Errorf("the fault is behind the last layer, but verify names a gate: %+v", m)
	}
}

// exchange swaps a random input of popcount a with a random input of popcount b. It does not choose inputs that the
// other popcount already reads.
func exchange(lines []string, a, b int, r *rand.Rand) {
	fa, fb := strings.Fields(lines[a]), strings.Fields(lines[b])
	for {
		i, j := 3+r.IntN(len(fa)-3), 3+r.IntN(len(fb)-3)
		if !slices.Contains(fb[3:], fa[i]) && !slices.Contains(fa[3:], fb[j]) {
			fa[i], fb[j] = fb[j], fa[i]
			break
		}
	}
	lines[a], lines[b] = strings.Join(fa, " "), strings.Join(fb, " ")
}

// permuteWords reorders the words that an argmax reads.
func permuteWords(line string, order []int) string {
	f := strings.Fields(line)
	in := f[3:]
	size := len(in) / len(order)
	out := f[:3:3]
	for _, w := range order {
		out = append(out, in[w*size:(w+1)*size]...)
	}
	return strings.Join(out, " ")
}

// TestVerilogFaults breaks only NAME.v. It breaks a gate, in each form that compile writes, and the order of the
// argmax's words.
func TestVerilogFaults(t *testing.T) {
	if _, err := tool.Find("iverilog"); err != nil {
		t.Skip(err)
	}
	assign := regexp.MustCompile(`^  assign c\d+_k(\d+)_l(\d+) = (.*);$`)
	for _, c := range compiledModels(t) {
		t.Run(c.scope, func(t *testing.T) {
			r := rand.New(rand.NewPCG(14, 14))
			sound, write := c.text(t, "net.v")
			var places []int
			for i, line := range sound {
				if assign.MatchString(line) {
					places = append(places, i)
				}
			}
			for seen := 0; seen < 3; {
				at := places[r.IntN(len(places))]
				m := assign.FindStringSubmatch(sound[at])
				broken := slices.Clone(sound)
				broken[at] = fmt.Sprintf("  wire inverted;\n  assign inverted = %s;\n%s~inverted;", m[3],
					strings.TrimSuffix(sound[at], m[3]+";"))
				write(broken)
				code, o := c.verify(t, "--samples", "600")
				if code == exitDone {
					continue // the gate does not matter to the samples
				}
				seen++
				if code != exitDifference || o.Software.Mismatches != 0 || o.RTL.Mismatches == 0 {
					t.Fatalf("exit status %d, %+v", code, o)
				}
				if w := o.RTL.First[0]; w.Gate != number(m[1]) || w.Layer != number(m[2]) || w.Sample < 0 {
					t.Errorf("%s is broken, but verify names %+v", m[0], w)
				}
			}
			if c.scope == "gates" {
				return
			}
			words := regexp.MustCompile(`(\.counts\(\{)(\w+), (\w+)`)
			swapped := words.ReplaceAllString(strings.Join(sound, "\n"), "$1$3, $2")
			if swapped == strings.Join(sound, "\n") {
				t.Fatal("the Verilog compares no counts")
			}
			write([]string{swapped})
			if code, o := c.verify(t); code != exitDifference || o.RTL.Mismatches == 0 || o.RTL.First[0].Gate != -1 {
				t.Errorf("two classes exchanged: exit status %d, %+v", code, o)
			}
		})
	}
}

// simulatedModel calls [tinyModel], or skips the test if there is no simulator.
func simulatedModel(t *testing.T) {
	t.Helper()
	for _, program := range []string{"iverilog", "vvp"} {
		if _, err := tool.Find(program); err != nil {
			t.Skip(err)
		}
	}
	tinyModel(t)
}

// TestWrapperFaults breaks the encoder and its connection to the core, which only a wrapper has. Level rtl and every
// level above must find the fault. For a fault of an encoder, the report must name an input word that shows the
// fault.
func TestWrapperFaults(t *testing.T) {
	simulatedModel(t)
	threshold := regexp.MustCompile(`value > (\d+'d)(\d+)`)
	for i, options := range []string{
		"--wrap stream", "--wrap stream --target ice40 --style lut --pipeline 2 --counts",
		"--wrap axis --lut 6", "--wrap uart --baud 1500000", "--wrap spi --counts",
	} {
		dir := fmt.Sprint("out", i)
		must(t, append([]string{"compile", "m.st", "-o", dir, "--module", "net"}, strings.Fields(options)...)...)
		c := compiled{"m.st", dir, "full"}
		kind := strings.Fields(options)[1]
		slow := kind == "uart" || kind == "spi" // the script "hardware" verifies these wrappers without faults
		if !slow {
			code, o := c.verify(t, "--samples", "30")
			if code != exitDone || o.Wrapper.Checked < 2 || o.Wrapper.Values < 32 || o.Wrapper.Unplayed != "" {
				t.Fatalf("%s: exit status %d, %+v", options, code, o.Wrapper)
			}
		}
		sound, write := c.text(t, "net_"+kind+".v")
		text := strings.Join(sound, "\n")
		all := threshold.FindAllStringSubmatch(text, -1) // in descending order
		if len(all) < 2 {
			t.Fatalf("%s: the wrapper compares with %d thresholds", options, len(all))
		}
		last := all[len(all)-1]
		encoders := map[string]string{
			"a threshold one too high": strings.Replace(text, last[0], fmt.Sprint("value > ", last[1], number(last[2])+1), 1),
			"at least for more than":   strings.Replace(text, last[0], strings.Replace(last[0], ">", ">=", 1), 1),
			"two levels exchanged":     strings.NewReplacer(last[0], all[0][0], all[0][0], last[0]).Replace(text),
			"a bit of the word lost": strings.Replace(text, "wire [4:0] value = in_data[lane*",
				"wire [4:0] value = 5'd30 & in_data[lane*", 1),
		}
		for what, broken := range encoders {
			if slow && what != "two levels exchanged" {
				continue
			}
			t.Run(options+"/"+what, func(t *testing.T) {
				if broken == text {
					t.Fatal("the Verilog has no such text to break")
				}
				write([]string{broken})
				code, o := c.verify(t, "--level", "formal", "--samples", "30")
				if code != exitDifference || o.RTL.Mismatches != 0 || o.Wrapper.Mismatches == 0 || o.Wrapper.Unplayed == "" ||
					o.Formal != nil || !strings.Contains(o.Wrapper.First[0].What, " for the word ") {
					t.Errorf("exit status %d, %+v", code, o.Wrapper)
				}
			})
		}
		if slow {
			continue
		}
		t.Run(options+"/levels crossed on the way", func(t *testing.T) {
			broken := strings.Replace(text, ".x(sample)", ".x(sample >> 1)", 1)
			if broken == text {
				t.Fatal("the Verilog has no such text to break")
			}
			write([]string{broken})
			code, o := c.verify(t, "--samples", "30")
			if code != exitDifference || o.Wrapper.Mismatches == 0 || o.Wrapper.Checked < 2 {
				t.Errorf("exit status %d, %+v", code, o.Wrapper)
			}
		})
	}
}
