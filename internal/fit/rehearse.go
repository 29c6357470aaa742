package fit

import (
	"context"
	"os"
	"path/filepath"

	"ialgn/internal/crew"
	"ialgn/internal/progress"
)

// rehearsed is the approximate size of the network in the rehearsal. Its unit is the unit of the budget, LUTs or
// logic cells. If the budget is smaller than rehearsed, the network has the size of the budget.
const rehearsed = 600

// rehearsing starts the rehearsal and returns a function that ends it. There is no rehearsal if it is already known
// how long finishing a network takes, or if no rounds are left.
func (s *search) rehearsing(ctx context.Context) (end func()) {
	if len(s.ledger.Finishings) > 0 || len(s.ledger.Finals) > 0 || s.searchLeft() <= 0 {
		return func() {}
	}
	list := s.trials([]candidate{s.usual()}, max(1, (s.budget+rehearsed/2)/rehearsed))
	if len(list) == 0 {
		return func() {}
	}
	timed, stop := context.WithCancel(ctx)
	group, within := crew.NewGroup(timed)
	group.Go(func() error {
		s.rehearse(ctx, within, list[0])
		return nil
	})
	return func() {
		stop()
		_ = group.Wait() // the task returns no error
	}
}

// rehearse finishes a small network of the usual candidate in a temporary folder, and records how long this takes. It
// ignores errors, because finishing the best network will report the same errors.
func (s *search) rehearse(ctx, timed context.Context, t *trial) {
	timed, end := progress.Begin(timed, "rehearsal")
	defer end()
	quiet := *s
	quiet.Note, quiet.Warn = nil, nil
	dir, err := os.MkdirTemp("", "ialgn-fit-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	m, err := quiet.train(timed, t, usualEpochs, 0, nil)
	if err != nil {
		return
	}
	defer m.Close()
	c, err := quiet.costOf(timed, m)
	if err != nil {
		return
	}
	begin := now()
	b, err := quiet.implement(timed, m, filepath.Join(dir, designFolder))
	f := finishing{Cells: c.cells(), Seconds: now().Sub(begin).Seconds(), Cut: timed.Err() != nil, Used: b.used()}
	if ctx.Err() == nil && (err == nil || f.Cut) {
		_ = s.ledger.record(func() { s.ledger.Finishings = append(s.ledger.Finishings, f) })
	}
}
