// Package explain says why a frozen network takes a sample for a class, and what a compiled netlist looks at.
//
// A [Network] is made once of a frozen model and then asked about samples, which are feature words. An [Explanation]
// has three parts: the class counts; for the class and the one after it each node that voted 1, with the nodes below it
// and the input bits that decided it; and the changes of features that have another class come out. These are searched
// with the bit-parallel simulator, a candidate a lane, and nothing is given back before the simulator and the trainer's
// forward pass, each by itself, have found the same counts.
//
// [ReadsOf] counts what of the features a netlist still reads, class by class, after whatever passes and lowerings it
// has been through.
//
// Features, pixels' rows and columns, nodes, input bits and lines of tables count from 0, layers from 1, as in a
// netlist. Operations, tables and their lines are in the paper's numbering ([model.Tables]).
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/progress"
	"ialgn/netlist"
	"ialgn/sim"
)

// Explanation is why a sample is taken for a class.
type Explanation struct {
	Sample   int      `json:"sample"`
	Source   string   `json:"source"`          // the file, or the data set, that the sample is of
	Label    string   `json:"label,omitempty"` // its class by the data set, where that is known
	Class    string   `json:"class"`
	RunnerUp string   `json:"runner_up,omitempty"` // the class that comes next; empty where there is one class
	Margin   int      `json:"margin"`              // votes by which it is behind
	Classes  []string `json:"classes"`
	Counts   []int32  `json:"counts"` // votes of each class

	// The nodes of the last layer that are 1, of the class and of the runner-up.
	Votes []Vote `json:"votes"`

	// Flips are the changes that have another class come out; empty where none were found, and Flipped says what then
	// comes out.
	Flips   []Change `json:"flips"`
	Flipped *Flipped `json:"flipped"`

	Search  Search `json:"search"`
	Checked bool   `json:"checked"` // simulator and forward pass have the same counts, before and after the changes

	Index   int           `json:"-"` // number of the class
	Words   []uint16      `json:"-"` // feature words of the sample
	Changed []uint16      `json:"-"` // the same with the changes; nil where none were found
	Values  [][]uint64    `json:"-"` // [layer], bit i of which is the value of node i
	Shape   dataset.Shape `json:"-"` // that of images; zero if the features are none
}

// Change is that of one feature word, or of the words of a category, of which it has the one that is set.
type Change struct {
	Place
	From uint16 `json:"from"` // feature words
	To   uint16 `json:"to"`

	// The same as values of the data, where features are not integers themselves.
	FromValue *float64 `json:"from_value,omitempty"`
	ToValue   *float64 `json:"to_value,omitempty"`

	// Where feature words are made by cuts, the values of the data that have these words.
	FromRange *Range `json:"from_range,omitempty"`
	ToRange   *Range `json:"to_range,omitempty"`

	// The words of a category before, empty where it was none that is known, and after.
	FromCategory string `json:"from_category,omitempty"`
	ToCategory   string `json:"to_category,omitempty"`
}

// Says returns what is changed to what, in words and values of the data where these are known.
func (c *Change) Says() (from, to string) {
	switch {
	case c.ToCategory != "":
		return cmp.Or(c.FromCategory, "none"), c.ToCategory
	case c.FromValue != nil && c.ToValue != nil:
		return fmt.Sprintf("%.6g", *c.FromValue), fmt.Sprintf("%.6g", *c.ToValue)
	case c.FromRange != nil && c.ToRange != nil:
		return c.FromRange.String(), c.ToRange.String()
	}
	return fmt.Sprint(c.From), fmt.Sprint(c.To)
}

// Range is the values above one number and at most another, nil for none.
type Range struct {
	Above  *float64 `json:"above,omitempty"`
	AtMost *float64 `json:"at_most,omitempty"`
}

// String names the range for people.
func (r *Range) String() string {
	switch {
	case r.Above == nil:
		return fmt.Sprintf("<= %.6g", *r.AtMost)
	case r.AtMost == nil:
		return fmt.Sprintf("> %.6g", *r.Above)
	}
	return fmt.Sprintf("> %.6g and <= %.6g", *r.Above, *r.AtMost)
}

