package wrapper

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/inputs"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// TestUncertainBytes compares the bytes of results with the layout in testbenches, in which class and uncertain are one
// word. Without a class before it, the port uncertain begins at a new byte, as every other port.
func TestUncertainBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for classBits := 1; classBits <= 16; classBits++ {
		class, uncertain, counts := r.Uint64N(1<<classBits), r.Uint64N(2), []uint64{r.Uint64N(32), r.Uint64N(32)}
		port := func(name string, word, words int) netlist.Port {
			return netlist.Port{Name: name, Word: word, Nets: make([]netlist.Net, word*words)}
		}
		all := class | uncertain<<classBits | counts[0]<<(classBits+1) | counts[1]<<(classBits+6)
		ports := []netlist.Port{port("class_index", classBits, 1), port("uncertain", 1, 1), port("counts", 5, 2)}
		var got []uint64
		for _, b := range Bytes(ports, func(i int) uint64 { return all >> i }) {
			got = append(got, uint64(b))
		}
		want := slices.Concat(inBytes(classBits+1, []uint64{class | uncertain<<classBits}, nil), inBytes(5, counts, nil))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("a class of %d bits (-want +got):\n%s", classBits, diff)
		}
		if first, size := layOut(ports[1:]); !slices.Equal(first, []int{0, 8}) || size != 3 {
			t.Errorf("without a class: the ports begin at the bits %v of %d bytes", first, size)
		}
	}
}

// TestUncertainFaults breaks wrappers whose results say whether the class is uncertain. The testbenches must find the
// faults.
func TestUncertainFaults(t *testing.T) {
	c := wrapperCases(t)[5]
	for i, change := range []struct{ kind, good, bad string }{
		{"stream", "uncertain <= core_uncertain", "uncertain <= ~core_uncertain"},
		{"axis", "uncertain[0:0],\n    class_index[0:0]", "class_index[0:0],\n    uncertain[0:0]"},
		{"uart", "6'd0, uncertain[0:0]", "5'd0, uncertain[0:0], 1'b0"},
		{"spi", "uncertain <= core_uncertain", "uncertain <= 1'b0"},
	} {
		if i%2 == 1 && !testkit.Whole() {
			continue
		}
		t.Run(change.kind, func(t *testing.T) {
			t.Parallel()
			got := runBench(t, sourcesOf(t, c, change.kind, 6, change.good, change.bad), change.kind)
			if !strings.Contains(got, ": uncertain: got ") || !strings.Contains(got, "\nFAIL: ") {
				t.Errorf("%s", got)
			}
		})
	}
}

// TestHostsUncertain runs the host programs of a design that says whether a class is uncertain. There is no device.
// Instead, the answer to sample i is the number i, with the class in bit 0 and uncertain in bit 1.
func TestHostsUncertain(t *testing.T) {
	table := hostedTable()
	table.Label, table.DecimalComma = "label", false
	const samples, want = "width,s\n1,x\n2,x\n3,x\n4,x\n", "sample,class,uncertain\n0,a,0\n1,b*/,0\n2,a,1\n3,b*/,1\n"
	dir := t.TempDir()
	write(t, dir, "samples.csv", samples)
	write(t, dir, "answers", "\x00\x01\x02\x03")
	write(t, dir, "requests", "")
	for kind, argv := range map[string][]string{
		"uart": {"python3", "-B", "-c", runHost, "uart"},
		"axis": {"./axis", "requests", "answers", "samples.csv"},
	} {
		t.Run(kind, func(t *testing.T) {
			k, err := Find(kind)
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewProtocol(kind, hostedWith(t, 4, 1, 2, 0, true), Options{})
			if err != nil {
				t.Fatal(err)
			}
			var program, about bytes.Buffer
			file := kind + map[bool]string{false: ".c", true: ".py"}[kind == "uart"]
			if err := k.Host.Write(&program, Hosted{Inputs: table, Protocol: p, File: file}); err != nil {
				t.Fatal(err)
			}
			if err := inputs.WriteJSON(&about, table, p); err != nil {
				t.Fatal(err)
			}
			write(t, dir, file, program.String())
			write(t, dir, table.File, about.String())
			if kind == "axis" {
				if out, err := testkit.TryOtherTool(t, dir, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", kind, file); err != nil {
					t.Fatalf("gcc: %v\n%s", err, out)
				}
			}
			out, err := testkit.TryOtherTool(t, dir, argv...)
			if err != nil || !strings.HasPrefix(out, want) {
				t.Errorf("%v: %s\nwant\n%s", err, out, want)
			}
			if !strings.Contains(out, "4 samples") {
				t.Errorf("output: %s", out)
			}
		})
	}
}
