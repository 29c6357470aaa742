// Package progress carries progress reports from long work to the code that shows them.
//
// Code whose work may take longer than a user likes to wait begins a task in its context ([Begin]). It reports what
// it is doing ([Say]) and how much is done ([Count]), and then ends the task. This code never writes anything itself.
// The caller puts a [Board] into the context ([With]). While there are tasks, the board shows these tasks at regular
// intervals. In a context without a board, these functions do nothing.
//
// Tasks may be begun within tasks, and several tasks may run at the same time.
package progress

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ialgn/internal/crew"
)

// Status describes the work of one task, for one line of output.
type Status struct {
	Name    string        // name of the outermost task, such as rtl
	Elapsed time.Duration // time since the outermost task began
	Doing   []string      // names of the tasks in progress, from the outermost to the innermost
	// Done is the number of completed steps, and Of is the number of all steps, as counted by the innermost task that
	// counts steps. Of is 0 if no task counts steps.
	Done, Of int
}

// String returns the status as a line, such as `formal: 37 s, proving 300 bits of the last layer`.
func (s Status) String() string {
	return s.Name + ": " + strings.Join(append([]string{elapsed(s.Elapsed)}, s.Doing...), ", ")
}

// elapsed formats a duration in its two largest units.
func elapsed(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s/60%60)
}

// Board holds the tasks in progress. Several goroutines may call its methods, and use contexts with it, at the same
// time.
type Board struct {
	every time.Duration
	show  func([]Status)

	mu    sync.Mutex
	tasks []*task       // in the order in which they began
	end   chan struct{} // closed when no tasks are left
	shows *crew.Group   // calls show until end is closed; the method remove passes a panic of show on
}

// NewBoard returns a board that calls show periodically while there are tasks. The argument every is the length of
// the interval. The function show gets the innermost tasks in the order in which they began. When the last task ends,
// the board calls show with nil before the task's end function returns. A task that ends within the first interval is
// never shown.
func NewBoard(every time.Duration, show func([]Status)) *Board {
	return &Board{every: every, show: show}
}

// task is work in progress.
type task struct {
	board  *Board
	within *task // nil if it is outermost
	name   string
	begin  time.Time

	doing    string
	done, of int
	unit     string
}

type key struct{}

// holder is the value in a context: a board, and the task to which the work belongs, if any.
type holder struct {
	board *Board
	task  *task
}

// With returns a context whose tasks are shown on the board.
func With(ctx context.Context, b *Board) context.Context {
	return context.WithValue(ctx, key{}, holder{board: b})
}

// Begin begins a task, as part of the context's task if there is one. Calls of Say and Count with the returned
// context apply to the new task. The returned function end ends the task and all tasks within it.
func Begin(ctx context.Context, name string) (within context.Context, end func()) {
	h, ok := ctx.Value(key{}).(holder)
	if !ok {
		return ctx, func() {}
	}
	t := &task{board: h.board, within: h.task, name: name, begin: time.Now()}
	h.board.add(t)
	return context.WithValue(ctx, key{}, holder{h.board, t}), func() { h.board.remove(t) }
}

// Say sets what the context's task is doing, such as routing. It resets the count of [Count].
func Say(ctx context.Context, format string, args ...any) {
	change(ctx, func(t *task) { t.doing, t.done, t.of = fmt.Sprintf(format, args...), 0, 0 })
}

// Count sets the progress of the context's task. The argument done is the number of finished steps, of is the number
// of all steps, and unit is the plural noun for the steps.
func Count(ctx context.Context, done, of int, unit string) {
	change(ctx, func(t *task) { t.done, t.of, t.unit = done, of, unit })
}

func change(ctx context.Context, set func(*task)) {
	h, _ := ctx.Value(key{}).(holder)
	if h.task == nil {
		return
	}
	h.board.mu.Lock()
	defer h.board.mu.Unlock()
	set(h.task)
}

func (b *Board) add(t *task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tasks = append(b.tasks, t)
	if len(b.tasks) == 1 {
		end := make(chan struct{})
		b.end = end
		b.shows, _ = crew.NewGroup(context.Background())
		b.shows.Go(func() error { return b.watch(end) })
	}
}

// remove ends a task and all tasks within it.
func (b *Board) remove(t *task) {
	if shows := b.drop(t); shows != nil {
		_ = shows.Wait() // show functions return no errors
		b.show(nil)
	}
}

// drop removes a task and all tasks within it from the board. If no tasks are left, it returns the group of the
// goroutine that shows tasks, so that the caller can wait for its end.
func (b *Board) drop(t *task) (shows *crew.Group) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.tasks, t) {
		return nil
	}
	b.tasks = slices.DeleteFunc(b.tasks, func(o *task) bool { return o.isIn(t) })
	if len(b.tasks) > 0 {
		return nil
	}
	close(b.end)
	return b.shows
}

// isIn reports whether t is the task o or a task within o.
func (t *task) isIn(o *task) bool {
	return t != nil && (t == o || t.within.isIn(o))
}

// watch shows the tasks after each interval until there are no tasks.
func (b *Board) watch(end <-chan struct{}) error {
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	for {
		select {
		case <-end:
			return nil
		case <-tick.C:
			if all := b.innermost(); len(all) > 0 {
				b.show(all)
			}
		}
	}
}

// innermost returns the status of each task that has no other tasks within it.
func (b *Board) innermost() (all []Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tasks {
		if !slices.ContainsFunc(b.tasks, func(o *task) bool { return o.within == t }) {
			all = append(all, t.status())
		}
	}
	return all
}

// status returns the status of a task, which includes the tasks that contain it.
func (t *task) status() Status {
	var s Status
	if t.within == nil {
		s = Status{Name: t.name, Elapsed: time.Since(t.begin)}
	} else {
		s = t.within.status()
		s.Doing = append(s.Doing, t.name)
	}
	if t.doing != "" {
		s.Doing = append(s.Doing, t.doing)
	}
	if t.of > 0 {
		s.Doing = append(s.Doing, fmt.Sprintf("%d of %d %s", t.done, t.of, t.unit))
		s.Done, s.Of = t.done, t.of
	}
	return s
}
