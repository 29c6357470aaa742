package explain

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ialgn/internal/model"
)

// Vote is a node of the last layer whose value is 1.
type Vote struct {
	Class string `json:"class"`
	Chain int    `json:"chain"` // number of the node; if chains are private, also the number of the node's chain

	// Path has the nodes on which the vote depends, from the inputs to the last layer. The last node of Path is the
	// vote itself. If there are more than MostNodes such nodes, Path has only the nodes that decide the vote, and
	// Shortened is true.
	Path      []Node `json:"path"`
	Shortened bool   `json:"shortened,omitempty"`
}

// MostNodes is the largest number of nodes in a path that is not shortened.
const MostNodes = 256

// Node is a node with its values for the sample.
type Node struct {
	Layer   int    `json:"layer"`
	Node    int    `json:"node"`
	Table   uint64 `json:"table"` // operation or truth table of the node
	Line    int    `json:"line"`  // line of the table selected by the pins' values; pin A is the highest bit
	Value   int    `json:"value"`
	Decides bool   `json:"decides"` // whether this is one of the nodes that decide the vote
	Pins    []Pin  `json:"pins"`
}

// Pin is a pin of a node. It reads a node of the preceding layer, or an input bit.
type Pin struct {
	Name    string `json:"pin"` // A, B, and so on
	Value   int    `json:"value"`
	Decides bool   `json:"decides"`        // whether this is one of the pins that determine the node's value
	Node    *int   `json:"node,omitempty"` // number of a node in the preceding layer
	Input   *Bit   `json:"input,omitempty"`
}

// Bit is an input bit, which says whether a feature word is greater than a threshold.
type Bit struct {
	Place
	Threshold uint16 `json:"threshold"`
	Bit       int    `json:"bit"` // number of the bit among the input bits

	// Least is the least value of the data for which the bit is 1. It is set if the features are not integers in the
	// data.
	Least *float64 `json:"least_value,omitempty"`
	// Cut is the threshold as a value of the data. The bit is 1 for values above Cut. Cut is set if cuts turn values
	// into feature words.
	Cut *float64 `json:"cut,omitempty"`

	word bool // whether the bit belongs to a word of a category
}

// bit describes an input bit.
func (n *Network) bit(i int) *Bit {
	enc := &n.f.Encoder
	f, j := i/(enc.Bits-1), i%(enc.Bits-1)
	b := &Bit{Place: PlaceOf(enc, n.shape, f), Threshold: enc.Thresholds[f][j], Bit: i}
	if b.word = n.isWord(f); b.word {
		return b
	}
	if cut, has := enc.Cut(i); has {
		b.Cut = &cut
	} else if q := enc.Quantiser; q != nil && q.Scale[f] != 0 {
		least := q.Offset[f] + (float64(b.Threshold)+0.5)/q.Scale[f] // the quantiser rounds this value up
		b.Least = &least
	}
	return b
}

// says returns a text that states that the bit has the given value.
func (b *Bit) says(value int) string {
	if b.word {
		return []string{"not ", ""}[value] + b.String()
	}
	switch {
	case b.Cut != nil:
		return fmt.Sprintf("%s %s %.6g", b.Place, []string{"<=", ">"}[value], *b.Cut)
	case b.Least != nil:
		return fmt.Sprintf("%s %s %.6g", b.Place, []string{"<", ">="}[value], *b.Least)
	}
	return fmt.Sprintf("%s %s %d", b.Place, []string{"<=", ">"}[value], b.Threshold)
}

// votes returns the nodes of the last layer that are 1, class by class.
func (n *Network) votes(e *Explanation, classes []int) []Vote {
	t, group, all := n.tracer(e), n.f.Width/len(n.f.Classes), []Vote{}
	for _, c := range classes {
		for i := c * group; i < (c+1)*group; i++ {
			if at(e.Values[len(e.Values)-1], i) == 1 {
				v := Vote{Class: n.f.Classes[c], Chain: i}
				v.Path, v.Shortened = t.path(i)
				all = append(all, v)
			}
		}
	}
	return all
}

func at(layer []uint64, i int) int { return int(layer[i/64] >> (i % 64) & 1) }

// tracer follows the pins of nodes for a sample.
type tracer struct {
	*Network
	values [][]uint64
	inputs []uint64 // bit 0 of each word belongs to the sample
}

func (n *Network) tracer(e *Explanation) *tracer { return &tracer{n, e.Values, n.bits(e.Words)} }

// key identifies a node. layer counts from 0.
type key struct{ layer, node int }

