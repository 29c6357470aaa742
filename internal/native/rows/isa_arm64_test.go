//go:build linux

package rows

import "golang.org/x/sys/cpu"

var isas = []isa{neonISA(cpu.ARM64.HasASIMD, 150, inProcess)}
