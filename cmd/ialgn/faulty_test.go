package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"ialgn/internal/crew"
)

func init() { programs["ialgn-faulty"] = faulty }

// Static analysis cannot know the values of these variables.
var (
	zero = len(os.Args) / 1000
	none *int
)

// faults maps names to functions that crash the program, each in a different way.
var faults = map[string]func(){
	"index":  func() { fmt.Fprint(os.Stderr, make([]int, zero)[zero]) },
	"nil":    func() { fmt.Fprint(os.Stderr, *none) },
	"divide": func() { fmt.Fprint(os.Stderr, 1/zero) },
	"value":  func() { panic("sim: a panic with a text") },
	"crew":   func() { crew.New(3).Run(func(member int) { fmt.Fprint(io.Discard, make([]int, 1)[member]) }) },
	"each":   func() { crew.Each(3, func(i int) { fmt.Fprint(io.Discard, make([]int, 2)[i]) }) },
	"group": func() {
		g, _ := crew.NewGroup(context.Background())
		g.Go(func() error { panic("sim: a panic of a goroutine") })
		_ = g.Wait()
	},
	"memory": func() {
		for all := [][]byte{}; ; {
			all = append(all, make([]byte, 1<<28))
		}
	},
	"recursion": func() { fmt.Fprint(io.Discard, deeper(0)) },
}

// deeper recurses until the stack is full.
func deeper(n int) int {
	if n < 0 {
		return 0
	}
	return deeper(n+1) + 1
}

// faulty runs the program with an additional command. The argument of the command names the fault with which it
// crashes.
func faulty() {
	debug.SetTraceback("crash") // as main does
	debug.SetMaxStack(16 << 20) // Go's own limit of 1 GB takes seconds to fill
	os.Exit(guarded(os.Stderr, func(failure) {}, func() int { faults[os.Args[1]](); return exitDone }))
}

// TestFaults checks that no crash ends the program with a status that means something else. The status is 70, or a
// signal if the Go runtime itself ends the program.
func TestFaults(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit of memory is Linux's")
	}
	for name := range faults {
		cmd := exec.Command("sh", "-c", "ulimit -c 0; ulimit -v 3000000; exec ialgn-faulty "+name)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		_ = cmd.Run()
		code := cmd.ProcessState.ExitCode()
		if name == "memory" || name == "recursion" {
			if code != -1 {
				t.Errorf("%s: exit status %d, want a signal", name, code)
			}
			continue
		}
		lines := strings.SplitN(stderr.String(), "\n", 4)
		if code != exitFault || len(lines) < 4 || !strings.HasPrefix(lines[0], "ialgn: internal error: ") ||
			!strings.HasPrefix(lines[1], "ialgn: hint: please report this bug") || !strings.Contains(lines[3], "goroutine") ||
			!strings.Contains(lines[3], "faulty_test.go") {
			t.Errorf("%s: exit status %d\n%s", name, code, stderr.String())
		}
	}
}

// TestLimitedMemory trains a network that does not fit into the shell's memory limit. The program must refuse the
// network before it allocates the memory, and the message must name the limit.
func TestLimitedMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the limit of memory is Linux's")
	}
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	cmd := exec.Command("sh", "-c",
		"ulimit -v 3000000; exec ialgn train small.yaml -o m.st --set model.width=100000 --set model.depth=100")
	out, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); err == nil || code != exitUsage ||
		!strings.Contains(string(out), "GB of memory, but ulimit -v leaves less") {
		t.Errorf("exit status %d, %s", code, out)
	}
}
