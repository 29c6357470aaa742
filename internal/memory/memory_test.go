package memory

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const meminfo = "MemTotal:       24684092 kB\nMemFree:        1 kB\nMemAvailable:   23895272 kB\nSwapTotal:       " +
	"1000 kB\n"

// TestGroups checks limits of the process's own control group and of the groups above it, for both versions of
// control groups.
func TestGroups(t *testing.T) {
	for _, tt := range []struct {
		name      string
		files     map[string]string
		total     Limit
		available uint64
	}{
		{"nothing is known", nil, Limit{}, 0},
		{
			"the machine",
			map[string]string{"proc/meminfo": meminfo},
			Limit{24685092 << 10, "this machine has"},
			23895272 << 10,
		},
		{"no limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/b/memory.current": "77\n",
		}, Limit{24685092 << 10, "this machine has"}, 23895272 << 10},
		{"version 2", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1000\n",
			"sys/fs/cgroup/a/b/memory.current": "400\n",
		}, Limit{1000, "its control group allows"}, 600},
		{"version 2, of a group above", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.max": "900\n", "sys/fs/cgroup/a/memory.current": "950\n",
		}, Limit{900, "its control group allows"}, 1},
		{"version 1", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "5000\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes": "1000\n",
		}, Limit{5000, "its control group allows"}, 4000},
		{"version 1 without a limit", map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n",
		}, Limit{24685092 << 10, "this machine has"}, 23895272 << 10},
		{"other content", map[string]string{
			"proc/meminfo": "MemTotal: many kB\n", "proc/self/cgroup": "nothing\n", "sys/fs/cgroup/memory.max": "?",
		}, Limit{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := system{t.TempDir()}
			for name, text := range tt.files {
				path := filepath.Join(s.root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.total(); got != tt.total {
				t.Errorf("total %+v, want %+v", got, tt.total)
			}
			if got := s.available(); got != tt.available {
				t.Errorf("available %d, want %d", got, tt.available)
			}
		})
	}
}

// TestResources runs the test program again, under resource limits that the shell sets.
func TestResources(t *testing.T) {
	if os.Getenv("MEMORY_TEST") != "" {
		l := Total()
		os.Stdout.WriteString("limit " + strconv.FormatUint(l.Bytes, 10) + " " + l.By + "\n")
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the limits exist only on Linux")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for option, by := range map[string]string{"-v": "ulimit -v leaves", "-d": "ulimit -d leaves"} {
		const kilobytes = 4_000_000
		cmd := exec.Command("sh", "-c", "ulimit "+option+" "+strconv.Itoa(kilobytes)+
			` && exec "$0" -test.run '^TestResources$' -test.v`, program)
		cmd.Env = append(os.Environ(), "MEMORY_TEST=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, rest, _ := strings.Cut(string(out), "limit ")
		digits, rest, _ := strings.Cut(rest, " ")
		bytes, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || bytes == 0 || bytes >= kilobytes<<10 || !strings.HasPrefix(rest, by+"\n") {
			t.Errorf("ulimit %s: %s", option, out)
		}
	}
}

// TestMachine checks that this machine's memory size is plausible if it is known.
func TestMachine(t *testing.T) {
	total, free := Total().Bytes, Available()
	if total != 0 && (total < 1<<24 || total > 1<<50) || free > total {
		t.Errorf("%d bytes in all, %d of them free", total, free)
	}
}
