package probe

import (
	"crypto/sha256"
	"sync"

	"ialgn/diagnose/activation"
)

// Known remembers what probes of which bits gave. Networks that share one do not have the same
// bits probed again: their input, if they encode the same data alike, is most of the work. Its
// zero value knows nothing yet. It is safe for use by several goroutines.
type Known struct {
	mutex   sync.Mutex
	results map[task][]float64
}

// task is all that a layer's accuracies depend on.
type task struct {
	train, test [sha256.Size]byte
	classes     int
	protocol    Protocol
}

func newTask(train, test *activation.Bits, classes int, p Protocol) task {
	return task{train.Digest(), test.Digest(), classes, p}
}

// get returns the accuracies, or nil.
func (k *Known) get(t task) []float64 {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.results[t]
}

func (k *Known) add(t task, accuracies []float64) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.results == nil {
		k.results = map[task][]float64{}
	}
	k.results[t] = accuracies
}
