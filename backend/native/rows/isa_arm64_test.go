//go:build linux

package rows

import "golang.org/x/sys/cpu"

var isas = []isa{{
	"neon", 16, cpu.ARM64.HasASIMD, 150,
	func(in *Input) assembled { return assembleARM(in.NEON) },
	func(o *Output) assembled { return assembleARM(o.NEON) }, inProcess,
}}