// Category is a column of words: one feature for each word that it can have, of which the one of the sample's word has
// the largest value that there is, and the others 0.
type Category struct {
	Name  string
	First int      // first of its features, which follow each other
	Words []string // one a feature
}

// Flipped is what comes out with the changes.
type Flipped struct {
	Class  string  `json:"class"`
	Counts []int32 `json:"counts"`

	// Least says that no set of fewer changes flips the class.
	Least bool `json:"least"`

	// Irreducible says that no other set flips the class that is made of these changes by leaving some out, by making
	// some smaller, or both. Of a set that is too large to try all of these, only that no single change can be left out
	// or made smaller.
	Irreducible bool `json:"irreducible"`
}

// Search is how changes were looked for.
type Search struct {
	Candidates int `json:"candidates"` // features times the values of each that the network tells apart
	Changes    int `json:"changes"`    // the most changes that were tried together
	AllUpTo    int `json:"all_up_to"`  // all sets of up to so many changes were tried, and none flips the class
}

// Place is a feature. Row, column and plane are those of images' pixels.
type Place struct {
	Feature int    `json:"feature"`
	Name    string `json:"name"`
	Plane   *int   `json:"plane,omitempty"` // of images of several planes
	Row     *int   `json:"row,omitempty"`
	Column  *int   `json:"column,omitempty"`
}

// String names a feature for people.
func (p Place) String() string {
	switch {
	case p.Row == nil:
		return p.Name
	case p.Plane != nil:
		return fmt.Sprintf("%s (plane %d, row %d, column %d)", p.Name, *p.Plane, *p.Row, *p.Column)
	}
	return fmt.Sprintf("%s (row %d, column %d)", p.Name, *p.Row, *p.Column)
}

// PlaceOf returns the place of feature f of an encoder; the shape is zero where the features are no images.
func PlaceOf(enc *encoding.Encoder, shape dataset.Shape, f int) Place {
	p := Place{Feature: f, Name: enc.Name(f)}
	if shape == (dataset.Shape{}) {
		return p
	}
	plane, row, column := f/(shape.Height*shape.Width), f/shape.Width%shape.Height, f%shape.Width
	p.Row, p.Column = &row, &column
	if shape.Planes > 1 {
		p.Plane = &plane
	}
	return p
}

// Network is a frozen network that is asked about samples, one at a time.
type Network struct {
	f       *model.Frozen
	shape   dataset.Shape
	columns []column
	live    *Live
	sim     *sim.Classifier
	room    float64 // sets of changes that each exhaustive search may try
}

// Options say what the features of a network are, and how much it computes with.
type Options struct {
	Shape      dataset.Shape // that of images; zero if the features are none
	Categories []Category    // in the order of their features
	Threads    int           // goroutines
}

// New returns a network of f, which must stay unchanged. It returns an error if f is not valid or too large for a
// netlist.
func New(f *model.Frozen, o Options) (*Network, error) {
	raw, err := freeze.Network(f, netlist.Core)
	if err != nil {
		return nil, err
	}
	classifier, err := sim.NewClassifier(raw, o.Threads)
	if err != nil {
		return nil, err
	}
	return &Network{
		f: f, shape: o.Shape, columns: columns(f.Encoder.Features(), o.Categories), live: LiveOf(f), sim: classifier,
		room: roomFor(f),
	}, nil
}

// Explain explains a sample, one word a feature, in which at most so many changes are tried together.
func (n *Network) Explain(ctx context.Context, words []uint16, changes int) (*Explanation, error) {
	ctx, end := progress.Begin(ctx, "explain")
	defer end()
	counts, err := n.counts(ctx, words)
	if err != nil {
		return nil, err
	}
	names := n.f.Classes
	e := &Explanation{
		Classes: names, Counts: counts, Index: winner(counts), Words: slices.Clone(words), Shape: n.shape,
		Flips: []Change{}, Checked: true, Values: n.values(words),
	}
	e.Class = names[e.Index]
	shown := []int{e.Index}
	if next := runnerUp(counts, e.Index); next >= 0 {
		e.RunnerUp, e.Margin = names[next], int(counts[e.Index]-counts[next])
		shown = append(shown, next)
	}
	e.Votes = n.votes(e, shown)
	return e, n.flip(ctx, e, changes)
}

