package ranks

import (
	"errors"
	"slices"
	"sync"
)

// ErrEnded is returned by calls after another rank has ended early.
var ErrEnded = errors.New("another rank has ended")

// Local returns the given number of ranks, which are goroutines of one process. They are for tests, and for measuring
// the cost of exchanges without a network. Calling end makes all calls, including waiting ones, return [ErrEnded].
func Local(size int) (all []Comm, end func()) {
	m := &meeting{size: size, given: make([][]byte, size), counts: make([][]int32, size)}
	m.changed.L = &m.lock
	for rank := range size {
		all = append(all, &local{m, rank})
	}
	return all, m.end
}

// meeting is a point at which ranks exchange data. Each rank passes its data and waits until all ranks have done so.
type meeting struct {
	lock    sync.Mutex
	changed sync.Cond
	size    int
	round   int // number of completed meetings
	here    int // number of ranks that have come to the next meeting
	ended   bool

	given  [][]byte
	counts [][]int32
	sums   []int32
	all    [][]byte
}

// local is a rank of a meeting.
type local struct {
	m    *meeting
	rank int
}

// Rank implements [Comm].
func (l *local) Rank() int { return l.rank }

// Size implements [Comm].
func (l *local) Size() int { return l.m.size }

// Sum implements [Comm].
func (l *local) Sum(counts []int32) error {
	return l.m.meet(func() { l.m.counts[l.rank] = counts }, func() {
		l.m.sums = slices.Clone(l.m.counts[0])
		for _, other := range l.m.counts[1:] {
			for i, n := range other {
				l.m.sums[i] += n
			}
		}
	}, func() { copy(counts, l.m.sums) })
}

// Gather implements [Comm].
func (l *local) Gather(data []byte) (all [][]byte, err error) {
	err = l.m.meet(func() { l.m.given[l.rank] = slices.Clone(data) }, func() { l.m.all = slices.Clone(l.m.given) },
		func() { all = l.m.all })
	return all, err
}

// meet calls the function give for a rank. The rank that comes last also calls the function last. Afterwards every
// rank calls the function take.
func (m *meeting) meet(give, last, take func()) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.ended {
		return ErrEnded
	}
	give()
	round := m.round
	if m.here++; m.here == m.size {
		last()
		m.here = 0
		m.round++
		m.changed.Broadcast()
	}
	for m.round == round && !m.ended {
		m.changed.Wait()
	}
	if m.round == round {
		return ErrEnded
	}
	take()
	return nil
}

// end implements the second result of [Local].
func (m *meeting) end() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.ended = true
	m.changed.Broadcast()
}
