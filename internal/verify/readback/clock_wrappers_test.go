package readback

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verify/cec"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// writers holds the writer of each kind of wrapper.
var writers = map[string]func(io.Writer, *netlist.Netlist, wrapper.Options) error{
	"stream": wrapper.WriteStream, "axis": wrapper.WriteAXIS, "uart": wrapper.WriteUART, "spi": wrapper.WriteSPI,
	"byte": wrapper.WriteByte,
}

// form is a wrapper to prove.
type form struct {
	kind                      string
	features, bitsIn, classes int
	scope                     netlist.Scope
	counts, apart, engine     bool
	stages, beat, tag         int
	margin                    int // 0: the core does not say whether the class is uncertain
}

// name returns a name that is different for each form.
func (f form) name() string {
	return fmt.Sprintf("%s/%v/words=%dx%d/counts=%t/apart=%t/engine=%t/stages=%d/beat=%d/tag=%d/margin=%d",
		f.kind, f.scope, f.features, f.bitsIn, f.counts, f.apart, f.engine, f.stages, f.beat, f.tag, f.margin)
}

// write writes the wrapper and returns its description.
func (f form) write(t testing.TB, dir string) Wrapper {
	t.Helper()
	model := netgen.Frozen(3, netgen.FrozenOptions{
		Width: 10 * f.classes, Depth: 4, Features: f.features, Bits: 5, BitsIn: f.bitsIn, Classes: f.classes, ShareA: 0.3,
		ShareBinary: 0.6,
	})
	n, err := freeze.WithMargin(model, f.scope, f.margin)
	if err != nil {
		t.Fatal(err)
	}
	o := wrapper.Options{Core: "net", Module: "dut", Beat: f.beat, Tag: f.tag, ClockHz: 1_000_000, Baud: 100_000}
	w := Wrapper{
		Kind: f.kind, Module: "dut", File: filepath.Join(dir, "dut.v"), Core: "net", Beat: max(1, f.beat), Tag: f.tag,
		ClockHz: 1_000_000, Baud: 100_000, Idle: wrapper.UARTIdle,
	}
	if f.kind == "axis" && f.beat == 0 {
		w.Beat = wrapper.AXISBytes
	}
	if f.counts {
		if n, err = netlist.WithCounts(n, model.Classes); err != nil {
			t.Fatal(err)
		}
	}
	if f.apart {
		s := encoder.Apart(n)
		n, o.Levels = s.Core, &wrapper.Levels{Word: s.Word, Thresholds: s.Thresholds, Bits: s.Bits}
		w.Levels = &Levels{s.Word, s.Thresholds, s.Bits}
	}
	if f.stages > 0 {
		if n, _, err = pipeline.Insert(n, pipeline.Options{Stages: f.stages}); err != nil {
			t.Fatal(err)
		}
	}
	if f.engine {
		o.Engine, w.Engine, w.Core, w.Beat = &wrapper.Engine{Module: "net_fold"}, true, "net_fold", 1
	}
	w.Around(n)
	var text strings.Builder
	if err := writers[f.kind](&text, n, o); err != nil {
		t.Fatal(err)
	}
	put(t, w.File, text.String())
	return w
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// forms returns wrappers of every kind, with words of one bit, of several bits, of a byte and of more than a byte.
// Their cores are pipelines, have an encoder in front, or are engines. The short tests combine each kind with two or
// three of these cores, and each core with one or two kinds. The long tests have all combinations.
func forms() (list []form) {
	for i, kind := range []string{"stream", "axis", "uart", "spi", "byte"} {
		for j, f := range []form{
			{features: 3, bitsIn: 5, classes: 3, scope: netlist.Core},
			{features: 5, bitsIn: 8, classes: 4, scope: netlist.Full, counts: true, margin: 2},
			{features: 6, bitsIn: 10, classes: 3, scope: netlist.Full, stages: 2},
			{features: 7, bitsIn: 6, classes: 3, scope: netlist.Full, apart: true, counts: true},
			{features: 1, bitsIn: 4, classes: 2, scope: netlist.Full, margin: 1},
			{features: 5, bitsIn: 6, classes: 3, scope: netlist.Full, engine: true},
		} {
			f.kind = kind
			if (testkit.Whole() || (i+j)%3 == 0) && !(f.engine && kind == "stream") {
				list = append(list, f)
			}
		}
	}
	return append(list, form{
		kind: "stream", features: 7, bitsIn: 6, classes: 3, scope: netlist.Full, apart: true,
		beat: 3,
	},
		form{kind: "axis", features: 7, bitsIn: 6, classes: 3, scope: netlist.Full, beat: 9},
		form{kind: "stream", features: 3, bitsIn: 4, classes: 3, scope: netlist.Full, stages: 2, tag: 1},
		form{kind: "axis", features: 3, bitsIn: 6, classes: 3, scope: netlist.Full, apart: true, counts: true, tag: 64},
		form{kind: "axis", features: 5, bitsIn: 8, classes: 3, scope: netlist.Core, counts: true, tag: 6},
		form{kind: "axis", features: 5, bitsIn: 8, classes: 3, scope: netlist.Full, stages: 3, tag: 8})
}

// TestWrapperClock proves wrappers as they are written.
func TestWrapperClock(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	for _, f := range forms() {
		t.Run(f.name(), func(t *testing.T) {
			r, err := f.write(t, t.TempDir()).Prove(t.Context())
			if err != nil || r.Verdict != cec.Equivalent || r.Bits < 19 || r.Registers == 0 && f.kind != "axis" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// TestRandomWrapperClock proves wrappers with random parameters. The long tests prove more of them.
func TestRandomWrapperClock(t *testing.T) {
	if testing.Short() {
		t.Skip("proves many wrappers")
	}
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	r := rand.New(rand.NewPCG(48, 5))
	draws := 4
	if testkit.Whole() {
		draws = 16
	}
	for range draws {
		f := form{
			kind: []string{"stream", "axis", "uart", "spi", "byte"}[r.IntN(5)], features: 1 + r.IntN(40), bitsIn: 3 + r.IntN(10),
			classes: 2 + r.IntN(9), scope: []netlist.Scope{netlist.Full, netlist.Core}[r.IntN(2)], counts: r.IntN(2) == 1,
		}
		switch takes := f.kind == "stream" || f.kind == "axis"; {
		case f.scope == netlist.Full && r.IntN(3) == 0:
			f.apart = true
		case f.scope == netlist.Full && f.kind != "stream" && r.IntN(3) == 0:
			f.engine, f.counts = true, false
		case takes && r.IntN(2) == 0:
			f.tag = 1 + r.IntN(64)
		}
		if f.apart || f.engine { // words have at most eight bits in these wrappers
			f.bitsIn = min(f.bitsIn, 8)
		}
		if !f.engine {
			f.stages = r.IntN(3)
		}
		if f.kind == "axis" && !f.engine {
			f.beat = r.IntN(10)
		}
		t.Run(f.name(), func(t *testing.T) {
			if r, err := f.write(t, t.TempDir()).Prove(t.Context()); err != nil || r.Verdict != cec.Equivalent {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}
