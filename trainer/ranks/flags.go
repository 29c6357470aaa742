package ranks

import "sync/atomic"

// Flag is something that one rank wants and that all must do at the same step.
type Flag int

// The flags.
const (
	Stop Flag = iota // finish the batch, save and end: a signal has come
	Save             // write a checkpoint: it is time
	flags
)

// Flagged is a [Comm] whose sums tell all ranks, on the way, which flags any of them has raised.
//
// Raise may be called at any time by any goroutine, the other methods as those of a Comm.
type Flagged struct {
	Comm
	raised [flags]atomic.Bool // by this rank
	agreed [flags]bool        // by any, as of the last sum
	buffer []int32
}

// NewFlagged returns the Comm with no flag raised.
func NewFlagged(c Comm) *Flagged { return &Flagged{Comm: c} }

// Raise says that this rank wants what the flag says. The next sum tells the others.
func (f *Flagged) Raise(flag Flag) { f.raised[flag].Store(true) }

// Agreed reports whether any rank had raised the flag when it came to the last sum: the same on all ranks.
func (f *Flagged) Agreed(flag Flag) bool { return f.agreed[flag] }

// Clear takes the flag down: what it asks for is done. All ranks call it at the same place.
func (f *Flagged) Clear(flag Flag) {
	f.raised[flag].Store(false)
	f.agreed[flag] = false
}

// Sum implements [Comm].
func (f *Flagged) Sum(counts []int32) error {
	f.buffer = append(f.buffer[:0], counts...)
	for i := range f.raised {
		n := int32(0)
		if f.raised[i].Load() {
			n = 1
		}
		f.buffer = append(f.buffer, n)
	}
	if err := f.Comm.Sum(f.buffer); err != nil {
		return err
	}
	copy(counts, f.buffer)
	for i, n := range f.buffer[len(counts):] {
		f.agreed[i] = n > 0
	}
	return nil
}
