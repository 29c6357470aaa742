package tool_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
	"ialgn/internal/tool"
)

// fake makes a folder with the given shell scripts and returns it. Until the test ends, PATH contains only this
// folder. It can be called only once in a test, because afterwards PATH contains no shell.
func fake(t *testing.T, scripts map[string]string) string {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, script := range scripts {
		text := "#!" + shell + "\nPATH=" + os.Getenv("PATH") + "\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder)
	return folder
}

// find finds a program that exists.
func find(t *testing.T, name string) *tool.Tool {
	t.Helper()
	p, err := tool.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name, find string
		installed  []string
		want, pack string
	}{
		{"yosys", "yosys", []string{"yosys", "abc"}, "yosys", "yosys"},
		{"abc of Debian", "abc", []string{"abc", "yosys-abc", "berkeley-abc"}, "berkeley-abc", "berkeley-abc"},
		{"abc of its authors", "abc", []string{"abc", "yosys-abc"}, "abc", "berkeley-abc"},
		{"abc of yosys", "abc", []string{"yosys-abc"}, "yosys-abc", "berkeley-abc"},
		{"icepack", "icepack", []string{"icepack"}, "icepack", "fpga-icestorm"},
	} {
		t.Run(test.name, func(t *testing.T) {
			scripts := map[string]string{}
			for _, name := range test.installed {
				scripts[name] = "true"
			}
			folder := fake(t, scripts)
			p := find(t, test.find)
			if p.Name != test.find || p.Path != filepath.Join(folder, test.want) || p.Package != test.pack {
				t.Errorf("found %s at %s of package %s, want %s of %s", p.Name, p.Path, p.Package, test.want, test.pack)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	fake(t, nil)
	for name, pack := range map[string]string{
		"yosys": "yosys", "iverilog": "iverilog", "vvp": "iverilog", "verilator": "verilator",
		"abc": "berkeley-abc", "nextpnr-ice40": "nextpnr-ice40", "icepack": "fpga-icestorm", "icetime": "fpga-icestorm",
		"iceunpack": "fpga-icestorm", "icebox_vlog": "fpga-icestorm",
	} {
		_, err := tool.Find(name)
		var missing *tool.MissingError
		if !errors.As(err, &missing) || missing.Name != name || missing.Package != pack {
			t.Errorf("%s: error %v, want a MissingError that names %s", name, err, pack)
			continue
		}
		if got, want := err.Error(), name+": not installed; it is in the Debian package "+pack; got != want {
			t.Errorf("error %q, want %q", got, want)
		}
		if !strings.Contains(message.Hint(err), "apt-get install "+pack) {
			t.Errorf("hint %q does not say how to install %s", message.Hint(err), pack)
		}
	}
}

// TestMissingEverywhere checks a program that no Debian package contains. The error must not name a package.
func TestMissingEverywhere(t *testing.T) {
	fake(t, nil)
	for _, name := range []string{"nextpnr-ecp5", "ecppack", "nextpnr-himbaechel", "gowin_pack"} {
		_, err := tool.Find(name)
		var missing *tool.MissingError
		if !errors.As(err, &missing) || missing.Package != "" || err.Error() != name+
			": not installed, and not available as a Debian package" {
			t.Errorf("%s: error %v, want a MissingError without a package", name, err)
		}
		if want := "build " + name + " from its source, and put it on the PATH"; message.Hint(err) != want {
			t.Errorf("hint %q, want %q", message.Hint(err), want)
		}
	}
}

func TestNames(t *testing.T) {
	want := []string{
		"yosys", "iverilog", "vvp", "verilator", "abc", "nextpnr-ice40",
		"icepack", "icetime", "icebram", "iceunpack", "icebox_vlog", "nextpnr-ecp5", "ecppack",
		"nextpnr-himbaechel", "gowin_pack", "vivado", "mpirun", "chromium",
	}
	if diff := cmp.Diff(want, tool.Names()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown name: no panic")
		}
	}()
	tool.Find("vim")
}

func TestVersion(t *testing.T) {
	for _, test := range []struct {
		name, find string
		scripts    map[string]string
		want       string
	}{
		{
			"plain", "yosys",
			map[string]string{"yosys": `test "$*" = -V && echo 'Yosys 0.23 (git sha1 7ce5011c24b)'`},
			"Yosys 0.23 (git sha1 7ce5011c24b)",
		},
		{
			"first of many lines", "iverilog",
			map[string]string{"iverilog": `echo 'Icarus Verilog version 11.0 (stable) ()'; echo; echo Copyright`},
			"Icarus Verilog version 11.0 (stable)",
		},
		{
			"after other lines",
			"abc",
			map[string]string{"abc": `echo "ABC command line: \"$2\"."; echo; echo 'UC Berkeley, ABC 1.01 (compiled Feb  7 2023)'`},
			"UC Berkeley, ABC 1.01 (compiled Feb  7 2023)",
		},
		{
			"on standard error", "nextpnr-ice40",
			map[string]string{"nextpnr-ice40": `echo 'nextpnr-ice40 -- Next Generation Place and Route (Version 0.4)' >&2; exit 1`},
			"nextpnr-ice40 -- Next Generation Place and Route (Version 0.4)",
		},
		{"of the package", "icepack", map[string]string{
			"icepack":    "exit 1",
			"dpkg-query": `test "$4" = fpga-icestorm && printf '%s 0~2023-1' "$4"`,
		}, "fpga-icestorm 0~2023-1"},
		{"in no package of Debian", "ecppack", map[string]string{"ecppack": "exit 1", "dpkg-query": "echo wrong"}, "unknown"},
		{"not of Debian", "icepack", map[string]string{"icepack": "exit 1"}, "unknown"},
		{"not in a package", "verilator", map[string]string{"verilator": "exit 1", "dpkg-query": "exit 1"}, "unknown"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := fake(t, test.scripts)
			p := find(t, test.find)
			if got := p.Version(t.Context()); got != test.want {
				t.Errorf("version %q, want %q", got, test.want)
			}
			if err := os.Remove(filepath.Join(folder, filepath.Base(p.Path))); err != nil {
				t.Fatal(err)
			}
			if got := p.Version(t.Context()); got != test.want {
				t.Errorf("asked again: version %q, want %q", got, test.want)
			}
		})
	}
}

// TestVersionOnce checks that a program is asked for its version only once, even if it is found twice. If the caller
// was interrupted the first time, the program must be asked again.
func TestVersionOnce(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	fake(t, map[string]string{"yosys": "echo asked >> " + asked + "; echo Yosys 1"})
	ended, end := context.WithCancel(t.Context())
	end()
	if got := find(t, "yosys").Version(ended); got != "unknown" {
		t.Errorf("version %q of a caller that was interrupted, want unknown", got)
	}
	for range 2 {
		if got := find(t, "yosys").Version(t.Context()); got != "Yosys 1" {
			t.Errorf("version %q, want Yosys 1", got)
		}
	}
	if text, err := os.ReadFile(asked); err != nil || string(text) != "asked\n" {
		t.Errorf("asked %q, %v, want once", text, err)
	}
}

func TestRun(t *testing.T) {
	fake(t, map[string]string{"yosys": `echo "$#:$1:$2"; cat; pwd -P; echo warning >&2`})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "yosys.log")
	r, err := find(t, "yosys").Run(t.Context(), tool.Command{
		Args: []string{"-p", "synth; stat"}, Dir: dir, Stdin: strings.NewReader("input\n"), Limit: time.Minute, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "2:-p:synth; stat\ninput\n" + dir + "\n"; r.Stdout != want {
		t.Errorf("standard output %q, want %q", r.Stdout, want)
	}
	if r.Stderr != "warning\n" || r.Truncated || r.Seconds <= 0 {
		t.Errorf("standard error %q, truncated %v, %g seconds", r.Stderr, r.Truncated, r.Seconds)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`yosys -p "synth; stat"` + "\n", "2:-p:synth; stat\n", "warning\n", "\n# done\n"} {
		if !strings.Contains(string(b), part) {
			t.Errorf("log does not hold %q:\n%s", part, b)
		}
	}
}

func TestRunFailures(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"status", "exit 3", "yosys: exit status 3"},
		{"last line", "echo reading; echo; echo gone >&2; exit 1", "yosys: exit status 1: gone"},
		{"line with the error", "echo ERROR: no module; echo bye; exit 1", "yosys: exit status 1: ERROR: no module"},
		{"killed", "kill -9 $$", "yosys: signal: killed"},
		{"long line", "printf 'x%.0s' $(seq 1000); exit 1", "yosys: exit status 1: " + strings.Repeat("x", 200) + " ..."},
	} {
		t.Run(test.name, func(t *testing.T) {
			fake(t, map[string]string{"yosys": test.script})
			log := filepath.Join(t.TempDir(), "log")
			_, err := find(t, "yosys").Run(t.Context(), tool.Command{Limit: time.Minute, Log: log})
			var failed *tool.FailedError
			if !errors.As(err, &failed) || err.Error() != test.want {
				t.Errorf("error %v, want a FailedError: %s", err, test.want)
			}
			if got, want := message.Hint(err), "its output is in "+log; got != want {
				t.Errorf("hint %q, want %q", got, want)
			}
			if b, err := os.ReadFile(log); err != nil || !strings.HasSuffix(string(b), "# "+test.want+"\n") {
				t.Errorf("log %q, error %v, want the failure noted", b, err)
			}
		})
	}
}

// TestLimit runs programs that exceed their time limit. In some cases the program itself runs too long. In other
// cases a child process holds the program's output open.
func TestLimit(t *testing.T) {
	for _, script := range []string{"sleep 60", "sleep 60 & sleep 60", "sleep 60 & wait", "trap '' TERM; sleep 60"} {
		t.Run(script, func(t *testing.T) {
			fake(t, map[string]string{"abc": "echo begun; " + script})
			begin := time.Now()
			r, err := find(t, "abc").Run(t.Context(), tool.Command{Limit: 300 * time.Millisecond})
			var failed *tool.FailedError
			if !errors.As(err, &failed) || failed.Reason != "still running after 300ms" ||
				!errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want a FailedError by the limit", err)
			}
			if r.Stdout != "begun\n" || time.Since(begin) > 4*time.Second {
				t.Errorf("output %q after %v", r.Stdout, time.Since(begin))
			}
		})
	}
}

