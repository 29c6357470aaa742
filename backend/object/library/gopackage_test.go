package library

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/backend/gocode"
	"ialgn/backend/object/gostub"
	"ialgn/compiler"
	"ialgn/internal/modelgen"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
	"ialgn/trainer/model"
)

// goFiles are the files of a package called net.
var goFiles = []string{
	"net_linux_amd64.syso", "net_linux_amd64.go", "net_linux_amd64.s", "net_native.go", "net_native_other.go",
	"net_native_test.go",
}

// emitGo writes the package of a classifier and returns its folder and library.
func emitGo(t *testing.T, f *model.Frozen, scope netlist.Scope) (string, *Library) {
	t.Helper()
	n, err := freeze.Network(f, scope)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err = compiler.Optimise(t.Context(), n, compiler.LevelRepeat); err != nil {
		t.Fatal(err)
	}
	l, err := New(n, Options{Module: "net", Header: []string{"a test"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, write func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range goFiles {
		write(name, func(b *bytes.Buffer) error { return l.WriteGo(b, name) })
	}
	write("net_net.go", func(b *bytes.Buffer) error { return gocode.Write(b, n, gocode.Options{Package: "net"}) })
	write("go.mod", func(b *bytes.Buffer) error { b.WriteString("module user\n\ngo 1.25\n"); return nil })
	return dir, l
}

// goCommand runs the go command in a folder, without a compiler of C.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGo has the emitted package test itself: the machine code against the Go code, which is held against the
// simulator elsewhere.
func TestGo(t *testing.T) {
	forms := modelgen.Forms()
	for _, c := range []struct {
		f     *model.Frozen
		scope netlist.Scope
	}{
		{forms[0].Model().Freeze(), netlist.Full},
		{forms[len(forms)-1].Model().Freeze(), netlist.Core},
		{netgen.Frozen(1, netgen.FrozenOptions{Features: 30, Bits: 2, BitsIn: 10, Width: 99, Depth: 3}), netlist.Full},
	} {
		dir, _ := emitGo(t, c.f, c.scope)
		for _, args := range [][]string{{"vet", "."}, {"test", "-bench", "Native", "-benchtime", "3x", "."}} {
			out, err := goCommand(dir, args...)
			if err != nil || args[0] == "test" && !strings.Contains(out, "images/s") {
				t.Errorf("go %v: %v\n%.2000s", args, err, out)
			}
		}
	}
}

// TestGoFails has tests of the package that find an error in the machine code: the package would test nothing
// otherwise.
func TestGoFails(t *testing.T) {
	dir, l := emitGo(t, modelgen.Forms()[0].Model().Freeze(), netlist.Full)
	if !variants[0].isa.Available() {
		t.Skip("the processor runs none of the code")
	}
	for _, f := range l.functions { // says that all went well, and has done nothing
		copy(f.Text[f.Entry:], []byte{0x31, 0xc0, 0xc3}) // xor eax, eax; ret
	}
	var b bytes.Buffer
	if err := l.WriteGo(&b, gostub.ObjectName("net", machine)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, goFiles[0]), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := goCommand(dir, "test", "."); err == nil || !strings.Contains(out, "FAIL: TestNative") {
		t.Errorf("go test: %v\n%.2000s", err, out)
	}
}

// TestPiece has calls of a goroutine that are short, and never none.
func TestPiece(t *testing.T) {
	_, small := emitGo(t, modelgen.Forms()[0].Model().Freeze(), netlist.Full)
	if p := small.piece(); p < 512 || p > 1<<20 {
		t.Errorf("a small network: %d samples a call", p)
	}
	large := netgen.Frozen(1, netgen.FrozenOptions{Features: 3000, Bits: 2, BitsIn: 8, Width: 3000, Depth: 3})
	if _, l := emitGo(t, large, netlist.Full); l.piece() != 256 {
		t.Errorf("a network with 3,000 features: %d samples a call, want a block", l.piece())
	}
}

// TestGoRefuses has a file that there is none of.
func TestGoRefuses(t *testing.T) {
	_, l := emitGo(t, modelgen.Forms()[0].Model().Freeze(), netlist.Full)
	if err := l.WriteGo(&bytes.Buffer{}, "net.go"); err == nil || !strings.Contains(err.Error(), "no file net.go") {
		t.Errorf("error %v", err)
	}
}
