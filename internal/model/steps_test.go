package model_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/topology"
	"ialgn/trainer"
)

// recurrentNetwork returns a recurrent network of three steps. Each step has two features.
func recurrentNetwork(t *testing.T) *model.Model {
	t.Helper()
	c := config.Default()
	c.Data.Set, c.Name = "digits", "recurrent"
	c.Model.Topology, c.Model.Widths, c.Model.Steps = topology.Recurrent, "14,10,12", 3
	c.Model.Tau, c.Model.InitNoise, c.Model.SkipLogit, c.Model.Hidden = 2, 1, 1, 3
	c.Model.Complete(func(string) bool { return false })
	enc := netgen.Encoder(6, 3, 8)
	return trainer.Initial(c, &enc, []string{"a", "b"}, 1)
}

// TestRecurrentFile writes a recurrent network and reads it in all ways. All results must agree.
func TestRecurrentFile(t *testing.T) {
	m, path := recurrentNetwork(t), filepath.Join(t.TempDir(), "m")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := model.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.Steps != 3 || again.Nodes() != 3*(14+10+12) {
		t.Errorf("%d steps, %d nodes", again.Steps, again.Nodes())
	}
	want := m.Freeze()
	if err := want.Validate(); err != nil {
		t.Fatal(err)
	}
	streamed, err := model.ReadFrozen(path)
	if err != nil {
		t.Fatal(err)
	}
	unrolled, err := m.Compact().Unroll()
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]*model.Frozen{"read": again.Freeze(), "streamed": streamed, "unrolled": unrolled} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// TestRecurrentRefused checks that impossible networks are refused, and that the error says what is wrong.
func TestRecurrentRefused(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(m *model.Model)
	}{
		{"no steps", "the first layer has no previous one", func(m *model.Model) { m.Steps = 0 }},
		{"other steps", "the configuration describes 3 steps, the network has 2", func(m *model.Model) { m.Steps = 2 }},
		{"negative", "-3 steps, want 1 to 1024", func(m *model.Model) { m.Steps = -3 }},
		{"too many", "5000 steps, want 1 to 1024", func(m *model.Model) { m.Steps = 5000 }},
		{"uneven", "6 features cannot be split into 4 steps", func(m *model.Model) { m.Steps, m.Config.Model.Steps = 4, 4 }},
		{"spine", "section 1: pin A: source spine in a network with 3 steps", func(m *model.Model) {
			m.Sections[1].Pins[0] = model.Pin{Source: model.Spine, K: 1}
		}},
		{"layers", "section 1: 2 layers in a network with 3 steps, want 1", func(m *model.Model) { m.Sections[1].Layers = 2 }},
		{"grid", "nodes that positions share in a network with 3 steps", func(m *model.Model) {
			m.Sections[0].Grid = &topology.Grid{Planes: 1, Rows: 2, Columns: 3, Side: 1, Stride: 1, Pool: 1}
		}},
		{"state", "section0.a.wires: index 12, want below 12", func(m *model.Model) { m.Sections[0].Pins[0].Wires.Set(0, 12) }},
		{"input", "section0.b.wires: index 4, want below 4", func(m *model.Model) { m.Sections[0].Pins[1].Wires.Set(0, 4) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := recurrentNetwork(t)
			if err := m.Validate(); err != nil {
				t.Fatal(err)
			}
			c.change(m)
			if err := m.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}
