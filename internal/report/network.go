package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"path/filepath"
	"slices"

	"ialgn"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/explain"
	"ialgn/internal/model"
)

// NetworkPage is a page that shows a network gate by gate, and optionally explains the class of a sample. The page
// contains the network as arrays of numbers, and one script. It allows no other script.
type NetworkPage struct {
	Version     string // version of the program
	File        string // name of the model file
	Title       string // name of the network
	Frozen      *model.Frozen
	Shape       dataset.Shape        // shape of images; zero if the features are not images
	Explanation *explain.Explanation // nil if the page is not about a sample
}

// NewNetworkPage returns the page about the network f of a model. x is the explanation of a sample, or nil.
func NewNetworkPage(m *ialgn.Model, f *model.Frozen, x *explain.Explanation) *NetworkPage {
	return &NetworkPage{
		Version: ialgn.Version, File: filepath.Base(m.Path()), Title: m.Name(), Frozen: f, Shape: m.Shape(), Explanation: x,
	}
}

//go:embed network.html
var networkHTML string

//go:embed network.js
var networkScript string

var networkTemplate = parse("network", networkHTML)

// WriteTo writes the page. If every gate has two pins and one of them reads the gate's own chain, the page takes
// about 5 1/3 bytes for each gate.
func (p *NetworkPage) WriteTo(w io.Writer) (int64, error) {
	out := &counted{w: w}
	err := p.write(out)
	return out.n, err
}

// counted is a writer that counts the bytes that are written.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

func (p *NetworkPage) write(w io.Writer) error {
	before, after, err := p.sections()
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(networkScript))
	err = networkTemplate.Execute(w, struct {
		*NetworkPage
		Hash, Lead, Gates, FirstClass, FirstFeature string
		Before, After                               []section
	}{
		p, "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), p.lead(), count(p.Frozen.Gates()), p.Frozen.Classes[0],
		p.Frozen.Encoder.Name(0), before, after,
	})
	if err != nil {
		return err
	}
	if err := p.writeData(w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "<script>"+networkScript+"</script>\n</body>\n</html>\n")
	return err
}

// writeData writes the elements with the data for the script.
func (p *NetworkPage) writeData(w io.Writer) error {
	head, data := p.pack()
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	// JSON from Go contains no <, so no text in it can end the element.
	if _, err := fmt.Fprintf(w, "<script type=\"application/json\" id=\"head\">%s</script>\n", text); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "<script type=\"text/plain\" id=\"data\">"); err != nil {
		return err
	}
	lines := base64.NewEncoder(base64.StdEncoding, w)
	for _, part := range data {
		if _, err := lines.Write(part); err != nil {
			return err
		}
	}
	if err := lines.Close(); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</script>\n")
	return err
}

// lead returns the subject of the page in a sentence or two.
func (p *NetworkPage) lead() string {
	text := fmt.Sprintf("%s nodes in %d layers over %s input bits, for %d classes.", count(p.Frozen.Gates()),
		p.Frozen.Depth(), count(p.Frozen.Inputs()), len(p.Frozen.Classes))
	if x := p.Explanation; x != nil {
		text += fmt.Sprintf(" The page explains why sample %d of %s has class %s.", x.Sample, x.Source, x.Class)
	}
	return text
}

// The script reads the network by the JSON names of these structs. All numbers are little-endian. Each array
// begins at a multiple of four bytes.

type packedHead struct {
	Width      int                 `json:"width"` // number of nodes in the last layer
	Classes    []string            `json:"classes"`
	Layers     []packedLayer       `json:"layers"`
	Bits       int                 `json:"bits"`       // number of thresholds of a feature
	Names      []string            `json:"names"`      // names of the features; null for none
	Thresholds [][]uint16          `json:"thresholds"` // one row if all features have the same thresholds
	Shape      *dataset.Shape      `json:"shape"`      // shape of images; null for other features
	Quantiser  *encoding.Quantiser `json:"quantiser"`  // converts values of the data; null for integer features
	Sample     []uint16            `json:"sample"`     // feature words; null without a sample
	Chosen     int                 `json:"chosen"`     // node of the last layer that is selected at first; -1 for none
}

type packedLayer struct {
	Width int         `json:"width"`
	Kind  int         `json:"kind"`  // start of a byte for each node: its kind, +8 if live, +16 if 1 for the sample
	Table packed      `json:"table"` // truth tables; a table of 8 bytes is two words, the lower one first
	Pins  []packedPin `json:"pins"`
}

