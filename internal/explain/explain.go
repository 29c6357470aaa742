// Package explain explains why a frozen network assigns a sample to a class. It also counts which features a compiled
// netlist reads.
//
// A [Network] is made once from a frozen model and then explains samples, which are feature words. An [Explanation]
// has three parts:
//
//   - the class counts;
//   - each node that voted for the class or for the runner-up, with the nodes below it and the input bits that
//     decided its vote;
//   - a set of changes of features that changes the class.
//
// The search for these changes uses the bit-parallel simulator, with a candidate in each lane. Class counts are
// computed both by the simulator and by the trainer's forward pass. An explanation is returned only if the two
// results are equal.
//
// [ReadsOf] counts, for each class, which features a netlist still reads after its passes and lowerings.
//
// Layers count from 1, as in a netlist. Features, rows and columns of pixels, nodes, input bits and lines of tables
// count from 0. Operations, tables and lines of tables have the paper's numbers ([model.Tables]).
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
	"ialgn/internal/ties"
	"ialgn/netlist"
	"ialgn/sim"
)

// Explanation explains why a sample is assigned to a class.
type Explanation struct {
	Sample   int      `json:"sample"`
	Source   string   `json:"source"`          // the file, or the data set, that contains the sample
	Label    string   `json:"label,omitempty"` // class of the sample in the data set, if known
	Class    string   `json:"class"`
	RunnerUp string   `json:"runner_up,omitempty"` // class with the next largest count; empty for a single class
	Margin   int      `json:"margin"`              // number of votes by which the runner-up is behind
	Classes  []string `json:"classes"`
	Counts   []int32  `json:"counts"` // number of votes for each class, including its offset

	// Offsets has the class offsets, which no node decides. It is nil if no class has an offset.
	Offsets []int `json:"offsets,omitempty"`

	// Ties has the classes in the order in which they win ties. It is nil if the lowest class wins.
	Ties []int `json:"ties,omitempty"`

	// Votes has the nodes of the last layer that are 1 and vote for the class or for the runner-up.
	Votes []Vote `json:"votes"`

	// Flips is a set of changes of the sample that changes its class. It is empty if no such set was found. Flipped
	// describes the result of these changes.
	Flips   []Change `json:"flips"`
	Flipped *Flipped `json:"flipped"`

	Search  Search `json:"search"`
	Checked bool   `json:"checked"` // simulator and forward pass give the same counts, before and after the changes

	Index   int           `json:"-"` // number of the class
	Words   []uint16      `json:"-"` // feature words of the sample
	Changed []uint16      `json:"-"` // feature words after the changes; nil if no changes were found
	Values  [][]uint64    `json:"-"` // indexed [layer]; bit i of an element is the value of node i
	Shape   dataset.Shape `json:"-"` // shape of images; zero if the features are not images
}

// Change is a change of one feature word. For a category, it is a change from one word to another, and Feature is the
// feature of the new word.
type Change struct {
	Place
	From uint16 `json:"from"` // feature words
	To   uint16 `json:"to"`

	// FromValue and ToValue are From and To converted to values of the data. They are set if the features are not
	// integers in the data.
	FromValue *float64 `json:"from_value,omitempty"`
	ToValue   *float64 `json:"to_value,omitempty"`

	// FromRange and ToRange are the ranges of the values in the data that become the words From and To. They are set
	// if cuts turn values into feature words.
	FromRange *Range `json:"from_range,omitempty"`
	ToRange   *Range `json:"to_range,omitempty"`

	// FromCategory is the word of the category before the change. It is empty if this word is not known. ToCategory
	// is the word after the change.
	FromCategory string `json:"from_category,omitempty"`
	ToCategory   string `json:"to_category,omitempty"`
}

// Says returns the old value and the new value. They are words of a category or values of the data if these are
// known, and otherwise feature words.
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

// Range is the set of values above one number and up to another number. A nil number means no limit.
type Range struct {
	Above  *float64 `json:"above,omitempty"`
	AtMost *float64 `json:"at_most,omitempty"`
}

// String returns the range as text for people.
func (r *Range) String() string {
	switch {
	case r.Above == nil:
		return fmt.Sprintf("<= %.6g", *r.AtMost)
	case r.AtMost == nil:
		return fmt.Sprintf("> %.6g", *r.Above)
	}
	return fmt.Sprintf("> %.6g and <= %.6g", *r.Above, *r.AtMost)
}

// Category is a column of the data that contains words. It has one feature for each possible word. The feature for
// the sample's word has the largest possible value, and the other features are 0.
type Category struct {
	Name  string
	First int      // number of the column's first feature; the other features follow
	Words []string // one word for each feature
}

// Flipped is the result of the changes in an explanation.
type Flipped struct {
	Class  string  `json:"class"`
	Counts []int32 `json:"counts"`

	// Least is true if every set with fewer changes leaves the class unchanged.
	Least bool `json:"least"`

	// Irreducible is true if every smaller set of changes leaves the class unchanged. A set is smaller if some
	// changes are left out or made smaller. Irreducible is false if the set is too large to try all smaller sets. In
	// that case, it is only known that no single change can be left out or made smaller.
	Irreducible bool `json:"irreducible"`
}

