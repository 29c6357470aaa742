package learned_test

import (
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/netgen"
	"ialgn/internal/ranks"
	"ialgn/trainer/internal/learned"
)

// TestTogether adds the sums of three ranks. A bit is read by all, some or one of the ranks. The numbers have both
// signs and include the largest.
func TestTogether(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{Features: 40, Bits: 4})
	one := func(bits ...uint32) learned.State {
		s := learned.State{Bits: bits, Counts: make([]uint32, 40*256)}
		for _, bit := range bits {
			for v := range 256 {
				x := int64(bit+1) * int64(v-128) << 20
				switch v {
				case 0:
					x = math.MinInt64 / 4
				case 1:
					x = math.MaxInt64 / 4
				case 2:
					x = -1
				}
				s.H = append(s.H, x)
			}
		}
		return s
	}
	var all []uint32
	for bit := range uint32(100) { // more bits than are summed at a time
		all = append(all, bit)
	}
	states := []learned.State{one(all...), one(3, 7, 119), one(7)}
	want := one(append(all, 119)...)
	for v := range 256 {
		want.H[3*256+v] *= 2
		want.H[7*256+v] *= 3
	}
	comms, end := ranks.Local(len(states))
	var done sync.WaitGroup
	for rank, comm := range comms {
		done.Go(func() {
			s := learned.NewSums(m, 10)
			if err := s.Restore(states[rank]); err != nil {
				t.Error(err)
			}
			sum, err := s.Together(comm.Sum)
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
				return
			}
			if diff := cmp.Diff(want, sum.State()); diff != "" {
				t.Errorf("rank %d: (-want +got)\n%s", rank, diff)
			}
			if diff := cmp.Diff(states[rank], s.State()); diff != "" {
				t.Errorf("rank %d: its own sums have changed:\n%s", rank, diff)
			}
		})
	}
	done.Wait()
	end()
	if _, err := learned.NewSums(m, 10).Together(comms[0].Sum); !errors.Is(err, ranks.ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
}
