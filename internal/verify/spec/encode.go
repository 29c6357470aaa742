package spec

// wordBits is the width in which thresholds are given.
const wordBits = 16

// encode returns the thermometer bits, feature by feature and in each by ascending
// threshold.
func (n *Network) encode(g *graph, o Options) []literal {
	x := make([]literal, 0, n.encoded())
	for f, thresholds := range n.thresholds {
		for j, t := range thresholds {
			bit := literal(2 * (1 + len(x)))
			switch {
			case o.Words:
				bit = g.above(literal(2*(1+f*n.bitsIn)), n.bitsIn, t)
			case o.Thermometer && j > 0:
				bit = g.and(bit, x[len(x)-1])
			}
			x = append(x, bit)
		}
	}
	return x
}

// above returns whether a word of so many inputs, the least significant one given, is
// greater than the threshold: in some place the word has a 1 and the threshold a 0, and
// in all higher places the word has a 1 where the threshold has.
func (g *graph) above(word literal, width int, threshold uint16) literal {
	greater, reaches := literal(0), literal(1)
	for i := wordBits - 1; i >= 0; i-- {
		bit := literal(0)
		if i < width {
			bit = word + literal(2*i)
		}
		if threshold>>i&1 == 1 {
			reaches = g.and(reaches, bit)
		} else {
			greater = g.or(greater, g.and(reaches, bit))
		}
	}
	return greater
}
