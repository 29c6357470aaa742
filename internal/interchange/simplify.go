package interchange

import "ialgn/internal/interchange/graph"

// simplified copies circuit c into another circuit (to). The inputs of c are replaced with bits of the other circuit,
// which the slice bits lists. The slice out lists bits of c, and simplified returns the positions of their copies.
// The copy has no nodes that are constant or pass a bit on. It has no pins that are constant, unused or repeated.
func simplified(c *graph.Circuit, bits, out []graph.Ref, to *graph.Circuit) []graph.Ref {
	at := make([]graph.Ref, c.Inputs+c.Nodes())
	copy(at, bits)
	where := func(r graph.Ref) graph.Ref {
		if r < 0 {
			return r
		}
		return at[r]
	}
	pins := make([]graph.Ref, 0, graph.MaxPins)
	for node := range c.Nodes() {
		pins = pins[:0]
		for _, p := range c.NodePins(node) {
			pins = append(pins, where(p))
		}
		at[c.Inputs+node] = simpleNode(to, c.Tables[node], pins)
	}
	made := make([]graph.Ref, len(out))
	for i, r := range out {
		made[i] = where(r)
	}
	return made
}

// simpleNode adds a node, unless the node is constant or equals one of its pins. It overwrites the slice pins.
func simpleNode(to *graph.Circuit, table uint64, pins []graph.Ref) graph.Ref {
	for k := 0; k < len(pins); {
		switch first := indexOf(pins[:k], pins[k]); {
		case pins[k] == graph.False:
			table = restrict(table, len(pins), k, func(uint) bool { return false })
		case pins[k] == graph.True:
			table = restrict(table, len(pins), k, func(uint) bool { return true })
		case first >= 0: // pin k is always equal to an earlier pin, whose number is first
			n := len(pins)
			table = restrict(table, n, k, func(rest uint) bool { return rest>>(n-2-first)&1 == 1 })
		case !depends(table, len(pins), k):
			table = restrict(table, len(pins), k, func(uint) bool { return false })
		default:
			k++
			continue
		}
		pins = append(pins[:k], pins[k+1:]...)
	}
	switch {
	case len(pins) == 0 && table&1 == 0:
		return graph.False
	case len(pins) == 0:
		return graph.True
	case len(pins) == 1 && table&3 == 0b10:
		return pins[0]
	}
	return to.Add(table, pins...)
}

func indexOf(pins []graph.Ref, p graph.Ref) int {
	for i, q := range pins {
		if p == q {
			return i
		}
	}
	return -1
}

// restrict returns a table without pin k. The parameter value is a function that returns the value of pin k for each
// line of the remaining pins.
func restrict(table uint64, pins, k int, value func(rest uint) bool) uint64 {
	below := pins - 1 - k // number of digits below the pin's digit
	made := uint64(0)
	for rest := range uint(1) << (pins - 1) {
		line := rest>>below<<(below+1) | rest&(1<<below-1)
		if value(rest) {
			line |= 1 << below
		}
		made |= table >> line & 1 << rest
	}
	return made
}

// depends reports whether a table depends on pin k.
func depends(table uint64, pins, k int) bool {
	low := restrict(table, pins, k, func(uint) bool { return false })
	return low != restrict(table, pins, k, func(uint) bool { return true })
}
