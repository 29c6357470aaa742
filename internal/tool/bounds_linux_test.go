package tool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ialgn/internal/memory"
	"ialgn/internal/tool"
)

// TestMemoryBound runs a program that prints its memory limit.
func TestMemoryBound(t *testing.T) {
	fake(t, map[string]string{"yosys": "sleep 0.2; ulimit -d"}) // the limit is set when the program is already running
	r, err := find(t, "yosys").Run(t.Context(), tool.Command{Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	kilobytes, err := strconv.ParseUint(strings.TrimSpace(r.Stdout), 10, 64)
	if want := memory.Total().Bytes / 4 * 3; err != nil || kilobytes != want>>10 {
		t.Errorf("ulimit -d is %q kB, want %d", r.Stdout, want>>10)
	}
}

// TestEndsWithParent kills a process that runs a program. The program must end as well.
func TestEndsWithParent(t *testing.T) {
	const dir = "TOOL_TEST_PARENT"
	if at := os.Getenv(dir); at != "" { // this is the process that will be killed
		fake(t, map[string]string{"yosys": "echo $$ > " + filepath.Join(at, "new") + "; mv " + filepath.Join(at, "new") +
			" " + filepath.Join(at, "pid") + "; sleep 60"})
		_, _ = find(t, "yosys").Run(t.Context(), tool.Command{Limit: time.Minute})
		return
	}
	at := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^TestEndsWithParent$")
	cmd.Env = append(os.Environ(), dir+"="+at)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for begin := time.Now(); pid == 0 && time.Since(begin) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(at, "pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err := cmd.Process.Kill(); err != nil || pid == 0 {
		t.Fatalf("process %d, %v", pid, err)
	}
	_ = cmd.Wait()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if syscall.Kill(pid, 0) != nil || strings.Contains(string(text), ") Z ") {
			return // the program has ended, or is a zombie
		}
		if time.Since(begin) > 30*time.Second {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the program goes on")
		}
	}
}
