package spec

// wordBits is the number of bits of a threshold.
const wordBits = 16

// encode returns the thermometer bits in order of feature and, for each feature, in ascending order of threshold.
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

// above returns whether a word of the given width is greater than the threshold. The argument word is the input with
// the least significant bit of the word. The other bits are the next inputs. The word is greater if, in some place,
// the word has a 1 and the threshold has a 0, and if, in all higher places, the word has a 1 wherever the threshold
// has a 1.
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
