package spec

// repeat turns the layers of one step into the layers of all steps of a sequence. The thermometer bits are in
// order of step, in equal shares. A first layer that reads the layer before it reads, from the second step on,
// the last layer of the step before; in the first step it reads 0 ([Network.gates]).
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
