package outfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/message"
)

// TestMakeNamesTheVariable sets TMPDIR to places where no folder can be made. The hint must name the variable.
func TestMakeNamesTheVariable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]string{"missing": filepath.Join(file, "..", "gone"), "a file": file} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", folder)
			_, err := MakeTemp("x-")
			if err == nil || !strings.HasPrefix(err.Error(), folder+", the folder for temporary files that TMPDIR names: ") {
				t.Errorf("error %v", err)
			}
			if h := message.Hint(err); !strings.Contains(h, "TMPDIR") {
				t.Errorf("hint %q", h)
			}
		})
	}
	t.Setenv("TMPDIR", t.TempDir())
	dir, err := MakeTemp("x-")
	if err != nil || !strings.HasPrefix(filepath.Base(dir), "x-") {
		t.Errorf("%s, error %v", dir, err)
	}
}
