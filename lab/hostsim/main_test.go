//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/wrapper"
)

// TestLinks checks that there is a link for every kind of wrapper that has a host program.
func TestLinks(t *testing.T) {
	hosts := 0
	for _, name := range wrapper.Kinds() {
		k, err := wrapper.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if (k.Host != nil) != (links[name] != nil) {
			t.Errorf("wrapper %s: a host: %t, a way to it: %t", name, k.Host != nil, links[name] != nil)
		}
		if k.Host != nil {
			hosts++
		}
	}
	if hosts != len(links) {
		t.Errorf("%d ways to %d hosts", len(links), hosts)
	}
}

// table returns a table with columns of numbers, a column of words, and a column that is not read. Some numbers are
// missing, and some have a decimal comma.
func table() string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id;width;state;length;kind\n")
	comma := func(x float64) string { return strings.Replace(fmt.Sprintf("%.3f", x), ".", ",", 1) }
	for i := range 120 {
		k := rng.IntN(3)
		width, state := comma(rng.NormFloat64()+float64(k)), []string{"solid", "liquid", "gas", "?"}[rng.IntN(2+k)]
		if rng.IntN(10) == 0 {
			width = "NA"
		}
		fmt.Fprintf(&b, "%d;%s;%s;%s;%s\n", i, width, state, comma(rng.NormFloat64()-float64(k)), []string{"a", "b", "c, d"}[k])
	}
	return b.String()
}

// trained trains a model on the table in a new working folder.
func trained(t *testing.T) *ialgn.Model {
	t.Helper()
	return trainedOn(t, table(), `name: mixed
data: {set: csv, train: mixed.csv, label: kind, test_share: 0.25, decimal: comma, drop: id, categories: state, missing: median}
encoder: {bits: 6, thresholds: quantile}
model: {width: 30, depth: 3, anchors: 6, tau: 2, skip_logit: 1}
train: {epochs: 10, batch: 10, seed: 3}
`)
}

