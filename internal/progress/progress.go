// Package progress carries word of long work from where it is done to whoever shows it.
//
// Work that may take longer than a user likes to wait begins a task in its context ([Begin]),
// says what it is at ([Say]) and how far it is ([Count]), and ends the task. It never writes
// anything itself. Whoever starts the work puts a [Board] into the context ([With]), which has
// what is under way shown again and again while there is any. In a context without a board all
// of this does nothing.
//
// Tasks may be begun within tasks, and several at a time.
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

// Status is what one line about the work under way says.
type Status struct {
	Name    string        // name of the outermost task, such as rtl
	Elapsed time.Duration // time since that task began
	Doing   []string      // names of the tasks in progress, from the outermost to the innermost
	// Done of Of steps are done, as the innermost task says that counts them. Of is 0 if none does.
	Done, Of int
}

// String returns the line, such as `formal: 37 s, proving 300 bits of the last layer`.
func (s Status) String() string {
	return s.Name + ": " + strings.Join(append([]string{elapsed(s.Elapsed)}, s.Doing...), ", ")
}

// elapsed writes a time with its two largest units.
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

// Board holds the tasks that are under way. Its methods and those of the contexts that it is in
// may be called by several goroutines at a time.
type Board struct {
	every time.Duration
	show  func([]Status)

	mu    sync.Mutex
	tasks []*task       // in the order in which they began
	end   chan struct{} // closed when there are none any more
	shows *crew.Group   // calls show until then; a panic there is one of who ends the last task
}

// NewBoard returns a board that, while there are tasks, calls show at that interval with the
// innermost of them, the one that began first before the others; and with nil when the last has
// ended, before its end returns. What ends within the interval is never shown.
func NewBoard(every time.Duration, show func([]Status)) *Board {
	return &Board{every: every, show: show}
}

// task is work that is under way.
type task struct {
	board  *Board
	within *task // nil: it is outermost
	name   string
	begin  time.Time

	doing    string
	done, of int
	unit     string
}

type key struct{}

// holder is what a context holds: a board, and the task that its work is part of, if any.
type holder struct {
	board *Board
	task  *task
}

// With returns a context whose tasks are on the board.
func With(ctx context.Context, b *Board) context.Context {
	return context.WithValue(ctx, key{}, holder{board: b})
}

// Begin begins a task, within that of the context if there is one. What is said of it is said in
// the context that it returns; end ends it, with all that was begun within it.
func Begin(ctx context.Context, name string) (within context.Context, end func()) {
	h, ok := ctx.Value(key{}).(holder)
	if !ok {
		return ctx, func() {}
	}
	t := &task{board: h.board, within: h.task, name: name, begin: time.Now()}
	h.board.add(t)
	return context.WithValue(ctx, key{}, holder{h.board, t}), func() { h.board.remove(t) }
}

// Say says what the context's task is at, such as routing. How far it was is forgotten.
func Say(ctx context.Context, format string, args ...any) {
	change(ctx, func(t *task) { t.doing, t.done, t.of = fmt.Sprintf(format, args...), 0, 0 })
}

// Count says that so many of all steps of the context's task are done, with the plural of what
// they are called.
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

// remove ends a task and those within it.
func (b *Board) remove(t *task) {
	if shows := b.drop(t); shows != nil {
		_ = shows.Wait() // its functions return no errors
		b.show(nil)
	}
}

// drop takes a task and those within it off the board. If that leaves none, it returns what to wait
// for until nothing is shown any more.
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

// isIn reports whether a task is another or within it.
func (t *task) isIn(o *task) bool {
	return t != nil && (t == o || t.within.isIn(o))
}

// watch has the tasks shown until there are none.
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

// innermost returns what the tasks without others in them are at.
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

// status returns what a task is at, after what those around it are at.
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
