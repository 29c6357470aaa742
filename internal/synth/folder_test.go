package synth

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/message"
	"ialgn/internal/target"
)

// TestCheckFolder checks that a target's folder is replaced only if each file has the checksum in its report.
func TestCheckFolder(t *testing.T) {
	const (
		digestOfA = `"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"` // of "a"
		report    = `{"files": ["m.bin"], "sha256": {"m.bin": ` + digestOfA + `}}`
	)
	for _, c := range []struct{ name, report, bin, more, want string }{
		{"as written", report, "a", "", ""},
		{"changed", report, "b", "", "m.bin: changed since synth wrote it"},
		{"of an earlier version", `{"files": ["m.bin"]}`, "a", "", "m.bin: written by an earlier version of synth"},
		{"the user's file", report, "a", "notes.txt", "notes.txt: exists, but is not a file of synth"},
		{"no report", "", "a", "", "m.bin: exists, but is not a file of synth"},
		{"a report that cannot be read", "{", "a", "", "m.bin: exists, but is not a file of synth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Dir: t.TempDir(), Device: target.Device{Name: "d"}}
			for name, text := range map[string]string{"m.bin": c.bin, ReportName: c.report, c.more: "mine"} {
				if name == "" || text == "" {
					continue
				}
				path := filepath.Join(o.Dir, "d", name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			err := o.checkFolder()
			if c.want == "" && err != nil {
				t.Error(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(message.Hint(err), "Force")) {
				t.Errorf("error %v, hint %q, want %q", err, message.Hint(err), c.want)
			}
		})
	}
}
