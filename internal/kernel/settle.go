package kernel

// Settle assigns rows to the pin gradients that [RelaxedPass.Update] leaves for the previous layer. It sets Layer.Rows,
// makes the edges refer to these rows, and returns the number of rows. Goroutine t updates the gates of each layer in
// the range [bounds[t], bounds[t+1]).
//
// If only one gate reads a row, the row is free after this gate has read it. The gate's own pins then reuse the row
// while the row is in the first-level cache. Two alternating arrays would be simpler, but their rows would be read
// from memory and written back to memory. For a network of 12,000 x 20 with random wires, reusing rows saves about an
// eighth of the time.
func Settle(layers []*Layer, bounds []int) (rows int) {
	var s settler
	var above *Layer
	for l := len(layers) - 1; l >= 0; l-- {
		s.layer(layers[l], above, bounds)
		above = layers[l]
	}
	return int(s.rows)
}

// settler holds the rows that are free while a layer is updated.
type settler struct {
	free []uint32
	rows uint32
}

func (s *settler) layer(l, above *Layer, bounds []int) {
	width := bounds[len(bounds)-1]
	l.Rows = make([]uint32, 2*width)
	slotsA, slotsB := l.Slots()
	var later []uint32 // rows that are free once all goroutines are done with the layer
	for t, from := range bounds[:len(bounds)-1] {
		var own []uint32 // rows that this goroutine has freed itself
		for i := from; i < bounds[t+1]; i++ {
			if above != nil {
				own = above.lead(l.Uses.Of(i), own)
			}
			for pin, slots := range [2]int{slotsA, slotsB} {
				if slots > 0 {
					l.Rows[2*i+pin] = s.take(&own)
				}
			}
		}
		later = append(later, own...)
	}
	s.free = append(s.free, later...)
	if above != nil {
		s.free = above.shared(s.free)
	}
}

// take returns the row that was freed last, or a new row.
func (s *settler) take(own *[]uint32) uint32 {
	for _, from := range []*[]uint32{own, &s.free} {
		if last := len(*from) - 1; last >= 0 {
			row := (*from)[last]
			*from = (*from)[:last]
			return row
		}
	}
	s.rows++
	return s.rows - 1
}

// lead makes each edge into the layer refer to the row of the edge's pin. If no other edge refers to this row, lead
// appends the row to free. It returns the extended slice free.
func (l *Layer) lead(edges []Edge, free []uint32) []uint32 {
	slotsA, slotsB := l.Slots()
	for i, e := range edges {
		edges[i].Pin = l.Rows[e.Pin]
		if [2]int{slotsA, slotsB}[e.Pin%2] == 1 {
			free = append(free, edges[i].Pin)
		}
	}
	return free
}

// shared appends the row of each pin to which several edges refer.
func (l *Layer) shared(rows []uint32) []uint32 {
	slotsA, slotsB := l.Slots()
	for pin, slots := range [2]int{slotsA, slotsB} {
		for i := pin; slots > 1 && i < len(l.Rows); i += 2 {
			rows = append(rows, l.Rows[i])
		}
	}
	return rows
}
