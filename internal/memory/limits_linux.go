package memory

import (
	"math"
	"syscall"
)

// resources returns what the resource limits leave beside what the process has already.
func (s system) resources() (all []Limit) {
	for _, r := range []struct {
		resource int
		key, by  string
	}{
		{syscall.RLIMIT_AS, "VmSize:", "ulimit -v leaves"},
		{syscall.RLIMIT_DATA, "VmData:", "ulimit -d leaves"},
	} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(r.resource, &limit); err != nil || limit.Cur > math.MaxInt64 {
			continue // the file does not exist
		}
		used := s.line("proc/self/status", r.key)
		all = append(all, Limit{max(limit.Cur, used+1) - used, r.by})
	}
	return all
}
