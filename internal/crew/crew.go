// Package crew runs short tasks on several goroutines, again and again. Waking a
// goroutine takes some tens of microseconds where its processor has gone to sleep; a
// training step calls for help twice in a few milliseconds. So a member that is done
// stays awake a little for the next task, and leaves when there is none.
package crew

import (
	"runtime"
	"sync/atomic"
	"time"
)

// patience is how long a member stays for the next task, and how long the caller looks
// for the last member before it sleeps.
const patience = 300 * time.Microsecond

// looks is how often somebody who waits looks before it lets others run.
const looks = 32

// Crew is a number of members, the caller of [Crew.Run] among them. Its goroutines end
// by themselves. It must not be used by several goroutines at once.
type Crew struct {
	task    func(member int)
	fault   keeper
	members []member // all members but the caller
	busy    atomic.Int32
	asleep  atomic.Bool   // the caller, or it is about to
	wake    chan struct{} // wakes the caller
}

// member is what a goroutine does at present.
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

// Run calls task for each member, 0 to Size()-1, and returns when all calls have. It panics with a
// [Fault] if one of the goroutines did.
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

// sleep waits for the last member without looking all the time. A wake may come too early:
// the last member of the task before may have been kept from looking at asleep until now.
func (c *Crew) sleep() {
	for c.busy.Load() != 0 {
		c.asleep.Store(true)
		if c.busy.Load() == 0 && c.asleep.CompareAndSwap(true, false) {
			return // nobody saw it
		}
		<-c.wake
	}
}

// work is the goroutine of a member.
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

// wait looks until there is what it looks for, or gives up.
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
