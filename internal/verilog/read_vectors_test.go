package verilog

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/netlist"
)

// TestReadVectors writes vectors for ports of all widths and reads them back.
func TestReadVectors(t *testing.T) {
	cases(t, 0, 5, func(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
		for _, samples := range []int{0, 1, 64, 70} {
			v := randomVectors(r, n, samples)
			var text bytes.Buffer
			if err := WriteVectors(&text, n, v); err != nil {
				t.Fatal(err)
			}
			got, err := ReadVectors(bytes.NewReader(text.Bytes()), n)
			if err != nil {
				t.Fatal(err)
			}
			if got.Samples != samples || samples > 0 && (!slices.Equal(got.Inputs, v.Inputs) ||
				!slices.Equal(got.Outputs, v.Outputs) || !slices.Equal(got.Probes, v.Probes)) {
				t.Errorf("%d samples are read as others", samples)
			}
		}
	})
}

// randomVectors returns vectors of random bits, with 0 after the last sample.
func randomVectors(r *rand.Rand, n *netlist.Netlist, samples int) Vectors {
	v := Vectors{Samples: samples, Words: (samples + 63) / 64}
	var rows [3][]uint64
	for i, g := range portGroups(n) {
		for _, p := range g.ports {
			for range p.Nets {
				for w := range v.Words {
					rows[i] = append(rows[i], r.Uint64()&(^uint64(0)>>max(0, 64*(w+1)-samples)))
				}
			}
		}
	}
	v.Inputs, v.Outputs, v.Probes = rows[inputs], rows[outputs], rows[probes]
	return v
}

// TestReadVectorsRefuses checks the error for a line that is not a vector. The error must name the line and the
// reason.
func TestReadVectorsRefuses(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 6, 1, nil)
	b.Output("y", 1, nil, x[:1])
	for text, want := range map[string]string{
		"0f 0\n3": "line 2: it ends within x", "3f": "line 1: it ends within y",
		"40 0\n": "line 1: '4' is no digit of x there",
		"0F 0\n": "line 1: 'F' is no digit of x there", "0f  0\n": "line 1: ' ' is no digit of y there",
		"0f 2\n":  "line 1: '2' is no digit of y there",
		"0f 1 \n": "line 1: it is too long", "0f 1 1\n": "line 1: it is too long",
		strings.Repeat("0", 200): "line 1: it is too long", "0f1\n": "line 1: no space behind a number of x",
		"\n": "line 1: it ends within x",
	} {
		if _, err := ReadVectors(strings.NewReader(text), b.Netlist()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
