package trainer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/message"
)

// oldModel is the path of a model from a version that had the keys train.prune and train.refill. Its checkpoint is
// next to it.
const oldModel = "testdata/removed.safetensors"

// TestRemovedKeysRead evaluates a model that was trained with removed keys, and checks that its record keeps them.
func TestRemovedKeysRead(t *testing.T) {
	m := loadModel(t, oldModel)
	text, err := json.Marshal(m.Config)
	if want := `"prune":{"bits":0.2,"nodes":0.2,"at":0.5},"refill":true`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("configuration %s, error %v, want %s in it", text, err, want)
	}
	data, err := LoadDataFor(t.Context(), m.Config, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := correct(t, m, data.Test), m.Record.Refilled.TestCorrect; got != want || m.Record.Pruned.Bits != 4 {
		t.Errorf("%d test samples are correct, the record has %d, and %+v", got, want, m.Record.Pruned)
	}
}

// TestRemovedKeysResume refuses to begin or resume a run with removed keys.
func TestRemovedKeysResume(t *testing.T) {
	r := Run{Config: loadModel(t, oldModel).Config, Model: filepath.Join(t.TempDir(), "m"), Resume: true}
	if err := os.WriteFile(CheckpointPath(r.Model), read(t, CheckpointPath(oldModel)), 0o666); err != nil {
		t.Fatal(err)
	}
	refused(t, r, "train.prune: removed, because")
	r.Config.Train.Prune.Bits, r.Config.Train.Prune.Nodes, r.Config.Train.Prune.At = 0, 0, 0
	refused(t, r, "train.refill: removed, because")
	r.Config.Train.Refill = false
	refused(t, r, "cannot continue with train.prune: removed, because")
	_, err := r.Train(t.Context())
	if got := message.Hint(err); !strings.Contains(got, "Init") {
		t.Errorf("hint %q", got)
	}
}
