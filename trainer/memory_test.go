package trainer

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/model"
	"ialgn/internal/ranks"
)

// prepared returns a session that is ready for its first step.
func prepared(t *testing.T, cfg config.Config, path string) *session {
	t.Helper()
	data, err := LoadData(t.Context(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{Run: Run{Config: cfg, Model: path, Threads: 2}, data: data}
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBytesPerGate measures the arrays of a network under training at two depths. The first pin is fixed in one case
// and relaxed in the other. The memory of a gate is computed from the difference between the two depths.
func TestBytesPerGate(t *testing.T) {
	const width = 2000
	for _, c := range []struct {
		features, bits int
		gate           float64 // largest allowed number of bytes
	}{
		{3072, 16, 660}, // 46,080 inputs
		{4096, 17, 660}, // 65,536 inputs
		{4096, 18, 730},
	} {
		t.Run(fmt.Sprintf("inputs=%d", c.features*(c.bits-1)), func(t *testing.T) {
			enc, err := encoding.NewUniform(c.features, c.bits, 8, 255, nil)
			if err != nil {
				t.Fatal(err)
			}
			fixed, deeper, relaxed := footprint(t, enc, "fixed", 3), footprint(t, enc, "fixed", 8),
				footprint(t, enc, "relaxed", 3)
			gate, chain := float64(deeper-fixed)/(5*width), float64(relaxed-fixed)/width
			t.Logf("%.1f bytes a gate, %.1f a chain for a relaxed first pin", gate, chain)
			if gate > c.gate || gate < 576 { // logits and moments alone take 4 * (16 + 32) * 3 bytes
				t.Errorf("%.1f bytes a gate, want 576 to %.0f", gate, c.gate)
			}
			if most := 460 + c.gate - 660; chain > most || chain < 384 {
				t.Errorf("%.1f bytes a chain for a relaxed first pin, want 384 to %.0f", chain, most)
			}
		})
	}
}

// footprint returns the number of bytes in all arrays of a model of 2,000 chains and its engine.
func footprint(t *testing.T, enc *encoding.Encoder, first string, depth int) int {
	t.Helper()
	cfg := parse(t, "model.width=2000", fmt.Sprint("model.depth=", depth), "model.anchors=32", "model.first_pin="+first)
	return arrayBytes(t, Initial(cfg, enc, make([]string, 10), 2), nil)
}

// TestRankFootprint checks that one of five ranks holds about a fifth of the arrays.
func TestRankFootprint(t *testing.T) {
	enc, err := encoding.NewUniform(64, 8, 8, 255, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, sets := range [][]string{nil, {"model.inputs=6", "train.gradients=int8"}} {
		cfg := parse(t, append(sets, "model.width=2000", "model.depth=20", "model.anchors=32")...)
		whole := arrayBytes(t, Initial(cfg, enc, make([]string, 10), 2), nil)
		all, _ := ranks.Local(5)
		part := ranks.ShareOf(2, 5, 10, 200)
		rank := arrayBytes(t, initialPart(cfg, enc, make([]string, 10), &part, 2), all[2])
		if most := whole/5 + 1<<18; rank > most || rank < whole/5 {
			t.Errorf("%v: a rank of five has %d bytes, want %d to %d; a run alone has %d", sets, rank, whole/5, most, whole)
		}
	}
}

// arrayBytes returns the bytes of all arrays that are reachable from a model and its engine.
func arrayBytes(t *testing.T, m *model.Model, comm ranks.Comm) int {
	t.Helper()
	e, err := engine.NewRank(m, 100, 1, comm)
	if err != nil {
		t.Fatal(err)
	}
	seen := arrays{}
	seen.add(reflect.ValueOf(e))
	total := 0
	for _, size := range seen {
		total += size
	}
	return total
}

// arrays maps the address of an array to its size in bytes, and the address of a visited pointer to zero.
type arrays map[uintptr]int

// add follows pointers, structures and slices.
func (a arrays) add(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if _, seen := a[v.Pointer()]; !v.IsNil() && !seen {
			a[v.Pointer()] = 0
			a.add(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			a.add(v.Field(i))
		}
	case reflect.Slice:
		a[v.Pointer()] = max(a[v.Pointer()], v.Cap()*int(v.Type().Elem().Size()))
		if k := v.Type().Elem().Kind(); k == reflect.Pointer || k == reflect.Struct || k == reflect.Slice {
			for i := range v.Len() {
				a.add(v.Index(i))
			}
		}
	}
}

// TestLitter trains and evaluates, and checks that a batch allocates little. Garbage matters because the heap may
// grow by the size of the network before the garbage collector runs.
func TestLitter(t *testing.T) {
	for _, sets := range [][]string{
		nil,
		{"model.topology=rwlgn", "model.depth=100"},
		{"model.hidden=4", "model.depth=100"},
		{"model.depth=100", "train.estimator=soft"},
	} {
		t.Run(fmt.Sprint(sets), func(t *testing.T) { litter(t, sets) })
	}
}

func litter(t *testing.T, sets []string) {
	s := prepared(t, parse(t, sets...), filepath.Join(t.TempDir(), "m"))
	batch := func() {
		if err := s.batch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	batch()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const batches = 30
	for range batches {
		batch()
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / batches; got > 4096 {
		t.Errorf("%d bytes a batch, want at most 4096", got)
	}
	if err := s.epoch(t.Context()); err != nil {
		t.Fatal(err)
	}
	before = after
	runtime.ReadMemStats(&after)
	if after.NumForcedGC == before.NumForcedGC {
		t.Error("an epoch's litter was not collected")
	}
}

// TestSeedsMemory trains two seeds and checks that the memory of the first seed is free before the second seed
// begins.
func TestSeedsMemory(t *testing.T) {
	r := Run{
		Config: parse(t, "model.width=2000", "model.depth=20", "train.epochs=1", "train.batch=1000"),
		Model:  filepath.Join(t.TempDir(), "m"),
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before []uint64
	if _, err := (Seeds{Run: r, N: 2, Begin: func(uint64) {
		before = append(before,
			heap())
	}}).Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	const network = 40_000 * 4 * (16 + 8) * 3
	if before[1] > before[0]+network/4 {
		t.Errorf("%d bytes before the first seed, %d before the second", before[0], before[1])
	}
}
