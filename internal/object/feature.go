package object

// Feature is a set of processor features.
type Feature uint32

// These are the features, with Intel's names. Each feature also requires that the operating system saves the
// registers that the feature uses.
const (
	AVX2 Feature = 1 << iota
	AVX512F
	AVX512BW
	AVX512DQ
	AVX512VL
	AVX512VBMI
	AVX512VBMI2
	AVX512BITALG
	AVX512VPOPCNTDQ
	GFNI // only the instructions on AVX registers
	BMI1
	BMI2
	POPCNT

	end // the bit after the last feature
)

// These are bits of the register XCR0. They say which registers the operating system saves when it switches between
// programs.
const (
	keepsAVX    = 1<<1 | 1<<2                   // xmm, ymm
	keepsAVX512 = keepsAVX | 1<<5 | 1<<6 | 1<<7 // mask registers, upper halves of zmm0 to 15, zmm16 to 31
)

// These bits of ecx in cpuid's leaf 1 are required in addition to a feature's own bit.
const (
	osxsaveBit = 27 // the operating system uses XCR0
	avxBit     = 28
)

// mask holds the bits that a processor must have. The lowest byte of leaf1 holds bits of XCR0 instead of bits of ecx.
// The bits of ecx in this byte belong to features that no variant needs.
type mask struct {
	leaf1    uint32 // ecx of cpuid's leaf 1, and XCR0
	leaf7ebx uint32 // ebx of leaf 7, subleaf 0
	leaf7ecx uint32
}

// masks holds the bits of each feature (Intel's Software Developer's Manual, volume 2, CPUID), in
// the order of the constants.
var masks = [...]mask{
	{1<<avxBit | keepsAVX, 1 << 5, 0},
	{1<<avxBit | keepsAVX512, 1 << 16, 0},
	{1<<avxBit | keepsAVX512, 1 << 30, 0},
	{1<<avxBit | keepsAVX512, 1 << 17, 0},
	{1<<avxBit | keepsAVX512, 1 << 31, 0},
	{1<<avxBit | keepsAVX512, 0, 1 << 1},
	{1<<avxBit | keepsAVX512, 0, 1 << 6},
	{1<<avxBit | keepsAVX512, 0, 1 << 12},
	{1<<avxBit | keepsAVX512, 0, 1 << 14},
	{1<<avxBit | keepsAVX, 0, 1 << 8},
	{0, 1 << 3, 0},
	{0, 1 << 8, 0},
	{1 << 23, 0, 0},
}

// mask returns the bits of all features in a set.
func (f Feature) mask() mask {
	var all mask
	for i, m := range masks {
		if f>>i&1 != 0 {
			all.leaf1 |= m.leaf1
			all.leaf7ebx |= m.leaf7ebx
			all.leaf7ecx |= m.leaf7ecx
		}
	}
	return all
}
