package netgen

import (
	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// Demo returns the network of docs/reference/netlist.md. It has two pixels with one threshold each, and two chains
// with one layer.
func Demo() *model.Frozen {
	e, err := encoding.NewUniform(2, 2, 8, 255, []string{"pixel 0", "pixel 1"})
	if err != nil {
		panic("netgen: " + err.Error())
	}
	return &model.Frozen{
		Name:    "demo",
		Classes: []string{"even", "odd"},
		Width:   2,
		Encoder: *e,
		Layers: []model.FrozenLayer{
			{Op: model.Tables{Narrow: []uint8{1, 6}}, Pins: []model.FrozenPin{{Index: []uint32{0, 1}}, {Index: []uint32{1, 0}}}},
		},
	}
}
