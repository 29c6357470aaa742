// Package objecttest provides machine code for tests that link programs, and helpers that write
// files for the system's tools.
package objecttest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// OnAMD64 skips a test unless it runs on x86-64 Linux, because it uses the system's assembler,
// compiler and linker.
func OnAMD64(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("the system's tools are for %s and %s, not for Linux on x86-64", runtime.GOOS, runtime.GOARCH)
	}
}

// Features is the number of features in a sample of [Classifier].
const Features = 2

// Classifier returns the code of a function with the signature
//
//	int f(const uint8_t *x, size_t samples, uint16_t *class_index, uint32_t *counts, void *scratch);
//
// of a classifier. The class is the exclusive or of the two features, plus the argument mark. Tests use mark to find
// out which code ran. The single count of each sample equals the class. The function writes to the far end of 256
// bytes of stack, with an instruction that faults if the stack is not aligned as the ABI demands. It returns 0, or -1
// if scratch is not aligned to 64 bytes.
func Classifier(machine elf.Machine, mark uint16) []byte {
	if machine == elf.EM_AARCH64 {
		return classifierARM64(mark)
	}
	return []byte{
		0x48, 0x81, 0xec, 0xf8, 0, 0, 0, //             sub rsp,0xf8
		0x0f, 0x29, 0x04, 0x24, //                      movaps XMMWORD PTR [rsp],xmm0
		0x48, 0x81, 0xc4, 0xf8, 0, 0, 0, //             add rsp,0xf8
		0xb8, 0xff, 0xff, 0xff, 0xff, //                mov eax,0xffffffff
		0x41, 0xf6, 0xc0, 0x3f, //                      test r8b,0x3f
		0x75, 0x36, //                                  jne end
		0x31, 0xc0, //                                  xor eax,eax
		0x48, 0x85, 0xf6, //                            test rsi,rsi
		0x74, 0x2f, //                                  je end
		0x44, 0x0f, 0xb6, 0x0f, //                next: movzx r9d,BYTE PTR [rdi]
		0x44, 0x32, 0x4f, 0x01, //                      xor r9b,BYTE PTR [rdi+0x1]
		0x41, 0x81, 0xc1, byte(mark), byte(mark >> 8), 0, 0, // add r9d,mark
		0x66, 0x44, 0x89, 0x0a, //                      mov WORD PTR [rdx],r9w
		0x4d, 0x89, 0x08, //                            mov QWORD PTR [r8],r9
		0x48, 0x85, 0xc9, //                            test rcx,rcx
		0x74, 0x07, //                                  je no_counts
		0x44, 0x89, 0x09, //                            mov DWORD PTR [rcx],r9d
		0x48, 0x83, 0xc1, 0x04, //                      add rcx,0x4
		0x48, 0x83, 0xc7, 0x02, //           no_counts: add rdi,0x2
		0x48, 0x83, 0xc2, 0x02, //                      add rdx,0x2
		0x48, 0xff, 0xce, //                            dec rsi
		0x75, 0xd1, //                                  jne next
		0xc3, //                                   end: ret
	}
}

func classifierARM64(mark uint16) []byte {
	var code []byte
	for _, instruction := range []uint32{
		0x3c900fe0,                   //            str q0, [sp, #-256]!
		0x910403ff,                   //            add sp, sp, #0x100
		0x12800005,                   //            mov w5, #0xffffffff
		0xf240149f,                   //            tst x4, #0x3f
		0x540001c1,                   //            b.ne end
		0x52800005,                   //            mov w5, #0x0
		0xb4000181,                   //            cbz x1, end
		0x5280000a | uint32(mark)<<5, //            mov w10, mark
		0x38401409,                   //      next: ldrb w9, [x0], #1
		0x3840140b,                   //            ldrb w11, [x0], #1
		0x4a0b0129,                   //            eor w9, w9, w11
		0x0b0a0129,                   //            add w9, w9, w10
		0x78002449,                   //            strh w9, [x2], #2
		0xf9000089,                   //            str x9, [x4]
		0xb4000043,                   //            cbz x3, no_counts
		0xb8004469,                   //            str w9, [x3], #4
		0xf1000421,                   // no_counts: subs x1, x1, #0x1
		0x54fffee1,                   //            b.ne next
		0x2a0503e0,                   //       end: mov w0, w5
		0xd65f03c0,                   //            ret
	} {
		code = binary.LittleEndian.AppendUint32(code, instruction)
	}
	return code
}

// Bytes returns the bytes of a valid object file. It checks that two calls of f.Bytes give the same bytes.
func Bytes(t testing.TB, f interface{ Bytes() ([]byte, error) }) []byte {
	t.Helper()
	b, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := f.Bytes(); err != nil || !bytes.Equal(b, again) {
		t.Errorf("written a second time, the file has other bytes (%v)", err)
	}
	return b
}

// Write writes a file to a folder.
func Write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
