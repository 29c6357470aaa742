//go:build linux

package rows

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/cpu"

	"ialgn/internal/native/arm64"
	"ialgn/internal/native/arm64/arm64test"
	"ialgn/internal/native/x86"
)

var isas = []isa{
	{
		"avx512", 64, cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2, 150,
		func(in *Input) assembled { return assembleX86(in.AVX512) },
		func(o *Output) assembled {
			return assembleX86(func(a *x86.Asm) []x86.Label { return []x86.Label{o.AVX512(a)} })
		}, inProcess,
	},
	{
		"avx2", 32, cpu.X86.HasAVX2, 150,
		func(in *Input) assembled { return assembleX86(in.AVX2) },
		func(o *Output) assembled {
			return assembleX86(func(a *x86.Asm) []x86.Label { return []x86.Label{o.AVX2(a)} })
		}, inProcess,
	},
	neonISA(true, 10, emulated),
}

func assembleX86(build func(*x86.Asm) []x86.Label) assembled {
	var a x86.Asm
	all := assembled{}
	for _, function := range build(&a) {
		all.starts = append(all.starts, a.Offset(function))
	}
	all.code = a.Bytes()
	return all
}

// emulated runs functions in the emulator. The emulator's data is the memory of all arguments, one after another.
func emulated(_ testing.TB, code assembled) function {
	return func(tb testing.TB, arguments ...any) {
		tb.Helper()
		const base = 19
		var a arm64.Asm
		var data []byte
		for _, argument := range arguments {
			if memory, ok := argument.([]byte); ok {
				data = append(data, memory...)
				data = append(data, make([]byte, -len(data)&63)...)
			}
		}
		a.Stp(arm64.LR, base, arm64.Pre(arm64.SP, -16))
		a.MovX(base, 0)
		entries := map[int]arm64.Label{}
		for _, start := range code.starts {
			at := 0
			for i, argument := range arguments {
				switch argument := argument.(type) {
				case []byte:
					a.MovImm(arm64.X(i), uint64(at))
					a.Add(arm64.X(i), arm64.X(i), base)
					at += (len(argument) + 63) &^ 63
				case int:
					a.MovImm(arm64.X(i), uint64(argument))
				}
			}
			entries[start] = a.Label()
			a.Bl(entries[start])
		}
		a.Ldp(arm64.LR, base, arm64.Post(arm64.SP, 16))
		a.Ret()
		for i := 0; i < len(code.code); i += 4 {
			if entry, ok := entries[i]; ok {
				a.Bind(entry)
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
