package model_test

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// FuzzLoad checks that no file makes the readers panic or allocate memory out of proportion to its size. A model that
// is read must be valid and must be written back unchanged. The streaming reader must read the same network.
func FuzzLoad(f *testing.F) {
	for _, form := range netgen.Forms() {
		form.Options.Width, form.Options.Depth, form.Options.Features = 3, min(form.Options.Defaults().Depth, 2), 2
		f.Add(fileOf(f, form.Model(), model.Extra{}))
	}
	f.Add(fileOf(f, netgen.Model(netgen.ModelOptions{Width: 3, Depth: 2, Features: 2}), moments(3)))
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzLoad(t, b)
		fuzzLoad(t, testkit.ResignModel(b)) // with a valid checksum, to reach the later checks
	})
}

func fuzzLoad(t *testing.T, b []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := readBytes(b)
	runtime.ReadMemStats(&after)
	// Two bytes of JSON can be an empty value in a list, which takes the memory of a slice header.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20+200*uint64(len(b)) {
		t.Errorf("%d bytes took %d bytes of memory", len(b), grown)
	}
	frozen, frozenErr := model.ReadFrozenChunks("m", bytes.NewReader(b), int64(len(b)), 100)
	if (err == nil) != (frozenErr == nil) {
		t.Fatalf("Read: %v, ReadFrozen: %v", err, frozenErr)
	}
	if err != nil {
		return
	}
	if err := frozen.Validate(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(m.Freeze(), frozen); diff != "" {
		t.Errorf("frozen network (-Freeze +ReadFrozen):\n%s", diff)
	}
	again, err := readBytes(fileOf(t, m, model.Extra{}))
	if diff := cmp.Diff(m, again); diff != "" || err != nil {
		t.Errorf("error %v, read back (-want +got):\n%s", err, diff)
	}
}
