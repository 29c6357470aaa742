package arm64test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ialgn/internal/native/arm64"
)

// function returns the code that the argument do emits, followed by a return instruction.
func function(t *testing.T, do func(a *arm64.Asm)) []byte {
	t.Helper()
	var a arm64.Asm
	do(&a)
	a.Ret()
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
	return a.Bytes()
}

// TestRun runs three functions. The first increments a byte. The second does nothing and has no data. The third has
// much data.
func TestRun(t *testing.T) {
	increment := function(t, func(a *arm64.Asm) {
		a.Ldrb(1, arm64.At(0, 2))
		a.AddImm(1, 1, 1)
		a.Strb(1, arm64.At(0, 2))
	})
	data := []byte("abc")
	if got := string(Run(t, increment, data)); got != "abd" {
		t.Errorf("%q, want abd", got)
	}
	if string(data) != "abc" {
		t.Errorf("the caller's data is %q now", data)
	}
	if got := Run(t, function(t, func(*arm64.Asm) {}), nil); len(got) != 0 {
		t.Errorf("%d bytes of none", len(got))
	}
	many := make([]byte, 3<<20)
	many[2] = 7
	if got := Run(t, increment, many); len(got) != len(many) || got[2] != 8 || got[len(got)-1] != 0 {
		t.Errorf("3 MiB came back as %d bytes, %v at first", len(got), got[:3])
	}
}

// TestAlignment runs a function that stores the address of its data.
func TestAlignment(t *testing.T) {
	got := Run(t, function(t, func(a *arm64.Asm) { a.Str(0, arm64.At(0, 0)) }), make([]byte, 8))
	if got[0]%64 != 0 {
		t.Errorf("the data is at an address that ends with %#x, want a multiple of 64", got[0])
	}
}

// TestKept runs a function that saves and restores all registers that it must keep, and a function that changes all
// other registers.
func TestKept(t *testing.T) {
	got := Run(t, function(t, func(a *arm64.Asm) {
		a.Stp(19, arm64.LR, arm64.Pre(arm64.SP, -32))
		a.StpD(8, 15, arm64.At(arm64.SP, 16))
		a.MovImm(19, 1)
		for v := range arm64.V(32) {
			if v < 8 || v > 15 {
				a.Movi(arm64.B16, v, 0xff)
			}
			a.Ins(arm64.D2, v, 1, arm64.XZR) // the upper half of v may change
		}
		a.Movi(arm64.B16, 8, 1)
		a.Movi(arm64.B16, 15, 1)
		for x := range arm64.X(18) {
			if x != 0 {
				a.MovImm(x, ^uint64(x))
			}
		}
		a.Str(19, arm64.At(0, 0))
		a.MovImm(0, 99)
		a.LdpD(8, 15, arm64.At(arm64.SP, 16))
		a.Ldp(19, arm64.LR, arm64.Post(arm64.SP, 32))
	}), make([]byte, 8))
	if got[0] != 1 {
		t.Errorf("the function stored %d, want 1", got[0])
	}
}

// TestMistakes runs functions that break a rule, and expects a specific error text for each function.
func TestMistakes(t *testing.T) {
	path, err := exec.LookPath(emulator)
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name string
		do   func(a *arm64.Asm)
		want string
	}{
		{"x18", func(a *arm64.Asm) { a.MovImm(18, 0) }, "did not keep x18:"},
		{"x29", func(a *arm64.Asm) { a.AddImm(29, 29, 1) }, "did not keep x29:"},
		{"v8", func(a *arm64.Asm) { a.Movi(arm64.B16, 8, 0) }, "did not keep the lower half of v8:"},
		{"v15", func(a *arm64.Asm) { a.Not(15, 15) }, "did not keep the lower half of v15:"},
		{"stack", func(a *arm64.Asm) { a.SubImm(arm64.SP, arm64.SP, 16) }, "did not keep the stack pointer:"},
		{"before", func(a *arm64.Asm) { a.StrQ(0, arm64.Pre(0, -16)) }, "wrote outside of its data"},
		{"behind", func(a *arm64.Asm) { a.Strb(0, arm64.At(0, 8)) }, "wrote outside of its data"},
		{"far", func(a *arm64.Asm) { a.Str(0, arm64.At(arm64.SP, 4096)) }, "egmentation fault"},
		{"code", func(a *arm64.Asm) { a.Str(0, arm64.At(arm64.LR, 0)) }, "egmentation fault"},
		{"instruction", func(a *arm64.Asm) { a.Eor3(0, 1, 2, 3) }, "the processor has no such instruction:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := execute(t.Context(), path, t.TempDir(), Plain, function(t, c.do), make([]byte, 8))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
		})
	}
}

// TestEndless runs a function that never returns, until the caller's context ends.
func TestEndless(t *testing.T) {
	path, err := exec.LookPath(emulator)
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	endless := function(t, func(a *arm64.Asm) {
		l := a.Label()
		a.Bind(l)
		a.B(l)
	})
	if _, err := execute(ctx, path, t.TempDir(), Max, endless, nil); err == nil {
		t.Error("no error")
	}
}
