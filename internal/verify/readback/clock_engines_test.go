package readback

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/folded"
	"ialgn/internal/freeze"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// folding is the configuration of an engine to prove.
type folding struct {
	netgen.FrozenOptions
	lanes int
	drop  bool
	own   bool // each feature has its own thresholds
	room  int  // minimum number of steps for which a lane has room; 0: the number that the program needs
}

// foldings returns engines with different numbers of lanes and banks. Their thresholds are in the Verilog or in a
// memory.
func foldings() map[string]folding {
	few := netgen.FrozenOptions{
		Width: 30, Depth: 4, Features: 6, Bits: 4, BitsIn: 6, Classes: 3, ShareA: 0.4,
		ShareBinary: 0.5,
	}
	one := few
	one.Features, one.Bits, one.BitsIn, one.Classes, one.Width = 1, 2, 1, 2, 6
	wide := few
	wide.Features, wide.Bits, wide.BitsIn = 70, 16, 12
	return map[string]folding{
		"one lane": {few, 1, false, false, 0}, "four lanes": {few, 4, true, false, 0},
		"one feature":    {one, 1, false, false, 0},
		"own thresholds": {few, 2, true, true, 0}, "several banks": {few, 2, false, false, 2800},
		"wide": {wide, 1, false, true, 0},
	}
}

// write writes the engine and returns its description.
func (f folding) write(t testing.TB, dir string) Engine {
	t.Helper()
	model := netgen.Frozen(3, f.FrozenOptions)
	if f.own {
		for i := range model.Encoder.Thresholds {
			model.Encoder.Thresholds[i][0] = uint16(i % int(model.Encoder.Thresholds[i][1]))
		}
	}
	n, err := freeze.Network(model, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	o := compiler.Options{Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived}
	if n, _, err = o.Optimise(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	e, err := folded.NewChains(n, folded.Options{
		Core: "net", Lanes: f.lanes, Thresholds: model.Encoder.Thresholds, Drop: f.drop,
		Steps: f.room,
	})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := e.WriteVerilog(&text, nil); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "net_fold.v"), text.String())
	s := Engine{
		Module: "net_fold", File: filepath.Join(dir, "net_fold.v"), Features: f.Features, WordBits: f.BitsIn,
		Classes:   f.Classes,
		CountBits: e.Count, Drop: f.drop, Levels: f.Bits - 1, Programs: make([][][]uint64, f.lanes),
	}
	for _, v := range e.Uniform() {
		s.Uniform = append(s.Uniform, uint64(v))
	}
	for _, m := range e.Memories() {
		text.Reset()
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, m.File), text.String())
		if m.Thresholds {
			s.Thresholds = binary(text.String())
			continue
		}
		var lane, bank int
		if _, err := fmt.Sscanf(m.File, "net_fold_%d_%d.hex", &lane, &bank); err != nil {
			t.Fatal(err)
		}
		s.Programs[lane] = append(s.Programs[lane], numbers(t, text.String()))
	}
	return s
}

// binary converts lines of hexadecimal digits to binary digits.
func binary(text string) (words []string) {
	for line := range strings.Lines(text) {
		var b strings.Builder
		for _, c := range strings.TrimSpace(line) {
			v, _ := strconv.ParseUint(string(c), 16, 8)
			fmt.Fprintf(&b, "%04b", v)
		}
		words = append(words, b.String())
	}
	return words
}

func numbers(t testing.TB, text string) (words []uint64) {
	t.Helper()
	for _, word := range binary(text) {
		v, err := strconv.ParseUint(word, 2, 64)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, v)
	}
	return words
}

// TestEngineClock proves engines as they are written. The engine with one lane and many features with uniform
// thresholds is proved only in the long tests, because the other engines have each of its properties.
func TestEngineClock(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	for name, f := range foldings() {
		t.Run(name, func(t *testing.T) {
			if name == "one lane" {
				testkit.Long(t, "yosys reads a second engine of one lane")
			}
			r, err := f.write(t, t.TempDir()).Prove(t.Context())
			if err != nil || r.Verdict != cec.Equivalent || r.Bits < 60 || r.Registers < 50 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestTieOfLaterClass changes an engine so that a later class wins a tie. The proof must name the bit of the result
// that differs.
func TestTieOfLaterClass(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	e := foldings()["one lane"].write(t, t.TempDir())
	text, err := os.ReadFile(e.File)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "total > best", "total >= best", 1)
	if changed == string(text) {
		t.Fatal("the engine has no comparison")
	}
	put(t, e.File, changed)
	r, err := e.Prove(t.Context())
	if err != nil || r.Verdict != cec.Different || !slices.Contains(r.Differ, "winner'[0]") {
		t.Errorf("%+v, %v", r, err)
	}
}
