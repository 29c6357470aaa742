package archtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoProgramsAreTracked checks that git tracks no compiled programs, libraries or archives.
func TestNoProgramsAreTracked(t *testing.T) {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skip("not a git checkout:", err)
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if format := programFormat(t, filepath.Join(root, file)); format != "" {
			t.Errorf("%s is in the format %s: remove it from the repository, and name it in .gitignore", file, format)
		}
	}
}

func TestProgramFormatKnowsThisTest(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if programFormat(t, program) == "" {
		t.Error("a test binary is not recognised as a program")
	}
}

// programFormat returns the format of a compiled program, or "" for any other file.
func programFormat(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		if os.IsNotExist(err) {
			return "" // removed but not yet committed
		}
		t.Fatal(err)
	}
	defer f.Close()
	head := make([]byte, 8)
	n, _ := f.Read(head)
	magics := []struct{ format, magic string }{
		{"ELF", "\x7fELF"},
		{"PE", "MZ"},
		{"Mach-O", "\xcf\xfa\xed\xfe"},
		{"Mach-O", "\xca\xfe\xba\xbe"},
		{"ar", "!<arch>\n"},
		{"WebAssembly", "\x00asm"},
	}
	i := slices.IndexFunc(magics, func(m struct{ format, magic string }) bool {
		return bytes.HasPrefix(head[:n], []byte(m.magic))
	})
	if i < 0 {
		return ""
	}
	return magics[i].format
}
