package netgen

import (
	"testing"

	"ialgn/internal/model"

	"github.com/google/go-cmp/cmp"
)

func TestFormsAreRepeatable(t *testing.T) {
	for _, f := range Forms() {
		t.Run(f.Name, func(t *testing.T) {
			m := f.Model()
			if diff := cmp.Diff(m, f.Model()); diff != "" {
				t.Errorf("the same options gave two models (-first +second):\n%s", diff)
			}
			other := f.Options
			other.Seed += 100
			if cmp.Equal(m.Sections, Model(other).Sections) {
				t.Error("another seed gave the same parameters")
			}
			if err := m.Freeze().Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClassWise checks that no wire of a class-wise network leaves its class.
func TestClassWise(t *testing.T) {
	m := Model(ModelOptions{Topology: "rwlgn-classwise"})
	group := m.Width / len(m.Classes)
	for l, s := range m.Sections[1:] {
		for _, wires := range []model.Indices{s.Pins[0].Wires, s.Pins[1].Wires} {
			for i := range wires.Len() {
				if int(wires.At(i))/group != i/group {
					t.Fatalf("layer %d: gate %d reads gate %d of another class", l+2, i, wires.At(i))
				}
			}
		}
	}
}

func TestModelShares(t *testing.T) {
	for _, light := range []bool{false, true} {
		m := Model(ModelOptions{Width: 600, Depth: 41, ShareA: 0.884, ShareBinary: 0.114, Light: light})
		var count [16]int
		for _, layer := range m.Freeze().Layers[1:] {
			for _, op := range layer.Op.Narrow {
				count[op]++
			}
		}
		two := 0
		for _, op := range binaryOps[:] {
			two += count[op]
		}
		// Four standard deviations of 24,000 draws are 0.0083.
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"A", float64(count[3]) / 24000, 0.884}, {"binary", float64(two) / 24000, 0.114}} {
			if c.got < c.want-0.0083 || c.got > c.want+0.0083 {
				t.Errorf("light %v: share of %s %.4f, want about %.3f", light, c.what, c.got, c.want)
			}
		}
	}
}

// TestShareInputs checks that together, pins read exactly the given share of the inputs.
func TestShareInputs(t *testing.T) {
	m := Model(ModelOptions{Width: 300, Depth: 10, Features: 20, Bits: 6, ShareInputs: 0.2})
	read := map[uint32]bool{}
	note := func(p model.Pin) {
		for i := range p.Wires.Len() {
			if p.Source == model.Input {
				read[p.Wires.At(i)] = true
			}
		}
	}
	for _, s := range m.Sections {
		note(s.Pins[0])
		note(s.Pins[1])
	}
	if want := m.Encoder.Inputs() / 5; len(read) != want {
		t.Errorf("pins choose from %d of %d inputs, want %d", len(read), m.Encoder.Inputs(), want)
	}
}
