package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// sample is one record as Read passes it to its callback.
type sample struct {
	Values []uint16
	Label  int
}

// collect reads all samples of a part.
func collect(s *Set, part Part) ([]sample, error) {
	var all []sample
	err := s.Read(context.Background(), part, func(values []uint16, label int) error {
		all = append(all, sample{append([]uint16(nil), values...), label})
		return nil
	})
	return all, err
}

func mustCollect(t *testing.T, s *Set, part Part) []sample {
	t.Helper()
	all, err := collect(s, part)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// idxBytes returns an IDX file with the given dimensions and content.
func idxBytes(content []byte, dims ...uint32) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = binary.BigEndian.AppendUint32(b, d)
	}
	return append(b, content...)
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// writeFiles writes files into a new folder and returns the folder.
func writeFiles(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wantError fails the test unless err contains all parts.
func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q, want %q in it", err, p)
		}
	}
}

// realData returns the folder of a real data set. It skips the test with -short, or if there is no such folder.
func realData(t *testing.T, set string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: tests with real data sets are skipped")
	}
	if dir, ok := testkit.RealData(set); ok {
		return dir
	}
	t.Skipf("no folder %s in $IALGN_DATA or ../shared/data: set IALGN_DATA to the folder of the data sets", set)
	return ""
}