// trainedOn writes a table as mixed.csv to a new working folder, and trains a model on it.
func trainedOn(t *testing.T, table, yaml string) *ialgn.Model {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"mixed.csv": table, "mixed.yaml": yaml} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	config, err := ialgn.LoadConfig(ialgn.TrainOptions{}, "mixed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ialgn.Train(t.Context(), config, ialgn.Data{}, ialgn.TrainOptions{Path: "mixed.safetensors"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hosted is a design with a host program.
type hosted struct {
	options ialgn.CompileOptions
	program string // the program that runs the host
}

// TestHosts classifies with every host program and a simulated design, and compares the classes with predict. In the
// files with the samples, the columns are in another order than for training. There are additional columns, and no
// labels.
func TestHosts(t *testing.T) {
	testHosts(t, trained(t),
		hosted{ialgn.CompileOptions{Wrap: "uart", Counts: true, Reject: 2}, "python3"},
		hosted{ialgn.CompileOptions{Wrap: "axis", Scope: "core", Counts: true, Reject: 1}, "gcc"},
		hosted{ialgn.CompileOptions{Wrap: "spi", Target: "ice40", Pipeline: "auto", Reject: 4}, "python3"},
		hosted{ialgn.CompileOptions{Wrap: "axis", Fold: "1"}, "gcc"},
		hosted{ialgn.CompileOptions{Wrap: "byte", LUT: 4, Pipeline: "2", Counts: true, Reject: 3}, "python3"},
	)
}

// TestHostsByCuts is like TestHosts, for a design in which cuts turn features into words.
func TestHostsByCuts(t *testing.T) {
	m, err := model.Load(trained(t).Path())
	if err != nil {
		t.Fatal(err)
	}
	m.Encoder = netgen.ByCuts(&m.Encoder)
	if _, err := m.Save("cuts.safetensors"); err != nil {
		t.Fatal(err)
	}
	byCuts, err := ialgn.Open("cuts.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	testHosts(t, byCuts,
		hosted{ialgn.CompileOptions{Wrap: "uart", Counts: true}, "python3"},
		hosted{ialgn.CompileOptions{Wrap: "axis", Scope: "core", Counts: true}, "gcc"},
		hosted{ialgn.CompileOptions{Wrap: "axis"}, "gcc"},
	)
}

func testHosts(t *testing.T, m *ialgn.Model, designs ...hosted) {
	testkit.FindTool(t, "iverilog")
	shuffled := "state,kind,more,length,width\nsolid,a,1,-0.25,1.5\n,\"c, d\",2,0.5,\nnew,b,3,-9e9,1e300\n-,b,4,#n/a,None\n"
	if err := os.WriteFile("shuffled.csv", []byte(shuffled), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range designs {
		t.Run(test.options.Wrap+" "+test.options.Scope, func(t *testing.T) {
			if _, err := started(t.Context(), ".", []string{test.program, "--version"}); err != nil {
				t.Skip(err)
			}
			d, err := ialgn.Compile(t.Context(), m, test.options)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "out")
			if err := d.Write(t.Context(), dir, ialgn.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			for file, right := range map[string]string{"mixed.csv": "12 samples, accuracy ", "shuffled.csv": "4 samples, accuracy "} {
				got, err := run{dir: dir, file: file, simulator: "iverilog", samples: 12}.host(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasPrefix(got.said, right) {
					t.Errorf("%s: the program says %q, want %s...", file, got.said, right)
				}
				if err := compare(t.Context(), m.Path(), file, test.options.Reject, got.records); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
}

// TestRefusals checks the errors of the host program for a serial line. It tests wrong input, and a design that does
// not answer.
func TestRefusals(t *testing.T) {
	m := trained(t)
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{Wrap: "uart"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), "out", ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	master, slave, path, err := terminal()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	defer slave.Close()
	for text, want := range map[string]string{
		"width,state,length\n1,gas,x\n":         "line 2: length: 'x' is not a number",
		"width,state,length\n1,gas,0x1\n":       "line 2: length: '0x1' is not a number",
		"width,state,length\n1,gas,\u0661\n":    "line 2: length: '\u0661' is not a number",
		"width,state,length\n1,gas\n":           "line 2: 2 columns, want 3 as in the first line",
		"width,state,height\nx,y,z\n":           "line 1: the columns are not the design's: there is no 'length'",
		"width,width,state,length\n1,1,gas,2\n": "line 1: two columns are named 'width'",
		"":                                      "the file is empty",
		"\xff":                                  "invalid start byte",
		"width,state,length\n1,gas,2\n":         "no answer within 0.1 s",
	} {
		if err := os.WriteFile("samples.csv", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := testkit.TryOtherTool(t, ".", "python3", "out/mixed_host.py", path, "samples.csv", "--timeout", "0.1")
		if err == nil || !strings.Contains(out, want) || strings.Contains(out, "Traceback") {
			t.Errorf("%q: %v, %s; want %s", text, err, out, want)
		}
	}
	for _, args := range [][]string{{"/nowhere"}, {"samples.csv"}, {path, "--baud", "12345"}} {
		out, err := testkit.TryOtherTool(t, ".", append([]string{"python3", "out/mixed_host.py", args[0], "samples.csv"},
			args[1:]...)...)
		if err == nil || strings.Contains(out, "Traceback") || !strings.HasPrefix(out, "mixed_host.py: "+args[0]) && len(args) < 2 {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

// TestLargeIntegers uses values that are integers in JSON but cannot be represented exactly as float64. A missing
// value must get the word for the median.
func TestLargeIntegers(t *testing.T) {
	m := trainedOn(t, "x,kind\n100000000000000000,a\n100000000000000016,b\n100000000000000032,a\n", `name: mixed
data: {set: csv, train: mixed.csv, test: mixed.csv, missing: median}
encoder: {bits: 4, thresholds: quantile}
model: {width: 4, depth: 1, anchors: 2, tau: 2}
train: {epochs: 1, batch: 1}
`)
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{Wrap: "uart"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), "out", ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := testkit.TryOtherTool(t, ".", "python3", "-B", "-c", "import sys; sys.path.insert(0, 'out'); import mixed_host as h; "+
		"d = h.Design('out/mixed.json'); print(d.word_list(['NA']), d.word_list(['100000000000000016']))")
	if err != nil || out != "[128] [128]\n" { // 128 is the middle of 0 to 255, rounded away from zero
		t.Errorf("%v: %s", err, out)
	}
}

// TestLargeCuts uses a cut that JSON does not represent exactly. A value that equals the cut must not count as
// larger.
func TestLargeCuts(t *testing.T) {
	const cut = 123456789012345683968 // written to JSON as 123456789012345680000
	m := netgen.Model(netgen.ModelOptions{Cuts: true, Features: 2})
	m.Config.Name = "mixed"
	m.Encoder.Quantiser.Cuts = [][]float64{{-1, 0, cut}, {1, 2, 3}}
	t.Chdir(t.TempDir())
	if _, err := m.Save("large.safetensors"); err != nil {
		t.Fatal(err)
	}
	large, err := ialgn.Open("large.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	d, err := ialgn.Compile(t.Context(), large, ialgn.CompileOptions{Wrap: "uart"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), "out", ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := testkit.TryOtherTool(t, ".", "python3", "-B", "-c", "import sys; sys.path.insert(0, 'out'); import mixed_host as h; "+
		"d = h.Design('out/mixed.json'); print(d.word_list(['123456789012345683968', '3']), d.word_list(['123456789012345700352', '3.5']))")
	if err != nil || out != "[2, 2] [3, 3]\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestTexts checks how the C program reads values. Blanks around values, inside or outside quotes, must not change
// the samples that the program sends. A zero byte must not end a value, and no text may follow a closing quote. In
// this test, the program writes to a file and reads zeros as results.
func TestTexts(t *testing.T) {
	d, err := ialgn.Compile(t.Context(), trained(t), ialgn.CompileOptions{Wrap: "axis"})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(t.Context(), "out", ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if out, err := testkit.TryOtherTool(t, ".", "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror",
		"-fsanitize=undefined", "-fno-sanitize-recover=all", "-o", "host", "out/mixed_host.c"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	send := func(text string) (string, error) {
		for name, text := range map[string]string{"to": "", "from": strings.Repeat("\x00", 64), "samples.csv": text} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := testkit.TryOtherTool(t, ".", "./host", "to", "from", "samples.csv"); err != nil {
			return out, err
		}
		sent, err := os.ReadFile("to")
		return string(sent), err
	}
	want, err := send("width,state,length\n1.5,gas,-0.25\nNA,solid,-1\n")
	if err != nil || len(want) != 2*8 { // 5 features of 8 bits, filled up to beats
		t.Fatalf("%v: %q", err, want)
	}
	got, err := send("width\u00a0,\tstate,length\r\n\t1.5\u3000,\" gas\u00a0\",\v-0.25 \n\u2009NA,\"\tsolid\", -1\r\n")
	if err != nil || got != want {
		t.Errorf("with blanks %v: %q, without %q", err, got, want)
	}
	for text, want := range map[string]string{
		"1.\x005,gas,-0.25\n": "line 2: there is a byte 0", "\"1\"5,gas,-0.25\n": "line 2: there is text behind a closing quote",
	} {
		if out, err := send("width,state,length\n" + text); err == nil || !strings.Contains(out, want) {
			t.Errorf("%q: %v: %s", text, err, out)
		}
	}
}
