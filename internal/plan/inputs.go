package plan

import (
	"encoding/json"
	"math"

	"ialgn/backend"
	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/inputs"
	"ialgn/netlist"
)

// inputs returns the table that says how the values of a sample become the inputs of a product.
func (p *Plan) inputs(m backend.Manifest, enc *encoding.Encoder) *inputs.Table {
	data := dataOf(m)
	t := &inputs.Table{
		Module: m.Module, File: backend.InputsName(m.Module), Scope: m.Scope, Classes: m.Classes,
		Label: data.Label, DecimalComma: data.Decimal == "comma",
		Bits: enc.BitsIn, Max: enc.Max, Scaled: enc.Quantiser != nil, ByCuts: enc.ByCuts(),
		Missing: inputs.Missing{Words: encoding.MissingWords, Numbers: encoding.MissingNumbers},
	}
	t.Missing.Declared, _ = config.Names(data.MissingValues) // every configuration has a valid list
	if p.scope != netlist.Full {
		t.Thresholds = enc.Thresholds
	}
	for f := range enc.Thresholds {
		t.Features = append(t.Features, inputs.Feature{Name: enc.Name(f)})
	}
	addColumns(t, enc)
	switch {
	case t.ByCuts:
		addCuts(t, enc)
	case t.Scaled:
		addScales(t, enc)
	}
	return t
}

// dataOf returns the manifest's data section, or a zero section if the data section cannot be read.
// [Plan.CompareManifest] reports this error.
func dataOf(m backend.Manifest) (data config.Data) {
	if json.Unmarshal(m.Data, &data) != nil {
		return config.Data{}
	}
	return data
}

// addColumns adds the columns of the training set's table and marks the features that encode categories. If the
// encoder does not describe columns, each feature is a column.
func addColumns(t *inputs.Table, enc *encoding.Encoder) {
	if enc.Columns == nil {
		for f := range t.Features {
			c := inputs.Column{Kind: inputs.Number, Feature: f}
			if len(enc.Names) > 0 {
				c.Name = enc.Names[f]
			}
			t.Columns = append(t.Columns, c)
		}
		return
	}
	at := 0
	for i := range enc.Columns {
		c := &enc.Columns[i]
		t.Columns = append(t.Columns, inputs.Column{
			Name: c.Name, Kind: inputs.Kind(c.Kind), Feature: at, Values: c.Categories, Missing: c.Missing, Fill: c.Fill,
		})
		for f := at; f < at+c.Features(); f++ {
			t.Features[f].Category, t.Features[f].Missing = c.Kind == encoding.CategoryColumn, c.Missing
			if c.Missing && c.Kind == encoding.NumberColumn {
				t.Features[f].Fill = enc.Quantiser.Apply(f, c.Fill, enc.Max)
			}
		}
		at += c.Features()
	}
}

// addScales adds the offsets and scales that turn real values into words. It also adds trials, which are example
// values with their words. The value of a feature for a category is 1 or 0.
func addScales(t *inputs.Table, enc *encoding.Encoder) {
	q := encoding.Quantiser{Offset: make([]float64, len(t.Features)), Scale: make([]float64, len(t.Features))}
	for f := range t.Features {
		q.Offset[f], q.Scale[f] = enc.Quantiser.Offset[f], enc.Quantiser.Scale[f]
		if t.Features[f].Category {
			q.Offset[f], q.Scale[f] = 0, float64(enc.Max)
		}
		t.Features[f].Offset, t.Features[f].Scale = q.Offset[f], q.Scale[f]
	}
	for _, trial := range trials {
		addTrial(t, &q, func(f int) float64 { return trial(q.Offset[f], q.Scale[f], enc.Max, f) })
	}
}

// addCuts adds the cuts that turn real values into words. It also adds trials, which are example values with their
// words. The examples are values at cuts, next to cuts, and beyond all cuts.
func addCuts(t *inputs.Table, enc *encoding.Encoder) {
	q := enc.Quantiser
	for f := range t.Features {
		t.Features[f].Cuts = q.Cuts[f]
	}
	n, far := int(enc.Max), math.Inf(1)
	for k := range cutTrials {
		at := func(f int) float64 { return q.Cuts[f][(f+k)%n] }
		addTrial(t, q, at)
		addTrial(t, q, func(f int) float64 { return beside(at(f), -far) })
		addTrial(t, q, func(f int) float64 { return beside(at(f), far) })
	}
	addTrial(t, q, func(int) float64 { return -math.MaxFloat64 })
	addTrial(t, q, func(int) float64 { return math.MaxFloat64 })
}

// cutTrials is the number of cuts of each feature for which there are trials.
const cutTrials = 3

// beside returns the finite number next to x in the direction of the argument to.
func beside(x, to float64) float64 {
	return min(max(math.Nextafter(x, to), -math.MaxFloat64), math.MaxFloat64)
}

// addTrial adds a row of values, and the words into which a quantiser turns these values.
func addTrial(t *inputs.Table, q *encoding.Quantiser, value func(f int) float64) {
	row := inputs.Trial{Values: make([]float64, len(t.Features)), Words: make([]uint16, len(t.Features))}
	for f := range row.Values {
		row.Values[f] = value(f)
		row.Words[f] = q.Apply(f, row.Values[f], t.Max)
	}
	t.Trials = append(t.Trials, row)
}

// trials holds functions that each return an example value for a feature. The values are below and above the
// feature's range, halfway between two words, and next to halfway values.
var trials = []func(offset, scale float64, max uint32, f int) float64{
	func(offset, scale float64, max uint32, f int) float64 { return halfway(offset, scale, f%int(max)) },
	func(offset, scale float64, max uint32, f int) float64 {
		return math.Nextafter(halfway(offset, scale, (f+1)%int(max)), math.Inf(-1))
	},
	func(offset, scale float64, max uint32, f int) float64 {
		return math.Nextafter(halfway(offset, scale, (f+2)%int(max)), math.Inf(1))
	},
	func(offset, scale float64, max uint32, _ int) float64 { return halfway(offset, scale, int(max)-1) },
	func(offset, scale float64, _ uint32, _ int) float64 { return halfway(offset, scale, -1) },
	func(float64, float64, uint32, int) float64 { return math.MaxFloat64 },
	func(float64, float64, uint32, int) float64 { return -math.MaxFloat64 },
}

// halfway returns the value halfway between word and word + 1.
func halfway(offset, scale float64, word int) float64 {
	if scale == 0 {
		return offset
	}
	if x := offset + (float64(word)+0.5)/scale; !math.IsInf(x, 0) {
		return x
	}
	return offset
}
