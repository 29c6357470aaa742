package spec

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// newModel returns a model of the given sections.
func newModel(e encoding.Encoder, width, classes int, sections ...model.Section) *model.Model {
	for i := range sections {
		sections[i].Width, sections[i].Arity = width, len(sections[i].Ops)/(width*sections[i].Layers)
	}
	m := &model.Model{Width: width, Encoder: e, Sections: sections}
	for c := range classes {
		m.Classes = append(m.Classes, fmt.Sprint(c))
	}
	m.Config.Name = "test"
	m.Config.Model = config.Model{Width: width, Depth: len(sections), Parametrization: "softmax16", Tau: 1}
	if len(sections[0].Ops) == 4*width {
		m.Config.Model.Parametrization = "light"
	}
	return m
}

// save saves a model and returns the path of its file.
func save(t *testing.T, m *model.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// fixed returns a pin with one candidate for each gate.
func fixed(s model.Source, wires ...uint16) model.Pin {
	return model.Pin{Source: s, K: 1, Wires: model.Indices{Narrow: wires}}
}

// relaxed returns a pin that has k candidates for each gate.
func relaxed(s model.Source, k int, wires []uint16, logits ...float32) model.Pin {
	return model.Pin{Source: s, K: k, Wires: model.Indices{Narrow: wires}, Logits: logits}
}

// spine is a pin that reads the previous gate of the chain.
var spine = model.Pin{Source: model.Spine, K: 1}

// largest returns logits for gates. The operations that are listed for a gate share the gate's largest logit.
func largest(gates ...[]int) []float32 {
	logits := make([]float32, 16*len(gates))
	for g, list := range gates {
		for op := range 16 {
			logits[16*g+op] = float32(op)/16 - 3
		}
		for _, op := range list {
			logits[16*g+op] = 2
		}
	}
	return logits
}

// operationsModel returns a model that has a gate for each operation. The gates are in layer 1 and read x[0] and
// x[1].
func operationsModel() *model.Model {
	e := encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Thresholds: [][]uint16{{0}, {0}}}
	var gates [][]int
	a, b := make([]uint16, 16), make([]uint16, 16)
	for op := range 16 {
		gates, b[op] = append(gates, []int{op}), 1
	}
	return newModel(e, 16, 2, model.Section{
		Layers: 1, Ops: largest(gates...), Pins: []model.Pin{fixed(model.Input, a...), fixed(model.Input, b...)},
	})
}

// orderModel returns a model that reads bits of three features. Any exchange of features or thresholds changes the
// network.
func orderModel() *model.Model {
	e := encoding.Encoder{Bits: 4, BitsIn: 5, Max: 31, Thresholds: [][]uint16{{3, 10, 20}, {0, 2, 30}, {7, 8, 31}}}
	return newModel(e, 3, 3,
		model.Section{
			Layers: 1, Ops: largest([]int{3}, []int{2}, []int{4}),
			Pins: []model.Pin{fixed(model.Input, 5, 2, 0), fixed(model.Input, 8, 6, 8)},
		},
		model.Section{
			Layers: 1, Ops: largest([]int{7}, []int{6}, []int{11}),
			Pins: []model.Pin{spine, fixed(model.Input, 0, 4, 3)},
		})
}

// headModel returns a model with three classes of two chains. Each chain copies an input.
func headModel() *model.Model {
	e := encoding.Encoder{Bits: 3, BitsIn: 2, Max: 3, Thresholds: [][]uint16{{0, 1}, {1, 2}, {0, 2}}}
	return newModel(e, 6, 3, model.Section{
		Layers: 1, Ops: largest([]int{3}, []int{3}, []int{3}, []int{3}, []int{3}, []int{3}),
		Pins: []model.Pin{fixed(model.Input, 5, 1, 2, 0, 4, 3), fixed(model.Input, 0, 0, 0, 1, 1, 1)},
	})
}

// tiesModel returns a model with ties between logits. There are ties between all operations, between the first
// operations, between the last operations, and between +0 and -0.
func tiesModel() *model.Model {
	e := encoding.Encoder{Bits: 3, BitsIn: 2, Max: 3, Thresholds: [][]uint16{{0, 1}, {1, 2}}}
	zero := float32(math.Copysign(0, -1))
	first := largest(nil, []int{6, 9}, []int{14, 15}, []int{1, 5, 7})
	clear(first[:16])
	return newModel(e, 4, 2,
		model.Section{
			Layers: 1, Ops: first,
			Pins: []model.Pin{
				relaxed(model.Input, 3, []uint16{0, 1, 2, 3, 0, 1, 0, 1, 2, 1, 2, 3},
					0, 0, 0, 0.5, 0.5, 0, 0, zero, -1, -3, -3, -3),
				relaxed(model.Input, 3, []uint16{0, 1, 2, 2, 1, 0, 3, 2, 1, 2, 0, 3},
					0, 0, 0, -1, -0.5, -0.5, zero, 0, 0, 1, 2, 2),
			},
		},
		model.Section{
			Layers: 1, Ops: largest([]int{3, 12}, []int{2, 4, 15}, []int{6, 7, 8}, []int{7, 15}),
			Pins: []model.Pin{
				relaxed(model.Previous, 2, []uint16{1, 2, 2, 3, 1, 3, 0, 3}, 0, 0, 1, 1, 0, 1, -2, -2),
				fixed(model.Input, 0, 2, 0, 3),
			},
		})
}

// patchesModel returns a model with two nodes that are evaluated at all positions of an image. Pooling reduces their
// outputs.
func patchesModel() *model.Model {
	e := encoding.Encoder{Bits: 3, BitsIn: 2, Max: 3, Thresholds: slices.Repeat([][]uint16{{0, 1}}, 6)}
	m := newModel(e, 2, 2, model.Section{
		Layers: 1, Ops: largest([]int{6}, []int{2}),
		Pins: []model.Pin{fixed(model.Input, 4, 7), fixed(model.Input, 3, 0)},
		Grid: &topology.Grid{Planes: 1, Rows: 2, Columns: 3, Side: 2, Stride: 1, Padding: 1, Pool: 2},
	})
	m.Width, m.Config.Model.Width = 4, 4
	return m
}

// lightModel returns a model with truth tables of logits, including +0 and -0.
func lightModel() *model.Model {
	e := encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Thresholds: [][]uint16{{0}, {0}}}
	zero := float32(math.Copysign(0, -1))
	return newModel(e, 4, 2, model.Section{
		Layers: 1,
		Ops: []float32{
			1, 0, zero, 0.5,
			0, zero, 0, -1,
			-1, zero, math.SmallestNonzeroFloat32, 0,
			0, 3, -3, -math.SmallestNonzeroFloat32,
		},
		Pins: []model.Pin{fixed(model.Input, 1, 1, 1, 1), fixed(model.Input, 0, 0, 0, 0)},
	})
}
