package spec

// repeat makes the layers of a step those of all steps of a sequence. The thermometer bits are those of step 0, then
// those of step 1 and so on, in equal shares. What the first layer reads of a layer before is, from the second step on,
// the last layer of the step before; at the first it is 0 ([Network.gates]).
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

// later returns sources so many bits further on.
func later(sources []uint32, by uint32) []uint32 {
	all := make([]uint32, len(sources))
	for i, s := range sources {
		all[i] = s + by
	}
	return all
}
