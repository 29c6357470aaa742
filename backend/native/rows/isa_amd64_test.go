//go:build linux

package rows

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/cpu"

	"ialgn/backend/native/arm64"
	"ialgn/backend/native/arm64/arm64test"
	"ialgn/backend/native/x86"
)

var isas = []isa{
	{
		"avx512", 64, cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2, 150,
		func(in *Input) assembled { return assembleX86(in.AVX512) },
		func(o *Output) assembled { return assembleX86(o.AVX512) }, inProcess,
	},
	{
		"avx2", 32, cpu.X86.HasAVX2, 150,
		func(in *Input) assembled { return assembleX86(in.AVX2) },
		func(o *Output) assembled { return assembleX86(o.AVX2) }, inProcess,
	},
	{
		"neon", 16, true, 10,
		func(in *Input) assembled { return assembleARM(in.NEON) },
		func(o *Output) assembled { return assembleARM(o.NEON) }, emulated,
	},
}

func assembleX86(build func(*x86.Asm) x86.Label) assembled {
	var a x86.Asm
	function := build(&a)
	return assembled{a.Bytes(), a.Offset(function)}
}

// emulated runs a function in the emulator, whose data is the memory of all arguments, one behind the other.
func emulated(_ testing.TB, code assembled) function {
	return func(tb testing.TB, arguments ...any) {
		tb.Helper()
		var a arm64.Asm
		var data []byte
		main := a.Label()
		a.Stp(arm64.LR, arm64.XZR, arm64.Pre(arm64.SP, -16))
		a.MovX(9, 0)
		for i, argument := range arguments {
			switch argument := argument.(type) {
			case []byte:
				a.MovImm(arm64.X(i), uint64(len(data)))
				a.Add(arm64.X(i), arm64.X(i), 9)
				data = append(data, argument...)
				data = append(data, make([]byte, -len(data)&63)...)
			case int:
				a.MovImm(arm64.X(i), uint64(argument))
			}
		}
		a.Bl(main)
		a.Ldp(arm64.LR, arm64.XZR, arm64.Post(arm64.SP, 16))
		a.Ret()
		for i := 0; i < len(code.code); i += 4 {
			if i == code.start {
				a.Bind(main)
			}
			a.Word(binary.LittleEndian.Uint32(code.code[i:]))
		}
		if err := a.Err(); err != nil {
			tb.Fatal(err)
		}
		data = arm64test.RunOn(tb, arm64test.Plain, a.Bytes(), data)
		for _, argument := range arguments {
			if memory, ok := argument.([]byte); ok {
				copy(memory, data)
				data = data[(len(memory)+63)&^63:]
			}
		}
	}
}
