package memory

// Peak returns the largest resident memory that the process has had, in bytes (VmHWM in Linux, proc(5)), or 0 if it
// is unknown.
func Peak() uint64 { return system{"/"}.peak() }

func (s system) peak() uint64 { return s.line("proc/self/status", "VmHWM:") }
