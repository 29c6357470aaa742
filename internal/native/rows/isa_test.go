//go:build linux && (amd64 || arm64)

package rows

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ialgn/internal/native/arm64"
	"ialgn/internal/nativecall"
)

// isa is a kind of code, with the way in which a test runs the code.
type isa struct {
	name    string
	bytes   int  // bytes of a row
	has     bool // whether this processor, or an emulator, has the instructions
	trials  int  // number of random networks in a test; small if a run takes long
	input   func(*Input) assembled
	output  func(*Output) assembled
	compile func(testing.TB, assembled) function
}

// assembled is code with the positions of its functions. A test calls all functions, one after another.
type assembled struct {
	code   []byte
	starts []int
}

// function runs functions with the given arguments. A number is passed as int, and memory that the functions may
// change as []byte.
type function func(tb testing.TB, arguments ...any)

// eachISA runs a test for each kind of code that can be run.
func eachISA(t *testing.T, test func(t *testing.T, i isa)) {
	for _, i := range isas {
		t.Run(i.name, func(t *testing.T) {
			if !i.has {
				t.Skip("this processor has no", i.name)
			}
			test(t, i)
		})
	}
}

// inProcess maps functions into this process. The memory of their arguments must not belong to the garbage collector,
// and must not escape to the heap.
func inProcess(tb testing.TB, a assembled) function {
	tb.Helper()
	code, err := nativecall.Map(a.code)
	if err != nil {
		tb.Skip(err)
	}
	tb.Cleanup(func() {
		if err := code.Close(); err != nil {
			tb.Error(err)
		}
	})
	return func(_ testing.TB, arguments ...any) {
		var addresses [4]uintptr
		for i, argument := range arguments {
			switch argument := argument.(type) {
			case []byte:
				addresses[i] = uintptr(unsafe.Pointer(unsafe.SliceData(argument)))
			case int:
				addresses[i] = uintptr(argument)
			}
		}
		for _, start := range a.starts {
			nativecall.Call(code.Entry(start), addresses[:]...)
		}
	}
}

// guarded returns memory that ends at a page that cannot be accessed.
func guarded(tb testing.TB, size int) []byte {
	tb.Helper()
	page := unix.Getpagesize()
	pages := (size + page - 1) / page * page
	memory, err := unix.Mmap(-1, 0, pages+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			tb.Error(err)
		}
	})
	if err := unix.Mprotect(memory[pages:], unix.PROT_NONE); err != nil {
		tb.Fatal(err)
	}
	return memory[pages-size : pages : pages]
}

func assembleARM(build func(*arm64.Asm) []arm64.Label) assembled {
	var a arm64.Asm
	all := assembled{}
	for _, function := range build(&a) {
		all.starts = append(all.starts, a.Offset(function))
	}
	if err := a.Err(); err != nil {
		panic(err)
	}
	all.code = a.Bytes()
	return all
}

// neonISA returns the kind of code that every 64-bit Arm processor runs.
func neonISA(has bool, trials int, compile func(testing.TB, assembled) function) isa {
	return isa{
		"neon", 16, has, trials,
		func(in *Input) assembled { return assembleARM(in.NEON) },
		func(o *Output) assembled {
			return assembleARM(func(a *arm64.Asm) []arm64.Label { return []arm64.Label{o.NEON(a)} })
		}, compile,
	}
}
