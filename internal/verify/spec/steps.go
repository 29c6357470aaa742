package spec

// repeat turns the layers of one step into the layers of all steps of a sequence. Each step has the same number of
// thermometer bits, and the bits are in order of the steps. If the first layer of a step reads the previous layer, it
// now reads the last layer of the previous step. In the first step, it reads 0 instead ([Network.gates]).
func (n *Network) repeat(steps int) {
	step, share := n.layers, n.encoded()/steps
	for s := 1; s < steps; s++ {
		for i := range step {
			l := step[i]
			l.pins = nil
			for _, p := range step[i].pins {
				if p.anchored {
					p.source = later(p.source, uint32(s*share))
				}
				l.pins = append(l.pins, p)
			}
			n.layers = append(n.layers, l)
		}
	}
}

// later returns the sources, each increased by the given number.
func later(sources []uint32, by uint32) []uint32 {
	all := make([]uint32, len(sources))
	for i, s := range sources {
		all[i] = s + by
	}
	return all
}
