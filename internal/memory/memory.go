// Package memory reports how much memory this process may use, and allocates long arrays ([MakeHuge]).
//
// The limit is the minimum of the machine's memory, the limits of the process's control groups (cgroups), and the
// memory that the process may still use within its resource limits (ulimit -v, ulimit -d). The package reads these
// limits on Linux. On other systems they are unknown.
package memory

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Limit is the largest amount of memory that the process may use.
type Limit struct {
	Bytes uint64 // 0 if unknown
	By    string // source of the limit, for messages: "this machine has", "its control group allows", "ulimit -v leaves"
}

// Total returns the lowest limit. Swap space counts as memory of the machine.
func Total() Limit { return system{"/"}.total() }

// Available returns the number of bytes that are free now and that the process may use, or 0 if it is unknown.
func Available() uint64 { return system{"/"}.available() }

// system reads the files of the system below root.
type system struct{ root string }

func (s system) total() Limit {
	all := []Limit{{s.meminfo("MemTotal:", "SwapTotal:"), "this machine has"}}
	for _, g := range s.groups() {
		all = append(all, Limit{g.limit(), "its control group allows"})
	}
	return lowest(append(all, s.resources()...))
}

func (s system) available() uint64 {
	all := []Limit{{Bytes: s.meminfo("MemAvailable:")}}
	for _, g := range s.groups() {
		if limit, used := g.limit(), number(g.used); limit > 0 && used > 0 {
			all = append(all, Limit{Bytes: max(limit, used+1) - used})
		}
	}
	return lowest(append(all, s.resources()...)).Bytes
}

// lowest returns the lowest of the known limits.
func lowest(all []Limit) (low Limit) {
	for _, l := range all {
		if l.Bytes > 0 && (low.Bytes == 0 || l.Bytes < low.Bytes) {
			low = l
		}
	}
	return low
}

// meminfo returns the sum of some lines of /proc/meminfo (proc(5)) in bytes.
func (s system) meminfo(keys ...string) (bytes uint64) {
	for _, key := range keys {
		bytes += s.line("proc/meminfo", key)
	}
	return bytes
}

// line searches a file for the line that begins with a key. It returns the number in this line, converted from kB to
// bytes.
func (s system) line(name, key string) uint64 {
	f, err := os.Open(filepath.Join(s.root, name))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kilobytes uint64
		if rest, ok := strings.CutPrefix(lines.Text(), key); ok {
			if _, err := fmt.Sscan(rest, &kilobytes); err == nil && kilobytes < math.MaxUint64>>10 {
				return kilobytes << 10
			}
		}
	}
	return 0
}

// group names two files of a control group. They hold the limit for the memory of the group's processes and the
// amount of memory in use.
type group struct{ most, used string }

// limit returns the group's limit, or 0 if the group has no limit.
func (g group) limit() uint64 { return number(g.most) }

// groups returns the control groups of the process, in version 2 (cgroups(7)) and version 1. It includes all groups
// above these groups, because the limits of those groups also apply.
func (s system) groups() (all []group) {
	text, err := os.ReadFile(filepath.Join(s.root, "proc/self/cgroup"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, name, _ := strings.Cut(rest, ":")
		switch {
		case id == "0" && controllers == "":
			all = append(all, s.upwards("sys/fs/cgroup", name, "memory.max", "memory.current")...)
		case contains(controllers, "memory"):
			all = append(all, s.upwards("sys/fs/cgroup/memory", name, "memory.limit_in_bytes", "memory.usage_in_bytes")...)
		}
	}
	return all
}

func contains(list, name string) bool { return strings.Contains(","+list+",", ","+name+",") }

// upwards returns a group and all groups above it.
func (s system) upwards(root, name, most, used string) (all []group) {
	for name = path.Join("/", name); ; name = path.Dir(name) {
		dir := filepath.Join(s.root, root, name)
		all = append(all, group{filepath.Join(dir, most), filepath.Join(dir, used)})
		if name == "/" {
			return all
		}
	}
}

// number returns the number in a file, or 0 if the file has no number. The text "max" means no limit.
func number(file string) uint64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