// TestChildrenAreKilled checks that processes that the program started do not survive.
func TestChildrenAreKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "alive")
	fake(t, map[string]string{"yosys": "(sleep 1; echo > " + path + ") & sleep 60"})
	if _, err := find(t, "yosys").Run(t.Context(), tool.Command{Limit: 200 * time.Millisecond}); err == nil {
		t.Fatal("no error")
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(path); err == nil {
		t.Error("a child went on after the end")
	}
}

func TestInterrupt(t *testing.T) {
	fake(t, map[string]string{"abc": "sleep 60"})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := find(t, "abc").Run(ctx, tool.Command{Limit: time.Minute})
	var failed *tool.FailedError
	if !errors.Is(err, context.Canceled) || errors.As(err, &failed) {
		t.Errorf("error %v, want the context's, as the program did not fail", err)
	}
}

func TestLongOutput(t *testing.T) {
	fake(t, map[string]string{"yosys": "head -c 17000000 /dev/zero; echo end"})
	log := filepath.Join(t.TempDir(), "log")
	r, err := find(t, "yosys").Run(t.Context(), tool.Command{Limit: time.Minute, Log: log})
	if err != nil || len(r.Stdout) != 16<<20 || !r.Truncated {
		t.Errorf("error %v, %d bytes, truncated %v", err, len(r.Stdout), r.Truncated)
	}
	if info, err := os.Stat(log); err != nil || info.Size() < 17_000_000 {
		t.Errorf("log: %v, error %v, want all of the output", info.Size(), err)
	}
}

