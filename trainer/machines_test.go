package trainer

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// pinned lists the tests that compare trained bytes with a recorded hash, or compare recorded numbers with numbers on
// which the trained bytes depend.
var pinned = []struct {
	folder string
	tests  []string
}{
	{".", []string{"TestSamePaths", "TestNetworkBits"}},
	{"../internal/engine", []string{"TestTrainedBits"}},
	{"../internal/draw", []string{"TestPinned"}},
	{"../internal/detmath", []string{"TestBits"}},
}

// TestMachines builds the pinned tests for other machine types and runs them. For arm64 it uses an emulator. On arm64
// the compiler contracts x*y + z unless the code prevents this. For x86-64 it builds for the first and the third
// microarchitecture level. The third level includes fused instructions.
func TestMachines(t *testing.T) {
	testkit.Long(t, "builds the tests for three machine types and emulates them")
	readSources(t)
	own, err := exec.Command("go", "env", "GOAMD64").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, arch, level, emulator string }{
		{"arm64", "arm64", "", "qemu-aarch64"},
		{"amd64-v1", "amd64", "v1", ""},
		{"amd64-v3", "amd64", "v3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.arch == runtime.GOARCH && c.level == string(bytes.TrimSpace(own)) {
				t.Skip("the tests are built for it as they are")
			}
			var before []string
			if c.arch != runtime.GOARCH && c.emulator == "" {
				t.Skipf("this is %s, and there is no emulator to look for", runtime.GOARCH)
			}
			if c.arch != runtime.GOARCH {
				emulator, err := exec.LookPath(c.emulator)
				if err != nil {
					t.Skipf("%v: install the Debian package qemu-user", err)
				}
				before = []string{emulator}
			}
			for _, p := range pinned {
				exe := filepath.Join(t.TempDir(), "test")
				build := exec.Command("go", "test", "-c", "-o", exe, "./"+p.folder)
				build.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+c.arch, "GOAMD64="+c.level, "CGO_ENABLED=0")
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				runPinned(t, append(before, exe), p.folder, p.tests)
			}
		})
	}
}

// runPinned runs some tests of a test program in its folder.
func runPinned(t *testing.T, command []string, folder string, tests []string) {
	t.Helper()
	run := exec.Command(command[0], append(command[1:], "-test.v", "-test.run=^("+strings.Join(tests, "|")+")$")...)
	run.Dir, run.Env = folder, append(os.Environ(), "IALGN_SIMD=") // each test chooses its SIMD paths itself
	out, err := run.CombinedOutput()
	switch {
	case strings.Contains(string(out), "microarchitecture support"):
		t.Skipf("%s", bytes.TrimSpace(out))
	case err != nil:
		t.Errorf("%s in %s: %v\n%s", tests, folder, err, out)
	}
	for _, test := range tests {
		if err == nil && !strings.Contains(string(out), "--- PASS: "+test+" ") {
			t.Errorf("%s in %s was not run:\n%s", test, folder, out)
		}
	}
}
