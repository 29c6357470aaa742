package fhe

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
	"ialgn/sim"
)

var update = flag.Bool("update", false, "accept what is written as the golden files")

// random returns a netlist of functions of up to k inputs. It has constants, repeated inputs, inverters, cells that are
// equal or inverses of each other, cells without readers, and inputs as outputs.
func random(r *rand.Rand, k int) *netlist.Netlist {
	b := netlist.NewBuilder("random")
	b.Input("x", 5, 1, nil)
	b.Input("y", 2, 2, nil)
	nets := 2 + 7
	for range 40 {
		in := make([]netlist.Net, 1+r.IntN(k))
		for j := range in {
			in[j] = netlist.Net(r.IntN(nets))
		}
		b.Function(r.Uint64()&netlist.TableMask(len(in)), netlist.Origin{}, in...)
		nets++
	}
	out := make([]netlist.Net, 8)
	for i := range out {
		out[i] = netlist.Net(nets - 1 - r.IntN(10+5*i))
	}
	b.Output("h", 1, nil, out[:5])
	b.Output("word", 3, nil, out[5:])
	return b.Netlist()
}

// evaluate runs a written program on 64 samples and returns the rows of the outputs. It uses only the documentation of
// the format.
func evaluate(t *testing.T, text string, inputs [][]uint64) (outputs []uint64, levels, steps, most int) {
	t.Helper()
	var w []uint64
	early := 0
	most = 2
	value := func(word string) uint64 {
		switch name, inverted := strings.CutPrefix(word, "!"); {
		case name == "false" || name == "true":
			return map[bool]uint64{true: ^uint64(0)}[name == "true"]
		case inverted:
			return ^w[atoi(t, name)]
		default:
			return w[atoi(t, name)]
		}
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch f[0] {
		case "#", "fhe-lut", "bootstraps", "depth":
		case "input":
			w, inputs = append(w, inputs[0]...), inputs[1:]
		case "level":
			levels, early = levels+1, len(w)
			if atoi(t, f[1]) != levels {
				t.Fatalf("level %s after %d", f[1], levels-1)
			}
		case "output":
			for _, word := range f[2:] {
				outputs = append(outputs, value(word))
			}
		default:
			if steps++; atoi(t, f[0]) != len(w) {
				t.Fatalf("step %q, want wire %d", line, len(w))
			}
			in := f[2:]
			table := map[string]uint64{"and": 8, "nand": 7, "or": 14, "nor": 1, "xor": 6, "xnor": 9}[f[1]]
			if f[1] == "lut" {
				in = f[3:]
				table, _ = strconv.ParseUint(f[2], 0, 64)
			}
			most = max(most, len(in))
			result := uint64(0)
			for s := range 64 {
				at := 0
				for j, word := range in {
					if atoi(t, strings.TrimPrefix(word, "!")) >= early {
						t.Fatalf("%q reads a wire of its level", line)
					}
					at |= int(value(word)>>s&1) << j
				}
				result |= table >> at & 1 << s
			}
			w = append(w, result)
		}
	}
	return outputs, levels, steps, most
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPrograms compares the programs of random netlists with the simulator.
func TestPrograms(t *testing.T) {
	total := 0
	for seed := range uint64(90) {
		r := rand.New(rand.NewPCG(seed, 7))
		k := 2 + int(seed)%3
		n := random(r, k)
		p, err := New(n)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := p.Write(&text, Options{Module: "random", Header: []string{"made by a test"}}); err != nil {
			t.Fatal(err)
		}
		s, err := sim.New(n)
		if err != nil {
			t.Fatal(err)
		}
		var in [][]uint64
		for _, port := range n.InputPorts() {
			rows := make([]uint64, len(port.Nets))
			for i := range rows {
				rows[i] = r.Uint64()
			}
			in = append(in, rows)
		}
		if err := s.Run(1, in...); err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for _, port := range n.OutputPorts() {
			for _, v := range port.Nets {
				want = append(want, s.Net(v)[0])
			}
		}
		got, levels, steps, most := evaluate(t, text.String(), in)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: outputs (-want +got):\n%s%s", seed, diff, text.String())
		}
		if p.Depth != levels || p.Bootstraps != steps || p.Form != []string{2: "gates", 3: "lut3", 4: "lut4"}[most] {
			t.Errorf("seed %d: cost %+v, the text has %d steps of up to %d inputs in %d levels", seed, p.Cost, steps, most, levels)
		}
		total += steps
	}
	if total < 400 {
		t.Errorf("%d steps in all programs, want more to compare", total)
	}
}

// TestFree checks that inverters, equal functions and inverse functions take no bootstraps, and that each function
// of two inputs is one gate.
func TestFree(t *testing.T) {
	b := netlist.NewBuilder("free")
	x := b.Input("x", 2, 1, nil)
	not := b.Function(0b01, netlist.Origin{}, x[1])
	var out []netlist.Net
	for table := range uint64(16) {
		out = append(out, b.Function(table, netlist.Origin{}, x...), b.Function(table, netlist.Origin{}, x[0], not))
	}
	b.Output("h", 1, nil, out)
	p, err := New(b.Netlist())
	if err != nil {
		t.Fatal(err)
	}
	if want := (Cost{"gates", 5, 1, 5, 2}); p.Cost != want {
		t.Errorf("cost %+v, want %+v", p.Cost, want)
	}
	var got bytes.Buffer
	if err := p.Write(&got, Options{Module: "free"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "free.fhe")
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

// TestRefused checks the errors for netlists and names that the format does not have.
func TestRefused(t *testing.T) {
	wide, clocked, name := netlist.NewBuilder("wide"), netlist.NewBuilder("clocked"), netlist.NewBuilder("name")
	wide.Output("h", 1, nil, []netlist.Net{
		wide.Function(1<<31, netlist.Origin{}, wide.Input("x", 5, 1, nil)...),
	})
	clocked.Output("h", 1, nil, []netlist.Net{
		clocked.Cell(netlist.Register, 0, netlist.Origin{}, clocked.Input("x", 1, 1, nil)...),
	})
	name.Output("h h", 1, nil, name.Input("x", 1, 1, nil))
	for want, n := range map[string]*netlist.Netlist{
		"fhe-lut: a function has 5 inputs, and a step has at most 4": wide.Netlist(),
		"fhe-lut: a cell is a register":                              clocked.Netlist(),
		"fhe-lut: port: ":                                            name.Netlist(),
	} {
		p, err := New(n)
		if err == nil {
			var out bytes.Buffer
			if err = p.Write(&out, Options{Module: "m"}); out.Len() > 0 {
				t.Errorf("%s: %d bytes are written", n.Name, out.Len())
			}
		}
		if !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", n.Name, err, want)
		}
	}
}
