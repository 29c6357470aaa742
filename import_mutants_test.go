package ialgn_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"ialgn"
)

// mutant returns a changed copy of a file. Bytes are flipped, cut off or inserted, or sizes are replaced by other
// numbers.
func mutant(r *rand.Rand, data []byte) []byte {
	m := bytes.Clone(data)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(m))
		switch r.IntN(6) {
		case 0, 1:
			m[at] ^= 1 << r.IntN(8)
		case 2:
			m[at] = byte(r.Uint32())
		case 3:
			m = m[:max(1, at)]
		case 4: // overwrite a size, in 64 or 32 bits
			size := []uint64{0, 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 1}[r.IntN(9)]
			if room := len(m) - at; room >= 8 && r.IntN(2) == 0 {
				binary.LittleEndian.PutUint64(m[at:], size)
			} else if room >= 4 {
				binary.LittleEndian.PutUint32(m[at:], uint32(size))
			}
		case 5:
			from := r.IntN(len(m))
			piece := bytes.Clone(m[from:min(len(m), from+1+r.IntN(64))])
			m = append(m[:at:at], append(piece, m[at:]...)...)
		}
	}
	return m
}

// TestImportMutants imports changed files. Each import must return an error or a model that can be opened. If the
// file is a PyTorch archive, the model must have the same scores as before the change. The import must not need more
// memory than four times the size of the file plus 64 MB. $IALGN_MUTANTS sets the number of mutants. The default is a
// few hundred.
func TestImportMutants(t *testing.T) {
	folders, _ := foreign(t)
	total := 230
	if n, err := strconv.Atoi(os.Getenv("IALGN_MUTANTS")); err == nil {
		total = n
	}
	var all []checkpoint
	for _, dir := range folders {
		for _, c := range checkpoints(t, dir) {
			if c.missing == "" {
				all = append(all, c)
			}
		}
	}
	taken := 0
	for i := range total {
		c := all[i%len(all)]
		if !importMutant(t, c, uint64(i)) {
			return
		}
		if t.Failed() {
			return
		}
		taken++
	}
	t.Logf("%d mutants of %d files", taken, len(all))
}

// importMutant imports a mutant of a file. It reports whether the file can be read.
func importMutant(t *testing.T, c checkpoint, seed uint64) bool {
	t.Helper()
	data, err := os.ReadFile(c.file)
	if err != nil {
		t.Error(err)
		return false
	}
	r := rand.New(rand.NewPCG(seed, 29))
	file, o := c.file, c.options
	spoilt, dir := mutant(r, data), t.TempDir()
	target := &file
	if o.Wiring != "" && r.IntN(3) == 0 { // sometimes change the wiring instead
		if data, err = os.ReadFile(o.Wiring); err != nil {
			t.Error(err)
			return false
		}
		spoilt, target = mutant(r, data), &o.Wiring
	}
	path := filepath.Join(dir, filepath.Base(*target))
	if err := os.WriteFile(path, spoilt, 0o600); err != nil {
		t.Error(err)
		return false
	}
	*target = path
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("mutant %d of %s: panic: %v", seed, c.file, p)
		}
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	i, err := ialgn.Import(t.Context(), file, o)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*uint64(len(data)+len(spoilt))+64<<20 {
		t.Errorf("mutant %d of %s: %d bytes for a file of %d", seed, c.file, used, len(spoilt))
	}
	if err != nil {
		return true
	}
	out := filepath.Join(dir, "m.safetensors")
	if err := i.Save(out); err != nil {
		t.Errorf("mutant %d of %s: saved: %v", seed, c.file, err)
		return true
	}
	m, err := ialgn.Open(out)
	if err != nil {
		t.Errorf("mutant %d of %s: opened: %v", seed, c.file, err)
		return true
	}
	defer m.Close()
	if _, err := m.File().Frozen(); err != nil {
		t.Errorf("mutant %d of %s: frozen: %v", seed, c.file, err)
	}
	if bytes.HasPrefix(data, []byte("PK")) { // in such an archive, checksums protect the values
		compareScores(t, fmt.Sprintf("mutant %d of %s", seed, c.file), filepath.Dir(c.file), m, c)
	}
	return true
}