func TestRunErrors(t *testing.T) {
	folder := fake(t, map[string]string{"yosys": "true"})
	p := find(t, "yosys")
	missing := filepath.Join(folder, "none", "log")
	_, err := p.Run(t.Context(), tool.Command{Limit: time.Minute, Log: missing})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a log that cannot be made: error %v", err)
	}
	var failed *tool.FailedError
	_, err = p.Run(t.Context(), tool.Command{Limit: time.Minute, Dir: filepath.Join(folder, "none")})
	if !errors.As(err, &failed) || !strings.HasPrefix(err.Error(), "yosys: could not be run: ") {
		t.Errorf("no working folder: error %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no time limit: no panic")
		}
	}()
	p.Run(t.Context(), tool.Command{})
}

// TestCallersFailure checks the error that a caller returns if the output of a program is wrong.
func TestCallersFailure(t *testing.T) {
	fake(t, map[string]string{"abc": "echo Networks are UNDECIDED"})
	r, err := find(t, "abc").Run(t.Context(), tool.Command{Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Failed("no proof", nil)
	if err.Error() != "abc: no proof" || message.Hint(err) != "" {
		t.Errorf("error %q, hint %q", err, message.Hint(err))
	}
}

// TestInstalled asks the installed programs for their versions.
func TestInstalled(t *testing.T) {
	for _, name := range tool.Names() {
		p, err := tool.Find(name)
		if err != nil {
			t.Logf("skipped: %v", err)
			continue
		}
		if v := p.Version(t.Context()); v == "" || strings.Contains(v, "\n") {
			t.Errorf("%s: version %q, want one line", name, v)
		} else {
			t.Logf("%s: %s", name, v)
		}
	}
}
