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

// checkRoom returns an error if the network does not fit into memory, or if its files cannot be written. Without this
// check, the run would fail after hours of training.
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

// checkOutputs returns an error if one of the output files exists but was not written by a run. It skips the files
// that a resumed run reads, because the run checks these files itself.
func (r *Run) checkOutputs() error {
	paths := Files(r.Model)
	if paths = paths[:len(paths)-1]; r.Resume {
		paths = paths[:1]
	}
	return r.Guard.CheckAll(outfile.Outputs(outfile.ModelForm, paths...))
}

// Files returns the paths that a run may write: the model, its checkpoint and best epoch, the .old files and the
// lock.
func Files(path string) []string {
	state, best := CheckpointPath(path), BestPath(path)
	return []string{path, state, best, state + oldSuffix, best + oldSuffix, outfile.LockPath(path)}
}

// lock takes the lock of the model, so that no other run writes the same model and checkpoints. The lock file also
// shows that the folder can be written.
func (r *Run) lock() (*outfile.Lock, error) {
	l, err := outfile.LockFile(r.Model)
	if errors.Is(err, outfile.ErrHeld) {
		return nil,
			message.Optionf("%s: another run is training this model (the lock is %w); wait until that run ends, or name "+
				"another file with {Path}", r.Model, err)
	}
	var cause *fs.PathError
	if errors.As(err, &cause) {
		err = cause.Err
	}
	switch {
	case cause != nil:
		return nil, message.Optionf("%s: the folder cannot be written (%w); fix the folder, or name another file with {Path}",
			r.Model, err)
	case err != nil:
		return nil, err // err says what to do
	}
	return l, nil
}

// leastBytes returns the minimum memory that this run needs. A rank needs only its share.
func (r *Run) leastBytes() uint64 {
	if r.Ranks == nil {
		return leastBytes(&r.Config)
	}
	return leastBytes(&r.Config) / uint64(r.Ranks.Size())
}

// leastBytes returns the size in bytes of a network's parameters and moments, the minimum that training needs.
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
