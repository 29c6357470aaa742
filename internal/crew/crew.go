// Package crew runs short tasks on several goroutines, again and again. Waking a goroutine takes tens of microseconds
// if its processor has gone to sleep, and a training step of a few milliseconds starts two tasks. So a member that
// has finished stays awake for a short time to wait for the next task. If no task comes, its goroutine ends.
package crew

import (
	"runtime"
	"sync/atomic"
	"time"
)

// patience is how long a member waits for the next task, and how long the caller polls for the last member before it
// sleeps.
const patience = 300 * time.Microsecond

// looks is how often a waiting goroutine polls before it yields.
const looks = 32

// Crew is a number of members, one of which is the caller of [Crew.Run]. Its goroutines end by themselves. A Crew
// must not be used by several goroutines at once.
type Crew struct {
	task    func(member int)
	fault   keeper
	members []member // all members but the caller
	busy    atomic.Int32
	asleep  atomic.Bool   // whether the caller sleeps or is about to
	wake    chan struct{} // wakes the caller
}

// member is the state of a member's goroutine.
type member struct {
	state atomic.Int32
	_     [60]byte // members write to different cache lines
}

const (
	gone int32 = iota // the goroutine does not exist
	waiting
	working
)

// New returns a crew of n >= 1 members.
func New(n int) *Crew { return &Crew{members: make([]member, n-1), wake: make(chan struct{}, 1)} }

// Size returns the number of members.
func (c *Crew) Size() int { return len(c.members) + 1 }

// Run calls task for each member, 0 to Size()-1, and returns when all calls have returned. It panics with a [Fault]
// if one of the goroutines panicked.
func (c *Crew) Run(task func(member int)) {
	c.task = task
	c.busy.Store(int32(len(c.members)))
	for i := range c.members {
		if c.members[i].state.Swap(working) == gone {
			go c.work(i)
		}
	}
	task(0)
	if !wait(func() bool { return c.busy.Load() == 0 }) {
		c.sleep()
	}
	c.task = nil
	c.fault.raise()
}

// sleep waits for the last member without polling. A wake-up may come too early, because the last member of the
// previous task may have read the field asleep only now.
func (c *Crew) sleep() {
	for c.busy.Load() != 0 {
		c.asleep.Store(true)
		if c.busy.Load() == 0 && c.asleep.CompareAndSwap(true, false) {
			return // no member has seen that the caller is asleep, so no wake-up will come
		}
		<-c.wake
	}
}

// work is the goroutine of member i+1.
func (c *Crew) work(i int) {
	s := &c.members[i].state
	for {
		c.fault.try(func() { c.task(i + 1) })
		s.Store(waiting)
		if c.busy.Add(-1) == 0 && c.asleep.CompareAndSwap(true, false) {
			c.wake <- struct{}{}
		}
		if !wait(func() bool { return s.Load() == working }) && s.CompareAndSwap(waiting, gone) {
			return
		}
	}
}

// wait polls until seen returns true or patience is over. It returns the last result of seen.
func wait(seen func() bool) bool {
	for begin := time.Now(); time.Since(begin) < patience; runtime.Gosched() {
		for range looks {
			if seen() {
				return true
			}
		}
	}
	return seen()
}
