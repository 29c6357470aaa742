package model_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/ranks"
)

// TestStageWriteFails makes the system refuse a write of the last of three ranks. This rank writes the last bytes of
// the file.
func TestStageWriteFails(t *testing.T) {
	// The limit applies to every file that the process writes. It also applies to the test's log, but the log is shorter
	// than this model.
	m, folder := netgen.Model(netgen.ModelOptions{Width: 3000, Depth: 4}), t.TempDir()
	path := filepath.Join(folder, "m")
	if err := os.WriteFile(path, []byte("the old one"), 0o666); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	limit := old
	limit.Cur = uint64(len(fileOf(t, m, model.Extra{})) - 1)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip(err)
	}
	errs := together(3, func(c ranks.Comm) error {
		return stageAndCommit(c, partOf(m, shareOf(m, c)), path, model.Extra{})
	})
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	for rank, err := range errs {
		if err == nil || !strings.HasPrefix(err.Error(), "rank 2: write to the disk: file too large") {
			t.Errorf("rank %d: error %v", rank, err)
		}
	}
	expectFiles(t, "a refused write", folder, map[string][]byte{"m": []byte("the old one")})
}
