package netgen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ialgn/netlist"
)

// NetlistOptions describe a netlist. Zero fields have default values.
type NetlistOptions struct {
	Cells     int            // default 60
	Inputs    int            // bits of the two input ports together, at least 2; default 12
	Registers bool           // whether to add registers, in several pipeline stages
	Margins   bool           // whether half of the argmax cells have a margin
	Ties      bool           // whether there is a tie order; each argmax then has a word for each class
	Kinds     []netlist.Kind // kinds of cells; the default is all kinds, but registers only if Registers is true
}

// Netlist returns a random netlist. It is valid and contains many special cases that passes, writers and simulators
// may get wrong: constant, repeated and unused inputs, constants and inputs as outputs, cells without readers, labels
// that need quoting, primitives, origins with and without a gate, and chain classes. With registers, the netlist has
// several stages, and enables may come from any stage.
func Netlist(seed uint64, o NetlistOptions) *netlist.Netlist {
	if o.Cells == 0 {
		o.Cells = 60
	}
	if o.Inputs == 0 {
		o.Inputs = 12
	}
	if o.Kinds == nil {
		o.Kinds = netlist.Kinds()
		if !o.Registers {
			o.Kinds = slices.DeleteFunc(o.Kinds, func(k netlist.Kind) bool { return k == netlist.Register })
		}
	}
	g := &generator{
		Rand: rand.New(rand.NewPCG(seed, 0x6e65746c697374)),
		b:    netlist.NewBuilder("random"),
		o:    o,
	}
	g.declare()
	for range o.Cells {
		g.cell(o.Kinds[g.IntN(len(o.Kinds))])
	}
	g.ports()
	n := g.b.Netlist()
	if err := n.Validate(); err != nil {
		panic("netgen: " + err.Error())
	}
	return n
}

// chains is the number of chains that the origins of cells may name.
const chains = 7

type generator struct {
	*rand.Rand
	b          *netlist.Builder
	o          NetlistOptions
	primitives []int           // number of inputs of each primitive
	stages     [][]netlist.Net // the nets of each pipeline stage
	ties       []uint16        // the tie order, if there is one
}

// declare adds input ports, primitives and classes.
func (g *generator) declare() {
	odd := g.o.Inputs - 1
	low := g.b.Input("x", odd, odd, []string{`word "x" > 3 \ µ`})
	g.stages = [][]netlist.Net{append(low, g.b.Input("flag", 1, 1, nil)...)}
	for i, pins := range [][]string{{"I0", "I1", "I2", "I3"}, {"A"}, nil} {
		table := g.Uint64() >> (64 - 1<<len(pins))
		g.b.Primitive(netlist.PrimitiveType{Name: fmt.Sprintf("CELL_%d", i), Inputs: pins, Output: "O", Table: table})
		g.primitives = append(g.primitives, len(pins))
	}
	if g.o.Ties {
		for _, c := range Ties(g.Uint64(), 2+g.IntN(4)) {
			g.ties = append(g.ties, uint16(c))
		}
		g.b.Ties(g.ties)
	}
	class := make([]uint16, chains)
	for i := range class {
		class[i] = uint16(i / 3)
		if g.o.Ties {
			class[i] = uint16(i % len(g.ties))
		}
	}
	g.b.Classes(class)
}

// cell adds a random cell of kind k.
func (g *generator) cell(k netlist.Kind) {
	stage := len(g.stages) - 1 - min(g.IntN(len(g.stages)), g.IntN(len(g.stages)))
	param, inputs := g.form(k)
	in := g.pick(stage, inputs)
	if k == netlist.Register {
		if g.IntN(3) == 0 {
			in = append(in, g.pick(g.IntN(len(g.stages)), 1)...)
		}
		stage++
	}
	first := g.b.Cell(k, param, g.origin(), in...)
	width := 1
	switch k {
	case netlist.Popcount, netlist.Counter:
		width = netlist.ClassBits(inputs + 1)
	case netlist.Argmax:
		word, margin := netlist.ArgmaxForm(param)
		if width = netlist.ClassBits(inputs / word); margin > 0 {
			width++
		}
	}
	if stage == len(g.stages) {
		g.stages = append(g.stages, nil)
	}
	g.stages[stage] = append(g.stages[stage], netlist.Word(first, width)...)
}

// form draws the parameter and the number of data inputs of a cell of kind k.
func (g *generator) form(k netlist.Kind) (param uint64, inputs int) {
	switch k {
	case netlist.Function:
		inputs = []int{0, 1, 2, 2, 2, 2, 3, 4, 5, 6}[g.IntN(10)]
		return g.Uint64() >> (64 - 1<<inputs), inputs
	case netlist.Compare:
		inputs = 1 + g.IntN(9)
		return g.Uint64N(1 << inputs), inputs
	case netlist.Popcount:
		return 0, []int{1, 2, 3, 4, 7, 8, 20}[g.IntN(7)]
	case netlist.Counter:
		return 0, 2 + g.IntN(netlist.MaxCounter-1)
	case netlist.Argmax:
		word := 1 + g.IntN(4)
		inputs = word * []int{1, 2, 3, 4, 10}[g.IntN(5)]
		if g.o.Ties {
			inputs = word * len(g.ties)
		}
		if g.o.Margins && g.IntN(2) == 0 {
			return netlist.ArgmaxParam(word, 1+g.IntN(1<<word-1)), inputs
		}
		return netlist.ArgmaxParam(word, 0), inputs
	case netlist.Carry:
		return 0, 3
	case netlist.Register:
		return 0, 1
	case netlist.Primitive:
		i := g.IntN(len(g.primitives))
		return uint64(i), g.primitives[i]
	default:
		panic(fmt.Sprintf("netgen: unknown %v", k))
	}
}

// pick draws n nets of one stage. Recent nets are drawn more often. Some draws are constants or repeat another draw.
func (g *generator) pick(stage, n int) []netlist.Net {
	pool := g.stages[stage]
	in := make([]netlist.Net, n)
	for j := range in {
		switch u := g.IntN(16); {
		case u == 0:
			in[j] = netlist.Net(g.IntN(2))
		case u == 1 && j > 0:
			in[j] = in[g.IntN(j)]
		case u < 8:
			in[j] = pool[len(pool)-1-g.IntN(min(len(pool), 10))]
		default:
			in[j] = pool[g.IntN(len(pool))]
		}
	}
	return in
}

func (g *generator) origin() netlist.Origin {
	if g.IntN(3) == 0 {
		return netlist.Origin{}
	}
	return netlist.Origin{Layer: uint16(1 + g.IntN(5)), Chain: uint32(g.IntN(chains))}
}

// ports adds output ports and probes. All nets of a port or probe are from the same stage.
func (g *generator) ports() {
	last := len(g.stages) - 1
	g.b.Output("y", 1, nil, g.pick(last, 9))
	g.b.Output("words", 2, []string{"a", "", "c\td"}, g.pick(g.IntN(last+1), 6))
	g.b.Output("recent", 1, nil, g.stages[last][max(0, len(g.stages[last])-20):])
	g.b.Probe("look", g.pick(g.IntN(last+1), 5))
	g.b.Probe("bit", g.pick(last, 1))
}
