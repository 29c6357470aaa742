package arm64

import (
	"bytes"
	"testing"
)

// TestEncodeRefusesOperands emits operands that cannot be encoded, each after a valid instruction.
func TestEncodeRefusesOperands(t *testing.T) {
	for _, c := range []struct {
		do   func(a *Asm)
		want string
	}{
		{func(a *Asm) { a.And(32, 0, 0) }, "and at byte 4: register 32: the last one is 31"},
		{func(a *Asm) { a.Eor3(0, 0, 0, 77) }, "eor3 at byte 4: register 77: the last one is 31"},
		{func(a *Asm) { a.Add(0, 0, 32) }, "add at byte 4: register 32: the last one is 31"},
		{
			func(a *Asm) { a.LdrQ(0, At(0, 65536)) },
			"ldr q at byte 4: offset 65536 is not a multiple of 16 from 0 to 65520: bring the base register nearer",
		},
		{
			func(a *Asm) { a.LdrQ(0, At(0, 8)) },
			"ldr q at byte 4: offset 8 is not a multiple of 16 from 0 to 65520: bring the base register nearer",
		},
		{
			func(a *Asm) { a.StrQ(0, At(0, -16)) },
			"str q at byte 4: offset -16 is not a multiple of 16 from 0 to 65520: bring the base register nearer",
		},
		{
			func(a *Asm) { a.Ldrb(0, Post(1, -257)) },
			"ldrb at byte 4: offset -257 is not from -256 to 255: bring the base register nearer",
		},
		{
			func(a *Asm) { a.Ldrb(1, Post(1, 1)) },
			"ldrb at byte 4: the base register is moved and changed: take another one for either",
		},
		{
			func(a *Asm) { a.LdpD(0, 1, At(0, 512)) },
			"ldp d at byte 4: offset 512 is not a multiple of 8 from -512 to 504: bring the base register nearer",
		},
		{func(a *Asm) { a.LdpD(3, 3, At(0, 0)) }, "ldp d at byte 4: both registers are the same: take two"},
		{
			func(a *Asm) { a.Stp(3, 4, Pre(4, 0)) },
			"stp x at byte 4: the base register is moved and changed: take another one for either",
		},
		{
			func(a *Asm) { a.Ld1r(H8, 0, Post(0, 1)) },
			"ld1r at byte 4: there is no such address: take offset 0, or Post with the bytes of a lane",
		},
		{
			func(a *Asm) { a.AddImm(0, 0, 4097) },
			"add at byte 4: constant 4097 is neither from 0 to 4095 nor a multiple of 4096 up to 16773120: " +
				"load it with MovImm, and add registers",
		},
		{
			func(a *Asm) { a.CmpImm(0, 1<<24) },
			"cmp at byte 4: constant 16777216 is neither from 0 to 4095 nor a multiple of 4096 up to 16773120: " +
				"load it with MovImm, and add registers",
		},
		{
			func(a *Asm) { a.SubImm(0, 0, -1) },
			"sub at byte 4: constant -1 is neither from 0 to 4095 nor a multiple of 4096 up to 16773120: " +
				"load it with MovImm, and add registers",
		},
		{
			func(a *Asm) { a.Strh(0, At(0, 3)) },
			"strh at byte 4: offset 3 is not a multiple of 2 from 0 to 8190: bring the base register nearer",
		},
		{
			func(a *Asm) { a.Movk(0, 1, 8) },
			"movk at byte 4: shift 8 is not a multiple of 16 from 0 to 48: split the constant, as MovImm does",
		},
		{func(a *Asm) { a.Movi(B16, 0, 256) }, "movi at byte 4: the constant has no such encoding: load it from memory"},
		{func(a *Asm) { a.Movi(D2, 0, 0xf0) }, "movi at byte 4: the constant has no such encoding: load it from memory"},
		{func(a *Asm) { a.Movi(S4, 0, 0) }, "movi at byte 4: arrangement 4s: there are 16b and 2d"},
		{func(a *Asm) { a.Zip1(4, 0, 0, 0) }, "zip1 at byte 4: arrangement Arrangement(4): the widest one here is 2d"},
		{func(a *Asm) { a.Umov(H8, 0, 0, 8) }, "umov at byte 4: lane 8 is not from 0 to 7: there are no more of 8h"},
		{func(a *Asm) { a.Ins(64, 0, 0, 0) }, "ins at byte 4: arrangement Arrangement(64): the widest one here is 2d"},
		{
			func(a *Asm) { a.Sli(B16, 0, 0, 8) },
			"sli at byte 4: shift 8 is not from 0 to 7: what is left is zero: take Movi",
		},
		{func(a *Asm) { a.Sri(D2, 0, 0, 0) }, "sri at byte 4: shift 0 is not from 1 to 64: take Mov for none"},
		{
			func(a *Asm) { l := a.Label(); a.Bind(l); a.BCond(5, l) },
			"b.Cond(5) at byte 4: no such condition: take one that this package names",
		},
		{
			func(a *Asm) { l := a.Label(); a.Cbz(0, l); pad(a, 1<<20-4); a.Bind(l) },
			"cbz at byte 4: distance 1048576 is not a multiple of 4 from -1048576 to 1048572: " +
				"branch over a B with the opposite condition",
		},
		{func(a *Asm) { a.B(a.Label()) }, "b at byte 4: label 1 is nowhere: call Bind where it belongs"},
	} {
		var a Asm
		a.Ret()
		c.do(&a)
		want := "arm64: " + c.want
		if err := a.Err(); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
		if got := a.Bytes()[4:8]; !bytes.Equal(got, make([]byte, 4)) && c.want[:2] != "b " {
			t.Errorf("%s: it is % x, want a word that no processor executes", c.want, got)
		}
		a.And(99, 0, 0)
		if err := a.Err(); c.want[:2] != "b " && err.Error() != want {
			t.Errorf("%v, after another mistake, want the first one", err)
		}
	}
}

// TestBindTwice binds a label twice, and binds a label of another assembler.
func TestBindTwice(t *testing.T) {
	var a Asm
	l := a.Label()
	a.Bind(l)
	a.Ret()
	a.Bind(l)
	want := "arm64: Bind at byte 4: label 1 is bound at byte 0 already: take another one"
	if err := a.Err(); err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a label of another assembler does not panic")
		}
	}()
	a.B(l + 1)
}

// TestMovImm counts the instructions that MovImm writes. It also interprets them by the definitions of Movz and Movk.
func TestMovImm(t *testing.T) {
	for _, value := range []uint64{0, 1, 0xffff, 0x10000, 0xffff0000, 1 << 63, 0x123400005678, ^uint64(0)} {
		var a Asm
		a.MovImm(7, value)
		got, parts := uint64(0), 0
		for at := 0; at < a.Len(); at += wordSize {
			word := uint64(a.code[at]) | uint64(a.code[at+1])<<8 | uint64(a.code[at+2])<<16 | uint64(a.code[at+3])<<24
			shift, imm := word>>21&3*16, word>>5&0xffff
			switch word &^ (3<<21 | 0xffff<<5) {
			case 0xd2800007:
				got = imm << shift
			case 0xf2800007:
				got = got&^(0xffff<<shift) | imm<<shift
			default:
				t.Fatalf("%#x: %08x is neither movz nor movk of x7", value, word)
			}
		}
		for shift := 0; shift < 64; shift += 16 {
			if value>>shift&0xffff != 0 {
				parts++
			}
		}
		if got != value || a.Len() != wordSize*max(parts, 1) {
			t.Errorf("%#x by %d bytes, want %#x by %d", got, a.Len(), value, wordSize*max(parts, 1))
		}
	}
}