type packedPin struct {
	packed
	From int  `json:"from"` // 0 for input bits, 1 for nodes of the layer before
	Own  bool `json:"own"`  // each node reads the node with its own number; there is no array
}

// packed describes an array by its start and the number of bytes in each element.
type packed struct {
	At    int `json:"at"`
	Bytes int `json:"bytes"`
}

// packer appends arrays.
type packer struct {
	parts [][]byte
	size  int
}

// add appends an array of n numbers with the given number of bytes.
func (k *packer) add(n, bytes int, value func(i int) uint64) packed {
	at, all := k.size, make([]byte, (n*bytes+3)&^3)
	for i := range n {
		switch v := value(i); bytes {
		case 1:
			all[i] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(all[2*i:], uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(all[4*i:], uint32(v))
		default:
			binary.LittleEndian.PutUint64(all[8*i:], v)
		}
	}
	k.parts, k.size = append(k.parts, all), k.size+len(all)
	return packed{at, bytes}
}

// pack returns the network as arrays, with a head that describes them.
func (p *NetworkPage) pack() (*packedHead, [][]byte) {
	f, enc := p.Frozen, &p.Frozen.Encoder
	head := &packedHead{
		Width: f.Width, Classes: f.Classes, Bits: enc.Bits - 1, Thresholds: rows(enc), Quantiser: enc.Quantiser, Chosen: -1,
	}
	if len(enc.Names) > 0 {
		for i := range enc.Features() {
			head.Names = append(head.Names, enc.Name(i))
		}
	}
	if p.Shape != (dataset.Shape{}) {
		head.Shape = &p.Shape
	}
	if x := p.Explanation; x != nil {
		head.Sample = x.Words
		if len(x.Votes) > 0 {
			head.Chosen = x.Votes[0].Chain
		}
	}
	live, k := explain.LiveOf(f), &packer{}
	for l := range f.Layers {
		head.Layers = append(head.Layers, p.packLayer(k, l, live))
	}
	return head, k.parts
}

// rows returns one row of thresholds for each feature, or a single row if all features have the same thresholds.
func rows(enc *encoding.Encoder) [][]uint16 {
	for _, row := range enc.Thresholds {
		if !slices.Equal(row, enc.Thresholds[0]) {
			return enc.Thresholds
		}
	}
	return enc.Thresholds[:1]
}

func (p *NetworkPage) packLayer(k *packer, l int, live *explain.Live) packedLayer {
	layer := &p.Frozen.Layers[l]
	n, pins := layer.Width(), len(layer.Pins)
	out := packedLayer{Width: n}
	out.Kind = k.add(n, 1, func(i int) uint64 {
		v := kindOf(layer.Op.At(i), pins) | live.Nodes[l][i/64]>>(i%64)&1<<3
		if p.Explanation != nil {
			v |= p.Explanation.Values[l][i/64] >> (i % 64) & 1 << 4
		}
		return v
	}).At
	out.Table = k.add(n, max(1, 1<<pins/8), layer.Op.At)
	for j := range layer.Pins {
		out.Pins = append(out.Pins, packPin(k, &layer.Pins[j]))
	}
	return out
}

func packPin(k *packer, p *model.FrozenPin) packedPin {
	out := packedPin{From: 1, Own: true}
	if p.Source == model.Input {
		out.From = 0
	}
	for i, v := range p.Index {
		out.Own = out.Own && out.From == 1 && int(v) == i
	}
	if out.Own {
		return out
	}
	bytes := 4
	if slices.Max(p.Index) < 1<<16 {
		bytes = 2
	}
	out.packed = k.add(len(p.Index), bytes, func(i int) uint64 { return uint64(p.Index[i]) })
	return out
}

// These are the kinds of tables. The script contains the names and colours of the kinds.
const (
	kindConstant = iota
	kindPass
	kindNegation
	kindTwo
	kindXOR
	kindThree
	kindFour
	kindMore
)

// kindOf returns the kind of a node's table.
func kindOf(table uint64, pins int) uint64 {
	var on []int
	for i := range pins {
		if model.DependsOn(table, pins, i) {
			on = append(on, i)
		}
	}
	switch last := model.LastTable(pins); {
	case len(on) == 0:
		return kindConstant
	case len(on) == 1 && table == model.PinTable(pins, on[0]):
		return kindPass
	case len(on) == 1:
		return kindNegation
	case len(on) == 2 && bits.OnesCount64(table)*2 == bits.OnesCount64(last):
		return kindXOR
	case len(on) == 2:
		return kindTwo
	}
	return min(kindMore, uint64(kindThree+len(on)-3))
}

// sections returns the sections about the sample, before and after the network.
func (p *NetworkPage) sections() (before, after []section, err error) {
	if p.Explanation == nil {
		return nil, nil, nil
	}
	flips := p.flips()
	if p.Shape != (dataset.Shape{}) {
		flips.Matrix, err = p.pictures()
	}
	return []section{p.counts(), flips}, []section{p.votes()}, err
}

// counts shows the votes for each class.
func (p *NetworkPage) counts() section {
	x := p.Explanation
	s := section{ID: "counts", Title: "Votes for the classes"}
	text := fmt.Sprintf("The class is %s", x.Class)
	if x.Label != "" {
		text += ", the label " + x.Label
	}
	if x.RunnerUp != "" {
		text += fmt.Sprintf("; %s follows, %s votes behind", x.RunnerUp, count(x.Margin))
	}
	s.Notes = []string{text + ". The simulator and the trainer's forward pass give the same counts."}
	if x.Offsets != nil {
		s.Notes = append(s.Notes, "The votes include the offset that the model adds to each class, which no chain decides.")
	}
	t := table{Caption: "Votes for each class", Head: []string{"class", "votes"}, Numbers: true}
	if x.Flipped != nil {
		t.Head = append(t.Head, "with the changes")
	}
	if x.Offsets != nil {
		t.Head = append(t.Head, "offset")
	}
	t.Head = append(t.Head, "")
	for c, n := range x.Counts {
		row := texts(x.Classes[c], count(int(n)))
		if x.Flipped != nil {
			row = append(row, cell{Text: count(int(x.Flipped.Counts[c]))})
		}
		if x.Offsets != nil {
			row = append(row, cell{Text: count(x.Offsets[c])})
		}
		share := 100 * ratio(int(n), p.Frozen.LargestCount())
		t.Rows = append(t.Rows, append(row, cell{Bar: &share}))
	}
	s.Tables = []table{t}
	return s
}

// flips shows changes that would change the class.
func (p *NetworkPage) flips() section {
	x := p.Explanation
	s := section{ID: "flips", Title: "Changes that lead to another class"}
	if x.Flipped == nil {
		s.Notes = []string{fmt.Sprintf("No change of up to %s features was found that leads to another class.",
			count(x.Search.Changes))}
		return s
	}
	least := "No single change can be omitted or made smaller."
	switch {
	case x.Flipped.Least:
		least = "Fewer changes are not enough."
	case x.Flipped.Irreducible:
		least = "No subset of them is enough."
	}
	s.Notes = []string{fmt.Sprintf("With all these changes, the class becomes %s. %s", x.Flipped.Class, least)}
	t := table{Caption: "Changes of features", Head: []string{"feature", "from", "to"}, Numbers: true}
	for _, c := range x.Flips {
		from, to := c.Says()
		t.Rows = append(t.Rows, texts(c.String(), from, to))
	}
	s.Tables = []table{t}
	return s
}

// These constants limit the number of votes that the page lists for a class, and the number of bits that it lists for
// a vote.
const (
	mostVotes = 25
	mostBits  = 12
)

// votes lists the chains that voted for the class and for the runner-up.
func (p *NetworkPage) votes() section {
	x := p.Explanation
	s := section{ID: "votes", Title: "Chains that voted", Notes: []string{
		"Each chain is listed with the input bits that decided its vote; the other bits have no effect. The network above " +
			"shows a chain by its number.",
	}}
	for _, class := range []string{x.Class, x.RunnerUp} {
		all := slices.DeleteFunc(slices.Clone(x.Votes), func(v explain.Vote) bool { return v.Class != class })
		if len(all) == 0 {
			continue
		}
		t := table{Caption: "Votes for " + class, Head: []string{"chain", "decided by"}}
		if len(all) > mostVotes {
			t.Caption = fmt.Sprintf("The first %d of %s votes for %s", mostVotes, count(len(all)), class)
		}
		for i := range all[:min(len(all), mostVotes)] {
			t.Rows = append(t.Rows, texts(fmt.Sprint(all[i].Chain), all[i].Reason(mostBits)))
		}
		s.Tables = append(s.Tables, t)
	}
	return s
}
