package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ialgn/internal/tool"
)

// These environment variables control [confined]. The first is the largest size of a file. The second is set if the
// process must give up root's right to write everywhere.
const (
	largestFile = "IALGN_TEST_LARGEST_FILE"
	noRoot      = "IALGN_TEST_NO_ROOT"
)

func init() { programs["ialgn-confined"] = confined }

// confined runs the program with fewer rights than the test has.
func confined() {
	if n, err := strconv.ParseUint(os.Getenv(largestFile), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			panic(err)
		}
	}
	if os.Getenv(noRoot) != "" && os.Getuid() == 0 {
		const nobody = 65534
		if err := syscall.Setuid(nobody); err != nil {
			panic(err)
		}
	}
	main()
}

// runConfined runs the program as [confined], with its standard output in the file stdout.
func runConfined(t *testing.T, env, stdout string, args ...string) (code int, stderr string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(stdout)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	p, err := os.StartProcess(program, append([]string{"ialgn-confined"}, args...), &os.ProcAttr{
		Env: append([]string{env}, os.Environ()...), Files: []*os.File{nil, out, errs}, // the first value of each name counts
	})
	if err != nil {
		t.Fatal(err)
	}
	state, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(errs.Name())
	if err != nil {
		t.Fatal(err)
	}
	return state.ExitCode(), string(text)
}

// disk is a folder in which files can grow only by a limited number of bytes.
type disk struct {
	name   string
	reason string // the reason that the message gives
	// make returns an environment entry for the program and a function that removes the limit
	make func(t *testing.T, dir string, bytes int) (env string, end func())
}

var disks = []disk{
	{"limit", "file too large", func(t *testing.T, _ string, bytes int) (string, func()) {
		if testing.CoverMode() != "" {
			t.Skip("the limit would also apply to the files with the coverage")
		}
		return fmt.Sprintf("%s=%d", largestFile, bytes), func() {}
	}},
	{"full", "no space left on device", func(t *testing.T, dir string, bytes int) (string, func()) {
		const page = 4096
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			t.Fatal(err)
		}
		filler := filepath.Join(dir, "filler")
		room := int(st.Bavail)*int(st.Bsize) - bytes/page*page
		if err := os.WriteFile(filler, make([]byte, room), 0o666); err != nil {
			t.Fatal(err)
		}
		return "", func() { os.Remove(filler) }
	}},
}

// mount mounts a small file system at dir, or skips the test if it may not.
func mount(t *testing.T, dir string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
}

// TestFullDisk runs every command that writes, on a full disk or with a limited file size, with several numbers of
// free bytes. It expects exit status 1 and a message that names the file and the reason. No temporary file may be
// left. Every good file must be unchanged, or be a new, complete model.
func TestFullDisk(t *testing.T) {
	for _, d := range disks {
		t.Run(d.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("out", 0o777); err != nil {
				t.Fatal(err)
			}
			if d.name == "full" {
				here, _ := os.Getwd()
				mount(t, filepath.Join(here, "out"))
			}
			writeFile(t, "small.yaml", small)
			writeFile(t, "new.csv", strings.Repeat(strings.Repeat("7,", 63)+"7\n", 3000))
			must(t, "train", "small.yaml", "-o", "out/m.st", "--quiet", "--set", "train.epochs=1")
			must(t, "compile", "out/m.st", "-o", "out/design")
			t.Chdir("out")
			good := allFiles(t)
			for _, c := range []struct {
				args  string
				bytes []int
			}{
				{"train ../small.yaml -o m.st --quiet", []int{5_000, 20_000, 60_000}},
				{
					"train ../small.yaml -o m.st --quiet --resume --set train.epochs=2 --set train.checkpoint.minutes=1e-9",
					[]int{20_000, 60_000},
				},
				{"train ../small.yaml -o m.st --quiet --set train.validation.share=0.2", []int{5_000, 20_000}},
				{"compile m.st -o design --lut 4", []int{5_000, 20_000}},
				{"compile m.st -o other --emit blif,go", []int{5_000, 20_000}},
				{"predict m.st ../new.csv", []int{5_000, 20_000}},
				{"sim design --vcd x.vcd", []int{5_000}},
				{"sim design --activity x.json", []int{5_000}},
			} {
				for _, n := range c.bytes {
					d.try(t, strings.Fields(c.args), n, good)
				}
			}
		})
	}
}

// plainReason is the form of the message about a full disk. The message starts with the file name.
const plainReason = `^ialgn: (write )?[^ \n]+: [^\n]*%s[^\n]*\n(ialgn: hint: [^\n]*\n)?$`

// try runs a command that must fail because the disk is full.
func (d disk) try(t *testing.T, args []string, n int, good map[string]string) {
	t.Helper()
	env, end := d.make(t, ".", n)
	code, stderr := runConfined(t, env, "stdout", args...)
	end()
	what := fmt.Sprintf("%s with %d bytes", strings.Join(args, " "), n)
	last := stderr[max(0, strings.LastIndex(stderr, "\nialgn: ")+1):] // after warnings
	if !regexp.MustCompile(fmt.Sprintf(plainReason, d.reason)).MatchString(last) || strings.Contains(stderr, "goroutine") {
		t.Errorf("%s: no plain message:\n%s", what, stderr)
	}
	if code != exitUsage || strings.Contains(stderr, ".tmp") || strings.Contains(stderr, ".ialgn-") {
		t.Errorf("%s: exit status %d\n%s", what, code, stderr)
	}
	os.Remove("stdout")
	// A run moves the checkpoint of an earlier run aside before it starts.
	if old := "m.st.checkpoint.old"; bytes.Equal(readOr(old), []byte(good["m.st.checkpoint"])) {
		os.Rename(old, "m.st.checkpoint")
	}
	for name, text := range allFiles(t) {
		if name == "m.st" && good[name] != text && strings.Contains(stderr, "the model m.st is written") {
			must(t, "eval", name) // the new model fitted, but its checkpoint did not
		} else if good[name] != text {
			t.Errorf("%s: %s was created or changed", what, name)
		}
	}
	for name := range good {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s: %s was removed", what, name)
		}
	}
	restore(t, good)
}

