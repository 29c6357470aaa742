//go:build linux && (amd64 || arm64)

package nativecall

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

// TestCall calls a function that stores its six arguments. It makes the calls at many stack depths while garbage
// collections run.
func TestCall(t *testing.T) {
	code := mapped(t, storeArguments)
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for depth := range 200 {
		finished := make(chan bool)
		go func() { // the goroutine's stack starts small and grows
			defer close(finished)
			callDeep(t, depth*3, code.Entry(0))
		}()
		<-finished
	}
	close(stop)
	<-done
}

//go:noinline
func callDeep(t *testing.T, depth int, entry uintptr) byte {
	var frame [64]byte
	if depth > 0 {
		return callDeep(t, depth-1, entry) + frame[depth%64]
	}
	var got [6]uintptr
	Call(entry, uintptr(unsafe.Pointer(&got)), 2, 3, 4, 5, ^uintptr(0))
	want := [6]uintptr{uintptr(unsafe.Pointer(&got)), 2, 3, 4, 5, ^uintptr(0)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	return 0
}

// TestClobber calls a function that uses 2 KiB of stack and overwrites every register that a function may change.
func TestClobber(t *testing.T) {
	code := mapped(t, clobber)
	sum := 0.0
	for i := range 1000 {
		Call(code.Entry(0))
		sum += float64(i) / 2
	}
	if want := 249750.0; sum != want {
		t.Errorf("sum between calls: %v, not %v", sum, want)
	}
}

func TestEntry(t *testing.T) {
	twice := append(append([]byte{}, storeArguments...), storeArguments...)
	code := mapped(t, twice)
	var got [6]uintptr
	Call(code.Entry(len(storeArguments)), uintptr(unsafe.Pointer(&got)), 7)
	if got[1] != 7 {
		t.Errorf("the second function stored %d, not 7", got[1])
	}
	for _, offset := range []int{-1, len(twice)} {
		wantPanic(t, "no function at offset", func() { code.Entry(offset) })
	}
	wantPanic(t, "7 arguments", func() { Call(code.Entry(0), 1, 2, 3, 4, 5, 6, 7) })
}

func TestMapNothing(t *testing.T) {
	if _, err := Map(nil); err == nil || !strings.Contains(err.Error(), "no code to map") {
		t.Errorf("mapping nothing: %v", err)
	}
}

func TestCloseTwice(t *testing.T) {
	code := mapped(t, storeArguments)
	for range 2 {
		if err := code.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	code := mapped(b, storeArguments)
	var got [6]uintptr
	for b.Loop() {
		Call(code.Entry(0), uintptr(unsafe.Pointer(&got)), 2, 3, 4, 5, 6)
	}
}

func mapped(tb testing.TB, code []byte) *Code {
	tb.Helper()
	c, err := Map(code)
	if err != nil {
		tb.Skip(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

func wantPanic(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, text) {
			t.Errorf("panic %q, not one with %q", said, text)
		}
	}()
	f()
}
