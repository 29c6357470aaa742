package wiring

import (
	"fmt"
	"math"
	"slices"

	"ialgn/internal/hint"
)

// dataSets are the numbers of inputs of main.py's data sets, with how many samples random_split draws an order of
// before the network is made; 0: it is not called.
var dataSets = []struct{ inputs, split int }{
	{784, 60000},   // mnist
	{400, 60000},   // mnist20x20
	{9216, 50000},  // cifar-10-3-thresholds
	{95232, 50000}, // cifar-10-31-thresholds
	{116, 0},       // adult
	{51, 0},        // breast_cancer
	{17, 0},        // monk1, monk2, monk3
}

// Replay returns the wiring that difflogic's experiments/main.py drew from a seed (its arguments --seed and
// --connections), given the input bits and the gates of each layer. It holds what main.py does: the seed is set, the
// training samples are split, which takes one order of all of them, and every layer then draws its wiring, on the CPU,
// while its weights come from the generator of the GPU. A network whose weights were drawn on the CPU has another
// wiring of the same seed.
//
// It returns an error for what main.py makes no network of.
func Replay(seed int64, connections string, inputs int, widths []int) (*Wiring, error) {
	i := 0
	for i < len(dataSets) && dataSets[i].inputs != inputs {
		i++
	}
	switch {
	case seed < 0:
		return nil, fmt.Errorf("seed %d: want 0 or more", seed)
	case i == len(dataSets):
		return nil, hint.With(fmt.Errorf("a seed tells the wiring of a network that difflogic's main.py made: it has no "+
			"data set of %d input bits", inputs), "give the generated C or Verilog instead")
	}
	for _, width := range widths {
		if width != widths[0] {
			return nil, fmt.Errorf("a seed tells the wiring of a network that difflogic's main.py made: its layers are "+
				"of equal width, not of %d and %d gates", widths[0], width)
		}
	}
	g := newTwister(uint32(seed))
	if n := dataSets[i].split; n > 0 {
		g.permutation(n)
	}
	w := &Wiring{Inputs: inputs, Form: "seed"}
	for _, width := range widths {
		layer, err := drawn(g, connections, inputs, width)
		if err != nil {
			return nil, err
		}
		w.Layers, inputs = append(w.Layers, layer), width
	}
	return w, nil
}

// drawn draws the wiring of a layer (get_connections of difflogic/difflogic.py).
func drawn(g *twister, connections string, inputs, width int) (Layer, error) {
	if inputs > 2*width || width > math.MaxInt32/2 {
		return Layer{}, fmt.Errorf("difflogic makes no layer of %d gates that read %d bits", width, inputs)
	}
	switch connections {
	case "unique":
		pairs, err := uniquePairs(inputs, width)
		if err != nil {
			return Layer{}, err
		}
		layer := Layer{make([]int32, width), make([]int32, width)}
		for i, p := range g.permutation(width) {
			layer.A[i], layer.B[i] = pairs[p][0], pairs[p][1]
		}
		return layer, nil
	case "random":
		both := g.permutation(2 * width)
		order := g.permutation(inputs)
		for i, v := range both {
			both[i] = order[int(v)%inputs]
		}
		return Layer{both[:width:width], both[width:]}, nil
	}
	return Layer{}, fmt.Errorf("connections %q: want unique or random", connections)
}

// uniquePairs returns the pairs that a layer of unique connections has, before they are shuffled
// (get_unique_connections of difflogic/functional.py): neighbours that begin at even bits, then at odd ones, then bits
// at a distance of 2, 3 and so on.
func uniquePairs(inputs, width int) ([][2]int32, error) {
	var pairs [][2]int32
	add := func(first, step, distance int) {
		for i := first; i+distance < inputs && len(pairs) < width; i += step {
			pairs = append(pairs, [2]int32{int32(i), int32(i + distance)})
		}
	}
	add(0, 2, 1)
	add(1, 2, 1)
	for distance := 2; len(pairs) < width && distance < len(pairs); distance++ { // there, an assertion ends it
		add(0, 1, distance)
	}
	if len(pairs) < width {
		return nil, fmt.Errorf("%d bits have no %d pairs, as connections that are unique need", inputs, width)
	}
	return slices.Clip(pairs), nil
}

// twister is the Mersenne Twister MT19937 of Matsumoto and Nishimura (1998), PyTorch's generator on the CPU.
type twister struct {
	state [624]uint32
	at    int
}

// newTwister returns a generator as PyTorch's manual_seed leaves it, which uses the lower 32 bits of a seed.
func newTwister(seed uint32) *twister {
	t := &twister{at: 624}
	for i := range t.state {
		t.state[i] = seed
		seed = 1812433253*(seed^seed>>30) + uint32(i) + 1
	}
	return t
}

// next draws a number of 32 bits.
func (t *twister) next() uint32 {
	if t.at == len(t.state) {
		for i := range t.state {
			y := t.state[i]&(1<<31) | t.state[(i+1)%624]&(1<<31-1)
			t.state[i] = t.state[(i+397)%624] ^ y>>1 ^ y&1*0x9908b0df
		}
		t.at = 0
	}
	y := t.state[t.at]
	t.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// permutation draws an order of the numbers 0 to n-1 as torch.randperm does on the CPU: each place is exchanged with
// one at or behind it, with the remainder of a drawn number as the distance (randperm_cpu in ATen's
// native/TensorFactories.cpp).
func (t *twister) permutation(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	for i := range n - 1 {
		j := i + int(t.next()%uint32(n-i))
		p[i], p[j] = p[j], p[i]
	}
	return p
}