// Search describes the search for changes.
type Search struct {
	Candidates int `json:"candidates"` // pairs of a feature and a new value that the network can distinguish
	Changes    int `json:"changes"`    // largest number of changes that were tried together
	AllUpTo    int `json:"all_up_to"`  // no set with up to this number of changes flips the class
}

// Place is a feature. If the feature is a pixel of an image, it has a row, a column and a plane.
type Place struct {
	Feature int    `json:"feature"`
	Name    string `json:"name"`
	Plane   *int   `json:"plane,omitempty"` // for images of several planes
	Row     *int   `json:"row,omitempty"`
	Column  *int   `json:"column,omitempty"`
}

// String returns the feature's name as text for people.
func (p Place) String() string {
	switch {
	case p.Row == nil:
		return p.Name
	case p.Plane != nil:
		return fmt.Sprintf("%s (plane %d, row %d, column %d)", p.Name, *p.Plane, *p.Row, *p.Column)
	}
	return fmt.Sprintf("%s (row %d, column %d)", p.Name, *p.Row, *p.Column)
}

// PlaceOf returns the place of feature f of an encoder. The shape is zero if the features are not images.
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

// Network is a frozen network that explains samples, one at a time.
type Network struct {
	f       *model.Frozen
	shape   dataset.Shape
	columns []column
	live    *Live
	sim     *sim.Classifier
	room    float64 // number of sets of changes that each exhaustive search may try
}

// Options describes the features of a network, and the resources that an explanation may use.
type Options struct {
	Shape      dataset.Shape // shape of images; zero if the features are not images
	Categories []Category    // in the order of their features
	Threads    int           // number of goroutines
}

// New returns a network that explains f. The caller must not change f afterwards. New returns an error if f is not
// valid or too large for a netlist.
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

// Explain explains a sample, which has one word for each feature. The argument changes is the largest number of
// changes that it tries together.
func (n *Network) Explain(ctx context.Context, words []uint16, changes int) (*Explanation, error) {
	ctx, end := progress.Begin(ctx, "explain")
	defer end()
	counts, err := n.counts(ctx, words)
	if err != nil {
		return nil, err
	}
	names := n.f.Classes
	e := &Explanation{
		Classes: names, Counts: counts, Offsets: n.f.Offsets, Ties: n.f.Ties, Index: ties.Winner(counts, n.f.Ties),
		Words: slices.Clone(words), Shape: n.shape,
		Flips: []Change{}, Checked: true, Values: n.values(words),
	}
	e.Class = names[e.Index]
	shown := []int{e.Index}
	if next := runnerUp(counts, n.f.Ties, e.Index); next >= 0 {
		e.RunnerUp, e.Margin = names[next], int(counts[e.Index]-counts[next])
		shown = append(shown, next)
	}
	e.Votes = n.votes(e, shown)
	return e, n.flip(ctx, e, changes)
}

// errDisagree reports a bug in the program that could make an explanation wrong.
var errDisagree = errors.New("explain: the simulator and the trainer's forward pass differ, which is a fault of the " +
	"program; please report it")

// counts returns the class counts of a sample. It returns an error if the simulator and the forward pass give
// different counts.
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
	if !slices.Equal(r.Counts, s.Counts) || int(r.Class[0]) != int(s.Predicted[0]) ||
		ties.Winner(r.Counts, n.f.Ties) != int(r.Class[0]) {
		return nil, errDisagree
	}
	return r.Counts, nil
}

// bits returns the thermometer bits of a sample. Each thermometer bit is in a separate word, at bit 0.
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

// values returns the values of all nodes, with one element for each layer.
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

// runnerUp returns the class that would win if the given class did not exist. It returns -1 if there is no other class.
func runnerUp(counts []int32, order []int, class int) int {
	next := -1
	for place := range counts {
		if c := ties.At(order, place); c != class && (next < 0 || counts[c] > counts[next]) {
			next = c
		}
	}
	return next
}

// Live says on which nodes and input bits of a frozen network the class counts can depend. A node or an input bit is
// live if a live node reads it with a pin on which the table of this live node depends. Live ignores that a table may
// depend on fewer pins if two pins have the same input, or if an input is constant.
type Live struct {
	Nodes  [][]uint64 // indexed [layer]; bit i of an element says that node i is live
	Inputs []bool     // indexed by input bit
}

// LiveOf finds the live nodes and bits in one pass from the last layer to the first.
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

// read marks as live the node or input bit that is read by pin p of node i in layer l.
func (v *Live) read(l int, p *model.FrozenPin, i int) {
	at := p.Index[i]
	if p.Source == model.Input {
		v.Inputs[at] = true
		return
	}
	v.Nodes[l-1][at/64] |= 1 << (at % 64)
}