// TestModelBeforeCheckpoint trains with enough disk space for the model alone, without its checkpoint. The model must
// be complete, whether it is written before or after the checkpoint. The message must name the missing file.
func TestModelBeforeCheckpoint(t *testing.T) {
	for _, d := range disks {
		for _, set := range []string{"train.seed=7", "train.validation.share=0.2"} {
			t.Run(d.name+", "+set, func(t *testing.T) { d.modelAlone(t, set) })
		}
	}
}

func (d disk) modelAlone(t *testing.T, set string) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "whole/m.st", "--quiet", "--set", set)
	size := func(path string) int { return len(readOr(path)) }
	model, state, best := size("whole/m.st"), size("whole/m.st.checkpoint"), size("whole/m.st.best")
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	rooms := []int{model + best + 3*4096} // the last term is for partly filled pages and a lock file
	if d.name == "full" {
		here, _ := os.Getwd()
		mount(t, filepath.Join(here, "out"))
		rooms = append(rooms, best+state+3*4096) // the checkpoint is written first and fills the disk
	}
	for _, room := range rooms {
		if room >= model+best+state {
			t.Fatalf("%d bytes would be enough for model, best model and state (%d, %d and %d bytes)", room, model, best, state)
		}
		env, end := d.make(t, "out", room)
		code, stderr := runConfined(t, env, "stdout", "train", "small.yaml", "-o", "out/m.st", "--quiet", "--set", set)
		end()
		if code != exitUsage || !strings.Contains(stderr, "out/m.st.checkpoint: ") || !strings.Contains(stderr, d.reason) ||
			!strings.Contains(stderr, "the model out/m.st is written") {
			t.Errorf("%d bytes: exit status %d, %s", room, code, stderr)
		}
		if !bytes.Equal(readOr("out/m.st"), readOr("whole/m.st")) {
			t.Errorf("%d bytes: the model is missing or wrong", room)
		}
		for name := range allFiles(t) {
			if strings.Contains(name, ".tmp") || name == "out/m.st.checkpoint" {
				t.Errorf("%d bytes: %s was left behind", room, name)
			}
		}
		os.Remove("out/m.st")
		os.Remove("out/m.st.best")
	}
}

func readOr(path string) []byte {
	data, _ := os.ReadFile(path)
	return data
}

// TestReadOnlyFolder runs commands whose output folder may not be written.
func TestReadOnlyFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "out/m.st", "--quiet", "--set", "train.epochs=1")
	must(t, "compile", "out/m.st", "-o", "out/design")
	good := allFiles(t)
	for _, dir := range []string{"out/design", "out"} {
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o777) })
	}
	for _, args := range []string{
		"train small.yaml -o out/m.st --quiet", "train small.yaml -o out/m.st --quiet --resume --set train.epochs=3",
		"train small.yaml -o out/new.st --quiet", "train small.yaml -o out/new/m.st --quiet",
		"compile out/m.st -o out/design", "compile out/m.st -o out/other", "demo -o out --quiet",
		"train small.yaml -o /dev/null --log out/log", "experiment baselines -o out/tables",
	} {
		code, stderr := runConfined(t, noRoot+"=yes", filepath.Join(t.TempDir(), "stdout"), strings.Fields(args)...)
		if code != exitUsage || !strings.Contains(stderr, "permission denied") && !strings.Contains(stderr, "is a device") ||
			!strings.HasPrefix(stderr, "ialgn: ") || !strings.Contains(stderr, "out") && !strings.Contains(stderr, "/dev/null") {
			t.Errorf("%s: exit status %d, %s", args, code, stderr)
		}
	}
	for name, text := range allFiles(t) {
		if good[name] != text {
			t.Errorf("%s was created or changed", name)
		}
	}
}

// TestFullTemporary runs verify with a full folder for temporary files, and with one that fills up while the tools
// work in it. Whichever program runs out of space, the message must name $TMPDIR.
func TestFullTemporary(t *testing.T) {
	for _, name := range []string{"iverilog", "yosys", "abc"} {
		if _, err := tool.Find(name); err != nil {
			t.Skip(err)
		}
	}
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder, full := filepath.Join(here, "temporary"), disks[1]
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	mount(t, folder)
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1")
	must(t, "compile", "m.st", "-o", "out", "--lut", "4")
	done := 0
	for _, bytes := range []int{0, 4 << 10, 40 << 10, 120 << 10, 300 << 10, 3 << 20} {
		_, end := full.make(t, folder, bytes)
		code, stderr := runConfined(t, "TMPDIR="+folder, "stdout", "verify", "m.st", "out", "--level", "formal", "--samples",
			"4")
		end()
		if code == exitDone {
			done++
			continue
		}
		if code != exitTool && code != exitUsage || !strings.Contains(stderr, "no space left on") ||
			!strings.Contains(stderr, "set TMPDIR") || strings.Count(stderr, "\n") != 2 {
			t.Errorf("%d bytes: exit status %d\n%s", bytes, code, stderr)
		}
	}
	if done < 1 || done > 3 {
		t.Errorf("verify succeeded with %d of the sizes; it must succeed with the largest and fail with the smallest", done)
	}
}
