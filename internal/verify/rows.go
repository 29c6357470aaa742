package verify

import (
	"fmt"
	"slices"

	"ialgn/internal/model"
	"ialgn/netlist"
	"ialgn/sim"
)

// BusRows returns the bit rows of the given ports after a run of the simulator. If want has values for a port, the
// rows hold the trainer's values for the samples with the given indices. Otherwise the rows hold the simulated
// values. The output uncertain has the given margin.
func BusRows(s *sim.Simulator, ports []netlist.Port, want *model.Scores, margin int, index []int32) []uint64 {
	var rows []uint64
	for _, p := range ports {
		value := Trainers(want, margin, p)
		for bit, v := range p.Nets {
			if value == nil {
				rows = append(rows, s.Net(v)...)
				continue
			}
			row := make([]uint64, len(s.Net(v)))
			for k, i := range index {
				row[k/64] |= value(int(i), bit) << (k % 64)
			}
			rows = append(rows, row...)
		}
	}
	return rows
}

// Trainers returns a function that returns the trainer's value for a bit of a bus in a sample. The function is nil if
// the trainer has no values for this bus. The output uncertain has the given margin.
func Trainers(want *model.Scores, margin int, bus netlist.Port) func(sample, bit int) uint64 {
	if want == nil {
		return nil
	}
	count := func(i, class, bit int) uint64 { return uint64(want.Counts[i*want.Classes+class]) >> bit & 1 }
	switch {
	case bus.Name == netlist.ClassPort:
		return func(i, bit int) uint64 { return uint64(want.Predicted[i]) >> bit & 1 }
	case bus.Name == netlist.UncertainPort && margin > 0:
		return func(i, _ int) uint64 {
			counts := slices.Sorted(slices.Values(want.Counts[i*want.Classes:][:want.Classes]))
			if last := want.Classes - 1; int(counts[last]-counts[last-1]) < margin {
				return 1
			}
			return 0
		}
	case bus.Name == netlist.CountsPort && len(bus.Nets) == want.Classes*bus.Word:
		return func(i, bit int) uint64 { return count(i, bit/bus.Word, bit%bus.Word) }
	}
	for c := range want.Classes {
		if bus.Name == fmt.Sprintf("count_%d", c) {
			return func(i, bit int) uint64 { return count(i, c, bit) }
		}
	}
	return nil
}
