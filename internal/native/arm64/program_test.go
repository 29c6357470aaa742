package arm64_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"ialgn/internal/native/arm64"
	"ialgn/internal/native/arm64/arm64test"
)

// TestCompare turns bytes into bits by comparison with a threshold, as a network's input code does. It compares 8
// times 16 bytes with a threshold and shifts the results into one vector.
func TestCompare(t *testing.T) {
	const count, threshold = 512, 100
	bytesIn := random(count)
	bytesIn[3], bytesIn[4] = threshold, threshold+1
	data := append(append([]byte{}, bytesIn...), make([]byte, count/8)...)
	after := arm64test.RunOn(t, arm64test.Plain, code(t, func(a *arm64.Asm) {
		again := a.Label()
		a.Movi(arm64.B16, 0, threshold)
		a.AddImm(1, 0, count) // x1 is the destination of the rows
		a.MovImm(3, count/128)
		a.Bind(again)
		for i := range 8 {
			a.LdrQ(2, arm64.Post(0, 16))
			a.Cmhi(arm64.B16, 2, 2, 0)
			if i == 0 {
				a.Mov(1, 2)
			} else {
				a.Sri(arm64.B16, 1, 2, i) // inserts the result below the earlier results
			}
		}
		a.StrQ(1, arm64.Post(1, 16))
		a.SubsImm(3, 3, 1)
		a.BCond(arm64.NE, again)
	}), data)
	for i, b := range bytesIn {
		if got, want := after[count+i/128*16+i%16]>>(7-i/16%8)&1 == 1, b > threshold; got != want {
			t.Errorf("byte %d is %d: its bit is %v", i, b, got)
		}
	}
}

// TestAccesses copies bytes by loads and stores of every width and kind of address.
func TestAccesses(t *testing.T) {
	const half = 512
	data := append(random(half), make([]byte, half)...)
	after := arm64test.Run(t, code(t, func(a *arm64.Asm) {
		a.AddImm(1, 0, half)
		a.MovX(2, 0)
		a.MovX(3, 1)
		for range 2 { // copies bytes 0 to 31
			a.LdpD(0, 1, arm64.Post(2, 16))
			a.StpD(0, 1, arm64.Post(3, 16))
		}
		a.LdrQ(0, arm64.Post(2, 16)) // copies bytes up to 47
		a.StrQ(0, arm64.Post(3, 16))
		a.Ldp(4, 5, arm64.Post(2, 16)) // copies bytes up to 63
		a.Stp(4, 5, arm64.Post(3, 16))
		a.Ldrb(4, arm64.At(2, 0)) // 64
		a.Strb(4, arm64.At(3, 0))
		a.Ldrb(4, arm64.Pre(2, 17)) // 81
		a.Strb(4, arm64.Pre(3, 17))
		a.Ldr(4, arm64.Pre(2, 4)) // loads bytes 85 to 92; stores the first four, then the first two again
		a.StrW(4, arm64.Pre(3, 4))
		a.Strh(4, arm64.At(3, 0))
	}), data)
	want := make([]byte, half)
	for _, part := range [][2]int{{0, 65}, {81, 82}, {85, 89}} {
		copy(want[part[0]:part[1]], data[part[0]:part[1]])
	}
	if !bytes.Equal(after[half:], want) {
		t.Errorf("copied % x\nwant % x", after[half:], want)
	}
}

// TestCalls makes calls and jumps to labels and to addresses in registers. It reads data that are part of the code,
// and adds up the results.
func TestCalls(t *testing.T) {
	after := arm64test.Run(t, code(t, func(a *arm64.Asm) {
		twice, constant, start, hop := a.Label(), a.Label(), a.Label(), a.Label()
		a.MovX(12, arm64.LR)
		a.B(start)
		a.Bind(constant)
		a.Word(1000)
		a.Word(0)
		a.Bind(twice)
		a.Add(1, 1, 1)
		a.Ret()
		a.Bind(start)
		a.Adr(2, constant)
		a.Ldr(1, arm64.At(2, 0))
		a.Bl(twice)
		a.Bl(twice)
		a.Adr(3, hop)
		a.Br(3)
		a.MovImm(1, 0)
		a.Bind(hop)
		a.Str(1, arm64.At(0, 0))
		a.MovX(arm64.LR, 12)
	}), make([]byte, 8))
	if got := binary.LittleEndian.Uint64(after); got != 4000 {
		t.Errorf("%d, want 4000", got)
	}
}

// TestBroadcast fills vectors from memory, and moves lanes through general registers.
func TestBroadcast(t *testing.T) {
	data := append(random(16), make([]byte, 4*16)...)
	after := arm64test.Run(t, code(t, func(a *arm64.Asm) {
		a.AddImm(1, 0, 16)
		a.LdrQ(0, arm64.At(0, 0))
		a.MovX(2, 0)
		a.Ld1r(arm64.B16, 1, arm64.Post(2, 1))
		a.StrQ(1, arm64.Post(1, 16))
		a.Ld1r(arm64.H8, 1, arm64.At(2, 0))
		a.StrQ(1, arm64.Post(1, 16))
		a.Umov(arm64.D2, 3, 0, 1)
		a.Ins(arm64.D2, 1, 0, 3)
		a.Ins(arm64.D2, 1, 1, 3)
		a.StrQ(1, arm64.Post(1, 16))
		a.Ins(arm64.B16, 1, 15, arm64.XZR)
		a.StrQ(1, arm64.Post(1, 16))
	}), data)
	zeroed := append(bytes.Repeat(data[8:16], 2)[:15], 0)
	for i, want := range [][]byte{
		bytes.Repeat(data[:1], 16), bytes.Repeat(data[1:3], 8), bytes.Repeat(data[8:16], 2), zeroed,
	} {
		if got := after[16*(i+1) : 16*(i+2)]; !bytes.Equal(got, want) {
			t.Errorf("row %d: % x, want % x", i, got, want)
		}
	}
}
