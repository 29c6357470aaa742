package trainer

import (
	"debug/elf"
	"encoding/binary"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// fused reports whether an arm64 instruction is a scalar fused multiply-add: FMADD, FMSUB, FNMADD or FNMSUB. These are
// all floating-point instructions with three sources.
func fused(instruction uint32) bool { return instruction>>24 == 0x1f }

// TestNoContraction builds the training path for arm64 and checks that our functions contain no fused instruction, so
// that the trained bytes do not depend on the processor. On arm64 the compiler contracts x*y + z unless the product
// is rounded explicitly. The test skips internal/plot, because this package only draws charts and has gonum's
// arithmetic inlined. It also skips internal/fit, because this package chooses configurations by the time available
// and records its choices. The test also checks that it finds fused instructions in other modules, where they do
// occur.
func TestNoContraction(t *testing.T) {
	testkit.Long(t, "builds the program for arm64")
	readSources(t)
	exe := filepath.Join(t.TempDir(), "ialgn")
	build := exec.Command("go", "build", "-o", exe, "ialgn/cmd/ialgn")
	build.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen, others := 0, 0
	eachFunction(t, exe, func(name string, code []byte) {
		ours := strings.HasPrefix(name, "ialgn/")
		if ours {
			seen++
		}
		free := !ours || strings.HasPrefix(name, "ialgn/internal/plot.") || strings.HasPrefix(name, "ialgn/internal/fit.")
		for at := 0; at+4 <= len(code); at += 4 {
			switch instruction := binary.LittleEndian.Uint32(code[at:]); {
			case !fused(instruction):
			case !free:
				t.Errorf("%s holds the fused instruction %08x at %#x", name, instruction, at)
			case !ours:
				others++
			}
		}
	})
	if seen < 1000 || others < 100 {
		t.Errorf("%d functions searched, %d fused instructions in other modules: the test shows little", seen, others)
	}
}

// eachFunction calls fn with the machine code of each of our functions in a program.
func eachFunction(t *testing.T, exe string, fn func(name string, code []byte)) {
	t.Helper()
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section := f.Section(".text")
	text, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Value >= section.Addr && s.Value+s.Size <= section.Addr+section.Size {
			fn(s.Name, text[s.Value-section.Addr:][:s.Size])
		}
	}
}

// readSources opens every source file. The command go test records the opened files and runs the test again after any
// of these files changes.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
