package memory

// Peak returns the high-water mark of the process's resident memory in bytes (VmHWM of Linux, proc(5)), 0 if it is not
// known.
func Peak() uint64 { return system{"/"}.peak() }

func (s system) peak() uint64 { return s.line("proc/self/status", "VmHWM:") }
