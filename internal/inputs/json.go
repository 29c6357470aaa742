package inputs

import (
	"bytes"
	"encoding/json"
	"io"
)

// Format is the version of NAME.json. CutsFormat is the version for tables in which real values become words by cuts.
// A program that knows only the version in Format would compute wrong words from such a table.
const (
	Format     = 1
	CutsFormat = 2
)

// rule is the formula that NAME.json states for human readers. cutsRule is the formula for tables in which real
// values become words by cuts.
const rule = "word = (x - offset) * scale in doubles, rounded to the nearest integer, halves away from zero, " +
	"at least 0 and at most max; 0 where scale is 0; x is 1 or 0 for a feature of a category"

const cutsRule = "word = the number of the feature's cuts that x is greater than, in doubles; x is 1 or 0 for a " +
	"feature of a category"

// words is the part of NAME.json that describes all words.
type words struct {
	Bits   int    `json:"bits"`
	Max    uint32 `json:"max"`
	Scaled bool   `json:"scaled"`
	Rule   string `json:"rule,omitempty"` // for human readers
}

// feature is a feature in NAME.json.
type feature struct {
	Name   string    `json:"name"`
	Offset *float64  `json:"offset,omitempty"`
	Scale  *float64  `json:"scale,omitempty"`
	Cuts   []float64 `json:"cuts,omitempty"`
}

// column is a column in NAME.json.
type column struct {
	Name    string   `json:"name,omitempty"`
	Kind    Kind     `json:"kind"`
	Feature *int     `json:"feature,omitempty"`
	Values  []string `json:"values,omitempty"`
	Missing bool     `json:"missing,omitempty"`
	Fill    *float64 `json:"fill,omitempty"`
}

// WriteJSON writes NAME.json. protocol describes the interface that takes samples, or is nil if there is none.
//
// The keys are:
//   - format, module, scope and classes;
//   - label, if it is known;
//   - decimal, which is "comma" if numbers have a decimal comma;
//   - missing_values, if there are any;
//   - words, with bits, max, scaled and, for scaled words, rule;
//   - columns, each with name, kind, feature, values, missing and fill;
//   - features, each with name and, for scaled words, offset and scale, or cuts in format 2;
//   - thresholds, if the design takes thermometer bits;
//   - interface.
//
// Lists have one element on each line.
func WriteJSON[P any](w io.Writer, t *Table, protocol *P) error {
	o := &object{}
	o.key("format", t.Format())
	o.key("module", t.Module)
	o.key("scope", t.Scope)
	o.key("classes", t.Classes)
	if t.Label != "" {
		o.key("label", t.Label)
	}
	if t.DecimalComma {
		o.key("decimal", "comma")
	}
	if t.Missing.Declared != nil {
		o.key("missing_values", t.Missing.Declared)
	}
	o.key("words", words{t.Bits, t.Max, t.Scaled, t.rule()})
	list(o, "columns", t.columns())
	list(o, "features", t.features())
	if t.Thresholds != nil {
		list(o, "thresholds", t.Thresholds)
	}
	if protocol != nil {
		o.key("interface", protocol)
	}
	o.text.WriteString("\n}\n")
	if o.err != nil {
		return o.err
	}
	_, err := w.Write(o.text.Bytes())
	return err
}

// Format returns the version of NAME.json that can describe the table.
func (t *Table) Format() int {
	if t.ByCuts {
		return CutsFormat
	}
	return Format
}

func (t *Table) rule() string {
	switch {
	case !t.Scaled:
		return ""
	case t.ByCuts:
		return cutsRule
	}
	return rule
}

func (t *Table) columns() (all []column) {
	for _, c := range t.Columns {
		j := column{Name: c.Name, Kind: c.Kind, Values: c.Values, Missing: c.Missing}
		if c.Features() > 0 {
			j.Feature = &c.Feature
		}
		if c.Missing && c.Kind == Number {
			j.Fill = &c.Fill
		}
		all = append(all, j)
	}
	return all
}

func (t *Table) features() (all []feature) {
	for _, f := range t.Features {
		j := feature{Name: f.Name}
		switch {
		case t.ByCuts:
			j.Cuts = f.Cuts
		case t.Scaled:
			j.Offset, j.Scale = &f.Offset, &f.Scale
		}
		all = append(all, j)
	}
	return all
}

// object writes a JSON object with one key on each line. It keeps the first error.
type object struct {
	text bytes.Buffer
	err  error
}

// name writes the beginning of the line of a key.
func (o *object) name(name string) {
	before := ",\n  "
	if o.text.Len() == 0 {
		before = "{\n  "
	}
	o.text.WriteString(before)
	o.value(name)
	o.text.WriteString(": ")
}

func (o *object) value(v any) {
	e := json.NewEncoder(&o.text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && o.err == nil {
		o.err = err
	}
	o.text.Truncate(len(bytes.TrimRight(o.text.Bytes(), "\n")))
}

func (o *object) key(name string, v any) {
	o.name(name)
	o.value(v)
}

// list writes a key whose value is a list. Each element is on its own line.
func list[T any](o *object, name string, elements []T) {
	o.name(name)
	o.text.WriteString("[")
	for i, v := range elements {
		if i > 0 {
			o.text.WriteString(",")
		}
		o.text.WriteString("\n    ")
		o.value(v)
	}
	o.text.WriteString("\n  ]")
}