// errDisagree is a fault of the program: the explanation would be of something else than the network.
var errDisagree = errors.New("explain: the simulator and the trainer's forward pass differ, which is a fault of the " +
	"program; please report it")

// counts returns the class counts of a sample, in which the simulator and the forward pass agree.
func (n *Network) counts(ctx context.Context, words []uint16) ([]int32, error) {
	r, err := n.sim.Classify(ctx, n.bits(words), 1)
	if err != nil {
		return nil, err
	}
	p := encoding.NewPacked(n.f.Encoder.Features(), n.f.Encoder.LevelBits())
	levels := make([]uint16, len(words))
	n.f.Encoder.Levels(levels, words)
	p.Append(levels, 0)
	s, err := n.f.Evaluate(ctx, p, 1)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(r.Counts, s.Counts) || int(r.Class[0]) != int(s.Predicted[0]) || winner(r.Counts) != int(r.Class[0]) {
		return nil, errDisagree
	}
	return r.Counts, nil
}

// bits returns the thermometer bits of a sample, a word each, of which bit 0 is that of the sample.
func (n *Network) bits(words []uint16) []uint64 {
	enc, rows := &n.f.Encoder, make([]uint64, 0, n.f.Inputs())
	for f, v := range words {
		for _, t := range enc.Thresholds[f] {
			rows = append(rows, one(v > t))
		}
	}
	return rows
}

func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// values returns the values of all nodes, layer by layer.
func (n *Network) values(words []uint16) (all [][]uint64) {
	model.NewEvaluator(n.f).Run(n.bits(words), 1, func(_ int, h []uint64) {
		layer := make([]uint64, (len(h)+63)/64)
		for i, v := range h {
			layer[i/64] |= v & 1 << (i % 64)
		}
		all = append(all, layer)
	})
	return all
}

// winner returns the class with the largest count, the lowest of equal ones.
func winner(counts []int32) (best int) {
	for c, n := range counts {
		if n > counts[best] {
			best = c
		}
	}
	return best
}

// runnerUp returns the class with the largest count but for one class, -1 if there is no other.
func runnerUp(counts []int32, class int) int {
	next := -1
	for c, n := range counts {
		if c != class && (next < 0 || n > counts[next]) {
			next = c
		}
	}
	return next
}

// Live says what of a frozen network the class counts can depend on: nodes and input bits that are read, by nodes
// that are, on pins that their tables depend on. What a pin that is read twice or a constant makes of a table is not
// followed.
type Live struct {
	Nodes  [][]uint64 // [layer], bit i of which says that node i is
	Inputs []bool     // [input bit]
}

// LiveOf finds what is live in one walk from the last layer to the first.
func LiveOf(f *model.Frozen) *Live {
	v := &Live{Inputs: make([]bool, f.Inputs()), Nodes: make([][]uint64, f.Depth())}
	for l := range f.Layers {
		v.Nodes[l] = make([]uint64, (f.Layers[l].Width()+63)/64)
	}
	last := v.Nodes[f.Depth()-1]
	for i := range f.Width {
		last[i/64] |= 1 << (i % 64)
	}
	for l := f.Depth() - 1; l >= 0; l-- {
		layer := &f.Layers[l]
		for w, word := range v.Nodes[l] {
			for ; word != 0; word &= word - 1 {
				i := w*64 + bits.TrailingZeros64(word)
				for k := range layer.Pins {
					if model.DependsOn(layer.Op.At(i), len(layer.Pins), k) {
						v.read(l, &layer.Pins[k], i)
					}
				}
			}
		}
	}
	return v
}

// read notes what a pin of node i in layer l reads.
func (v *Live) read(l int, p *model.FrozenPin, i int) {
	at := p.Index[i]
	if p.Source == model.Input {
		v.Inputs[at] = true
		return
	}
	v.Nodes[l-1][at/64] |= 1 << (at % 64)
}
