package trainer

import (
	"errors"
	"fmt"
	"io/fs"

	"ialgn/internal/config"
	"ialgn/internal/memory"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// checkRoom refuses what must fail later: a network that no memory here holds, and files
// that cannot be written, for which a night's training would be lost.
func (r *Run) checkRoom() error {
	has := memory.Total()
	if err := r.Config.CheckMemory(r.leastBytes(), has.Bytes, has.By); err != nil {
		return err
	}
	if !r.writes() {
		return nil
	}
	for _, path := range []string{r.Model, CheckpointPath(r.Model)} {
		if err := outfile.CheckWritable(path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return r.checkOutputs()
}

// checkOutputs refuses to write over files that no run wrote. What a resumed run reads it
// looks at itself.
func (r *Run) checkOutputs() error {
	paths := Files(r.Model)
	if paths = paths[:len(paths)-1]; r.Resume {
		paths = paths[:1]
	}
	return r.Guard.CheckAll(outfile.Outputs(outfile.ModelForm, paths...))
}

// Files returns the paths that a run writes for a model: the model, and what stands next to it.
func Files(path string) []string {
	state, best := CheckpointPath(path), BestPath(path)
	return []string{path, state, best, state + oldSuffix, best + oldSuffix, outfile.LockPath(path)}
}

// lock keeps other runs from writing the same model: their checkpoints would take the place
// of this one's. Its file also shows that the folder can be written.
func (r *Run) lock() (*outfile.Lock, error) {
	l, err := outfile.LockFile(r.Model)
	if errors.Is(err, outfile.ErrHeld) {
		return nil, message.Optionf("%s: another run is training it (its lock is %w); wait for the end of that, or name "+
			"another file with {Path}", r.Model, err)
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	switch {
	case cause != nil:
		return nil, message.Optionf("%s: its folder cannot be written (%w); mend that, or name another file with {Path}",
			r.Model, err)
	case err != nil:
		return nil, err // the error says what to do
	}
	return l, nil
}

// leastBytes returns what this run needs at least of the memory, as one of several ranks its share.
func (r *Run) leastBytes() uint64 {
	if r.Ranks == nil {
		return leastBytes(&r.Config)
	}
	return leastBytes(&r.Config) / uint64(r.Ranks.Size())
}

// leastBytes returns what parameters and moments of a network take in memory, the least
// that training it needs.
func leastBytes(cfg *config.Config) (bytes uint64) {
	for _, s := range layout(cfg, nil) {
		gate := 3 * 4 * s.Arity
		for _, p := range s.Pins {
			if p.K > 1 {
				gate += (3*4 + 2) * p.K
			}
		}
		bytes += uint64(s.Width) * uint64(s.Layers) * uint64(gate)
	}
	return bytes
}
