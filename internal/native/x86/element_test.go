package x86

import "fmt"

var packedNames = [...]string{
	"vpaddb", "vpaddw", "vpaddd", "vpsubb", "vpsubw", "vpsubd", "vpunpcklbw", "vpunpcklwd", "vpunpckldq",
	"vpunpckhbw", "vpunpckhwd", "vpunpckhdq", "vpcmpgtb", "vpcmpgtw", "vpcmpeqb", "vpcmpeqw", "vpcmpeqd",
}

// elementFamilies lists functions. Each function draws an instruction of one family. These instructions work on the
// elements of vectors, some with masks, or are related to such instructions.
var elementFamilies = []func(s source) sample{
	func(s source) sample {
		op, d, x, y := s.IntN(int(GreaterBytes)), s.vec(32), s.vec(32), s.vec(32)
		return sample{
			fmt.Sprintf("%s zmm%d, zmm%d, zmm%d", packedNames[op], d, x, y),
			func(a *Asm) { a.Packed(ZMM, Packed(op), d, x, y) },
		}
	},
	func(s source) sample {
		op, k, d, x, y := s.IntN(int(SubtractDwords)+1), s.mask(), s.vec(32), s.vec(32), s.vec(32)
		return sample{
			fmt.Sprintf("%s zmm%d{k%d}, zmm%d, zmm%d", packedNames[op], d, k, x, y),
			func(a *Asm) { a.PackedMasked(Packed(op), k, d, x, y) },
		}
	},
	func(s source) sample {
		op, d, x, y := s.IntN(len(packedNames)), s.vec(16), s.vec(16), s.vec(16)
		return sample{
			fmt.Sprintf("%s ymm%d, ymm%d, ymm%d", packedNames[op], d, x, y),
			func(a *Asm) { a.Packed(YMM, Packed(op), d, x, y) },
		}
	},
	func(s source) sample {
		d, x, y, choice := s.vec(16), s.vec(16), s.vec(16), uint8(s.Uint32())
		return sample{
			fmt.Sprintf("vperm2i128 ymm%d, ymm%d, ymm%d, %d", d, x, y, choice),
			func(a *Asm) { a.Lanes256(d, x, y, choice) },
		}
	},
	func(s source) sample {
		d, x, y, choice := s.vec(32), s.vec(32), s.vec(32), uint8(s.Uint32())
		return sample{
			fmt.Sprintf("vshufi64x2 zmm%d, zmm%d, zmm%d, %d", d, x, y, choice),
			func(a *Asm) { a.Lanes512(d, x, y, choice) },
		}
	},
	func(s source) sample {
		d, x, y, mask := s.vec(16), s.vec(16), s.vec(16), s.vec(16)
		return sample{
			fmt.Sprintf("vpblendvb ymm%d, ymm%d, ymm%d, ymm%d", d, x, y, mask),
			func(a *Asm) { a.Select256(d, x, y, mask) },
		}
	},
	func(s source) sample {
		d, size := s.vec(16), s.IntN(3)
		m, text := s.mem()
		return sample{
			fmt.Sprintf("vpbroadcast%c ymm%d, %s ptr %s", "bwd"[size], d, [...]string{"byte", "word", "dword"}[size], text),
			func(a *Asm) { a.Broadcast256(1<<size, d, m) },
		}
	},
	func(s source) sample {
		x, mask := s.vec(16), s.vec(16)
		m, text := s.mem()
		return sample{
			fmt.Sprintf("vpmaskmovd ymmword ptr %s, ymm%d, ymm%d", text, mask, x),
			func(a *Asm) { a.StoreDwords256(m, mask, x) },
		}
	},
	func(s source) sample {
		k, x, y, size := s.mask(), s.vec(32), s.vec(32), s.IntN(2)
		return sample{
			fmt.Sprintf("vpcmpnleu%c k%d, zmm%d, zmm%d", "bw"[size], k, x, y),
			func(a *Asm) { a.Above512(1<<size, k, x, y) },
		}
	},
	func(s source) sample {
		k, d, x, y, size := s.mask(), s.vec(32), s.vec(32), s.vec(32), s.IntN(2)
		return sample{
			fmt.Sprintf("vpblendm%c zmm%d{k%d}, zmm%d, zmm%d", "bw"[size], d, k, x, y),
			func(a *Asm) { a.Select512(1<<size, k, d, x, y) },
		}
	},
	func(s source) sample {
		k, x, size := s.mask(), s.vec(32), 1+s.IntN(2)
		m, text := s.mem()
		return sample{
			fmt.Sprintf("vmovdqu%d zmmword ptr %s{k%d}, zmm%d", 8<<size, text, k, x),
			func(a *Asm) { a.StoreMasked512(1<<size, m, k, x) },
		}
	},
	func(s source) sample {
		k := s.mask()
		m, text := s.mem()
		return sample{fmt.Sprintf("kmovw k%d, word ptr %s", k, text), func(a *Asm) { a.LoadMask16(k, m) }}
	},
	func(s source) sample {
		k := s.mask()
		m, text := s.mem()
		return sample{fmt.Sprintf("kmovd k%d, dword ptr %s", k, text), func(a *Asm) { a.LoadMask32(k, m) }}
	},
	func(s source) sample {
		k, r := s.mask(), s.reg()
		name := [...]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"}
		if r < R8 {
			return sample{fmt.Sprintf("kmovd k%d, %s", k, name[r]), func(a *Asm) { a.Mask32(k, r) }}
		}
		return sample{fmt.Sprintf("kmovd k%d, %sd", k, names[r]), func(a *Asm) { a.Mask32(k, r) }}
	},
	func(s source) sample {
		d, x, count := s.reg(), s.reg(), s.reg()
		return sample{
			fmt.Sprintf("bzhi %s, %s, %s", names[d], names[x], names[count]),
			func(a *Asm) { a.LowBits(d, x, count) },
		}
	},
	func(s source) sample {
		d, n := s.reg(), uint8(2+s.IntN(62))
		return sample{fmt.Sprintf("shr %s, %d", names[d], n), func(a *Asm) { a.ShiftRight(d, n) }}
	},
	func(source) sample { return sample{"rep movsb", (*Asm).MoveBytes} },
	func(s source) sample {
		m, text := s.mem()
		return sample{"prefetcht1 byte ptr " + text, func(a *Asm) { a.Prefetch(m) }}
	},
}
