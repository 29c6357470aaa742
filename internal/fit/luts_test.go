package fit

import (
	"fmt"
	"math"
	"testing"

	library "ialgn"
	"ialgn/internal/config"
)

// TestSizer predicts the size of networks from one compiled network with a different width, and proposes widths that
// fit.
func TestSizer(t *testing.T) {
	s := search{subject: subject{features: 64, classes: 10, keeps: true, family: "xilinx7"}}
	compiled := func(width, depth int) measured {
		t.Helper()
		cfg, err := library.LoadConfig(library.TrainOptions{}, "../../examples/digits/digits.yaml", fmt.Sprintf("model.width=%d", width),
			fmt.Sprintf("model.depth=%d", depth), "model.inputs=6", "encoder.bits=4", "model.tau=1", "train.epochs=1")
		if err != nil {
			t.Fatal(err)
		}
		m, err := library.Train(t.Context(), cfg, library.Data{}, library.TrainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		c, err := s.costOf(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if c.Gates+c.Head+c.Encoder != c.Total || c.Kept < 100 || c.cells() != c.Total+c.Kept {
			t.Errorf("width %d: cost %+v", width, c)
		}
		return measured{s.shapeOf(&cfg), *c}
	}
	known := sizer{compiled(100, 2)}
	for _, width := range []int{50, 200, 400} {
		got := compiled(width, 2)
		if p := known.predict(got.shape); math.Abs(p/float64(got.cells())-1) > 0.12 {
			t.Errorf("width %d: %.0f cells predicted, it takes %d", width, p, got.cells())
		}
	}
	p := known[0].shape
	for _, budget := range []float64{30, 300, 3000} {
		p.width = known.width(p, 10, budget)
		if p.width%10 != 0 || p.width < 10 || p.width > 10 && known.predict(p) > budget {
			t.Errorf("budget %v: width %d, which takes %.0f", budget, p.width, known.predict(p))
		}
		if p.width += 10; known.predict(p) <= budget {
			t.Errorf("budget %v: width %d fits, too", budget, p.width)
		}
	}
	if w := known.width(p, 10, 1e12); w > mostWidth {
		t.Errorf("width %d for any budget", w)
	}
}

// TestShapePressure checks how the cost of the encoder is predicted. The prediction must use networks with the same
// pressure towards fewer LUTs, whatever their width, and must ignore networks with another pressure. A pressure that
// the user sets does not change with the width.
func TestShapePressure(t *testing.T) {
	shapeAt := func(draft config.Draft, width int, keys ...string) shape {
		t.Helper()
		s := search{subject: subject{features: 64, classes: 10, family: "ice40"}, draft: draft}
		cfg, err := draft.With(nil, append(keys, fmt.Sprintf("model.width=%d", width), "encoder.bits=4", "model.tau=1"))
		if err != nil {
			t.Fatal(err)
		}
		return s.shapeOf(&cfg)
	}
	encoder := func(known, asked shape) float64 {
		m := measured{known, cost{LUTs: LUTs{Encoder: 1e6}}}
		return sizer{m}.predict(asked)
	}
	free := draftOf(t, "data.set=digits")
	given := draftOf(t, "data.set=digits", "train.cost.target=ice40", "train.cost.pressure=0.001")
	at := func(value string, width int) shape {
		return shapeAt(free, width, pressure("ice40", value, size{width, 10})...)
	}
	if got := encoder(at("0.02", 100), at("0.02", 1000)); got < 1e6 {
		t.Errorf("the same pressure at another width: %v predicted", got)
	}
	if got := encoder(at("0.02", 100), at("0.06", 1000)); got > 1e6 {
		t.Errorf("another pressure: %v predicted", got)
	}
	if got := encoder(shapeAt(given, 100), shapeAt(given, 1000)); got < 1e6 {
		t.Errorf("a given pressure at another width: %v predicted", got)
	}
}

// TestNormalised checks the estimate of a network's error at the size of the budget. A network above the budget would
// have a larger error at that size.
func TestNormalised(t *testing.T) {
	if got := normalised(0.1, 1000, 1000); got != 0.1 {
		t.Errorf("at the budget: %v", got)
	}
	if got := normalised(0.1, 2000, 1000); math.Abs(got-0.125) > 0.001 {
		t.Errorf("at twice the budget: %v, want a quarter more", got)
	}
	if got := normalised(0.1, 0, 1000); !(got > 0 && got < 0.1) {
		t.Errorf("without look-up tables: %v", got)
	}
}
