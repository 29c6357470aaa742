package arm64test

import (
	"fmt"

	"ialgn/internal/native/arm64"
)

// The exit statuses of a program that failed.
const (
	statusWrite   = 1 // the data could not be written
	statusChanged = 2 // register 0 in the list of kept has changed; statusChanged + i means register i
)

// register is a register that a function must keep.
type register struct {
	name  string
	value uint64 // value before the call
	write func(a *arm64.Asm)
	read  func(a *arm64.Asm)
}

// scratch is the register through which the test values are written to the kept registers and read back.
const scratch arm64.X = 9

// kept returns the registers that a function must keep, with a test value for each.
func kept() []register {
	list := []register{{
		"the stack pointer", stackBase + stackSize,
		func(a *arm64.Asm) { a.AddImm(arm64.SP, scratch, 0) },
		func(a *arm64.Asm) { a.AddImm(scratch, arm64.SP, 0) },
	}}
	value := func() uint64 { return 0x9e37_79b9_7f4a_7c15 * uint64(len(list)) } // a different value for each register
	for r := arm64.X(18); r <= arm64.FP; r++ {
		list = append(list, register{
			fmt.Sprintf("x%d", r), value(),
			func(a *arm64.Asm) { a.MovX(r, scratch) },
			func(a *arm64.Asm) { a.MovX(scratch, r) },
		})
	}
	for r := arm64.V(8); r <= 15; r++ {
		list = append(list, register{
			fmt.Sprintf("the lower half of v%d", r), value(),
			func(a *arm64.Asm) { a.Ins(arm64.D2, r, 0, scratch) },
			func(a *arm64.Asm) { a.Umov(arm64.D2, scratch, r, 0) },
		})
	}
	return list
}

// caller returns the code that precedes the function in memory and calls the function. Before the call, the code sets
// x0 to the address of the data plus offset. After the call, it writes all data, size bytes, and checks the
// registers, as [program] says.
func caller(size, offset int) ([]byte, error) {
	var a arm64.Asm
	function, end := a.Label(), a.Label()
	for _, r := range kept() {
		a.MovImm(scratch, r.value)
		r.write(&a)
	}
	a.MovImm(0, uint64(dataBase+offset))
	a.Bl(function)
	for i, r := range kept() {
		r.read(&a)
		a.MovImm(10, r.value)
		a.Cmp(scratch, 10)
		a.MovImm(0, uint64(statusChanged+i))
		a.BCond(arm64.NE, end)
	}
	writeAll(&a, size)
	a.Bind(end)
	systemCall(&a, sysExit)
	for (headers+a.Len())%guardSize != 0 {
		a.Word(0)
	}
	a.Bind(function)
	return a.Bytes(), a.Err()
}

// writeAll writes all data to the standard output, in several pieces if necessary, and leaves the
// status in x0.
func writeAll(a *arm64.Asm, size int) {
	again, failed, done := a.Label(), a.Label(), a.Label()
	a.MovImm(11, dataBase)
	a.MovImm(12, uint64(size))
	a.Bind(again)
	a.MovImm(0, 1) // the standard output
	a.MovX(1, 11)
	a.MovX(2, 12)
	systemCall(a, sysWrite)
	a.CmpImm(0, 0)
	a.BCond(arm64.LE, failed)
	a.Add(11, 11, 0)
	a.Sub(12, 12, 0)
	a.Cbnz(12, again)
	a.MovImm(0, 0)
	a.B(done)
	a.Bind(failed)
	a.MovImm(0, statusWrite)
	a.Bind(done)
}

// The numbers of Linux system calls.
const (
	sysWrite = 64
	sysExit  = 93
)

// systemCall makes a system call. The arguments are in x0, x1 and so on. The result is in x0, and all other registers
// are kept.
func systemCall(a *arm64.Asm, number uint64) {
	a.MovImm(8, number)
	a.Word(0xd400_0001) // svc #0
}
