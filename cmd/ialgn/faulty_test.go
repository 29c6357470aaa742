package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"ialgn/internal/crew"
)

func init() { programs["ialgn-faulty"] = faulty }

// faults are what a program may do wrong.
var faults = map[string]func(){
	"index":  func() { _ = []int{}[len(os.Args)] },
	"nil":    func() { *(*int)(nil) = 1 },
	"divide": func() { _ = 1 / (len(os.Args) - len(os.Args)) },
	"value":  func() { panic("sim: a panic with a text") },
	"crew":   func() { crew.New(3).Run(func(member int) { _ = []int{0}[member] }) },
	"each":   func() { crew.Each(3, func(i int) { _ = []int{0, 1}[i] }) },
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
	"recursion": func() { deeper(0) },
}

func deeper(n int) int { return deeper(n+1) + 1 }

// faulty is the program with a command that has one of the faults.
func faulty() {
	debug.SetTraceback("crash") // as main does
	os.Exit(guarded(os.Stderr, func() int { faults[os.Args[1]](); return exitDone }))
}

// TestFaults holds that no fault of the program ends it with a status that means something else: 70, or
// a signal where Go itself ends it.
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
		if code != exitFault || len(lines) < 4 || !strings.HasPrefix(lines[0], "ialgn: fault of the program itself: ") ||
			!strings.HasPrefix(lines[1], "ialgn: hint: report this") || !strings.Contains(lines[3], "goroutine") || !strings.Contains(lines[3], "faulty_test.go") {
			t.Errorf("%s: exit status %d\n%s", name, code, stderr.String())
		}
	}
}