// path returns the nodes below a node of the last layer. It also reports whether nodes that do not decide the vote
// are left out.
func (t *tracer) path(node int) (path []Node, shortened bool) {
	top := key{t.f.Depth() - 1, node}
	decide := t.reach(top, t.deciding, 0)
	all := t.reach(top, t.depends, MostNodes)
	if all == nil {
		all, shortened = decide, true
	}
	keys := make([]key, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.layer != b.layer {
			return a.layer - b.layer
		}
		return a.node - b.node
	})
	for _, k := range keys {
		path = append(path, t.node(k, decide[k]))
	}
	return path, shortened
}

// reach returns the nodes that can be reached from a node. From each node, it follows the pins that the function pins
// selects. It returns nil if the number of nodes exceeds most, unless most is 0.
func (t *tracer) reach(top key, pins func(key) uint8, most int) map[key]bool {
	seen, todo := map[key]bool{top: true}, []key{top}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		layer := &t.f.Layers[k.layer]
		for chosen := pins(k); chosen != 0; chosen &= chosen - 1 {
			p := &layer.Pins[bits.TrailingZeros8(chosen)]
			next := key{k.layer - 1, int(p.Index[k.node])}
			if p.Source == model.Previous && !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
		if most > 0 && len(seen) > most {
			return nil
		}
	}
	return seen
}

// value returns the value that a pin of a node reads.
func (t *tracer) value(k key, pin int) int {
	p := &t.f.Layers[k.layer].Pins[pin]
	i := int(p.Index[k.node])
	if p.Source == model.Previous {
		return at(t.values[k.layer-1], i)
	}
	return int(t.inputs[i])
}

// depends returns the pins on which a node's table depends. Bit i of the result is set for pin i.
func (t *tracer) depends(k key) (pins uint8) {
	layer := &t.f.Layers[k.layer]
	for i := range layer.Pins {
		if model.DependsOn(layer.Op.At(k.node), len(layer.Pins), i) {
			pins |= 1 << i
		}
	}
	return pins
}

// deciding returns the smallest set of pins whose values alone determine the node's value. Among several smallest
// sets, it returns the set with the most input bits. If there are several such sets, it returns the first.
func (t *tracer) deciding(k key) (pins uint8) {
	layer := &t.f.Layers[k.layer]
	best, table := 1<<16, layer.Op.At(k.node)
	for set := range uint8(1) << len(layer.Pins) {
		cost := 16 * bits.OnesCount8(set)
		rest := table
		for i := range layer.Pins {
			if set>>i&1 == 0 {
				continue
			}
			rest = model.Restrict(rest, len(layer.Pins), i, t.value(k, i) == 1)
			if layer.Pins[i].Source == model.Input {
				cost--
			}
		}
		if cost < best && (rest == 0 || rest == model.LastTable(len(layer.Pins))) {
			best, pins = cost, set
		}
	}
	return pins
}

// node returns a node with its values for the sample.
func (t *tracer) node(k key, decides bool) Node {
	layer := &t.f.Layers[k.layer]
	v := Node{
		Layer: k.layer + 1, Node: k.node, Table: layer.Op.At(k.node), Value: at(t.values[k.layer], k.node), Decides: decides,
	}
	var fix uint8
	if decides {
		fix = t.deciding(k)
	}
	for i := range layer.Pins {
		p := Pin{Name: model.PinName(i), Value: t.value(k, i), Decides: fix>>i&1 == 1}
		v.Line = v.Line<<1 | p.Value
		if index := int(layer.Pins[i].Index[k.node]); layer.Pins[i].Source == model.Previous {
			p.Node = &index
		} else {
			p.Input = t.bit(index)
		}
		v.Pins = append(v.Pins, p)
	}
	return v
}

// Deciding returns the pins that read the input bits that decide the vote. Each bit occurs once, in the order of the
// path.
func (v *Vote) Deciding() (all []Pin) {
	seen := map[int]bool{}
	for i := range v.Path {
		for _, p := range v.Path[i].Pins {
			if p.Decides && p.Input != nil && !seen[p.Input.Bit] {
				seen[p.Input.Bit] = true
				all = append(all, p)
			}
		}
	}
	return all
}

// Reason describes in words the input bits that decide a vote. The argument most limits the number of bits that it
// names.
func (v *Vote) Reason(most int) string {
	pins := v.Deciding()
	if len(pins) == 0 {
		return "always"
	}
	var all []string
	for _, p := range pins[:min(len(pins), most)] {
		all = append(all, p.Input.says(p.Value))
	}
	if more := len(pins) - most; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}
