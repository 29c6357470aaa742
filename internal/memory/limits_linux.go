package memory

import (
	"math"
	"syscall"
)

// resources returns how much more memory each resource limit allows the process.
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
			continue // unknown or unlimited
		}
		used := s.line("proc/self/status", r.key)
		all = append(all, Limit{max(limit.Cur, used+1) - used, r.by})
	}
	return all
}
