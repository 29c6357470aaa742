package tool_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/tool"
)

// TestLine checks that the lines of both outputs are reported while the program runs. A very long line must be
// reported in pieces.
func TestLine(t *testing.T) {
	fake(t, map[string]string{"yosys": `echo one; printf 'tw'; sleep 0.1; echo o; echo three >&2
while test ! -f "$1"; do sleep 0.01; done
head -c 70000 /dev/zero | tr '\0' x; echo; printf 'not ended'`})
	var told []string
	long := 0
	seen := filepath.Join(t.TempDir(), "seen")
	r, err := find(t, "yosys").Run(t.Context(), tool.Command{
		Args: []string{seen}, Limit: time.Minute,
		Line: func(line string) {
			if strings.HasPrefix(line, "xxx") {
				long += len(line)
				return
			}
			if told = append(told, line); len(told) == 3 {
				os.WriteFile(seen, nil, 0o666) // this file lets the program continue
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(told)
	if diff := cmp.Diff([]string{"one", "three", "two"}, told); diff != "" || long != 70000 {
		t.Errorf("lines (-want +got), and %d of 70000 bytes:\n%s", long, diff)
	}
	if !strings.HasPrefix(r.Stdout, "one\ntwo\nxxx") || r.Stderr != "three\n" {
		t.Errorf("captured %.20q and %q", r.Stdout, r.Stderr)
	}
}
