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

// The environment of [confined]: the largest size of a file, and whether to give up root's
// right to write everywhere.
const (
	largestFile = "IALGN_TEST_LARGEST_FILE"
	noRoot      = "IALGN_TEST_NO_ROOT"
)

func init() { programs["ialgn-confined"] = confined }

// confined is the program in a process that may not do all that the test may.
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

// runConfined runs the program so, its standard output going to that file.
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
		Env: append([]string{env}, os.Environ()...), Files: []*os.File{nil, out, errs}, // the first of equal names counts
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

// disk is a folder in which a file can have or get only so many bytes.
type disk struct {
	name   string
	reason string // in the message
	// make returns the environment for the program and what takes the bound away
	make func(t *testing.T, dir string, bytes int) (env string, end func())
}

var disks = []disk{
	{"limit", "file too large", func(t *testing.T, _ string, bytes int) (string, func()) {
		if testing.CoverMode() != "" {
			t.Skip("what measures coverage writes files, too, which the limit holds back")
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

// mount puts a small file system at dir, or skips the test where that is not allowed.
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

// TestFullDisk runs everything that writes onto a disk that is full, or where files have a
// largest size, at several numbers of bytes: exit status 1, a message that names the file
// and the reason, every good file as it was (or a new model, whole), and nothing left behind.
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

// plainReason is the message of a disk that takes no more. It begins with the file.
const plainReason = `^ialgn: (write )?[^ \n]+: [^\n]*%s[^\n]*\n(ialgn: hint: [^\n]*\n)?$`

// try runs a command that must fail for want of room.
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
	// What an earlier run left is put aside before a new one begins.
	if old := "m.st.checkpoint.old"; bytes.Equal(readOr(old), []byte(good["m.st.checkpoint"])) {
		os.Rename(old, "m.st.checkpoint")
	}
	for name, text := range allFiles(t) {
		if name == "m.st" && good[name] != text && strings.Contains(stderr, "the model m.st is written") {
			must(t, "eval", name) // there was room for the new one, but not for its checkpoint
		} else if good[name] != text {
			t.Errorf("%s: %s is new or another", what, name)
		}
	}
	for name := range good {
		if _, err := os.Stat(name); err != nil {
			t.Errorf("%s: %s is gone", what, name)
		}
	}
	restore(t, good)
}

// TestModelBeforeCheckpoint trains where there is room for the model, but not for its checkpoint,
// too: the model is there and whole, whichever of the two takes the room first, and the message
// says what is missing.
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
	rooms := []int{model + best + 3*4096} // and parts of pages, and a lock
	if d.name == "full" {
		here, _ := os.Getwd()
		mount(t, filepath.Join(here, "out"))
		rooms = append(rooms, best+state+3*4096) // the checkpoint is written first, and takes it all
	}
	for _, room := range rooms {
		if room >= model+best+state {
			t.Fatalf("%d bytes are room for all of %d, %d and %d", room, model, best, state)
		}
		env, end := d.make(t, "out", room)
		code, stderr := runConfined(t, env, "stdout", "train", "small.yaml", "-o", "out/m.st", "--quiet", "--set", set)
		end()
		if code != exitUsage || !strings.Contains(stderr, "out/m.st.checkpoint: ") || !strings.Contains(stderr, d.reason) ||
			!strings.Contains(stderr, "the model out/m.st is written") {
			t.Errorf("%d bytes: exit status %d, %s", room, code, stderr)
		}
		if !bytes.Equal(readOr("out/m.st"), readOr("whole/m.st")) {
			t.Errorf("%d bytes: the model is not there, or another", room)
		}
		for name := range allFiles(t) {
			if strings.Contains(name, ".tmp") || name == "out/m.st.checkpoint" {
				t.Errorf("%d bytes: %s is left", room, name)
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

// TestReadOnlyFolder writes into a folder that is not to be written.
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
			t.Errorf("%s is new or another", name)
		}
	}
}

// TestFullTemporary verifies with a folder for temporary files that is full, or that fills up while the
// tools work in it: whichever of them comes to the end of it, the message says so.
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
			!strings.Contains(stderr, "$TMPDIR") || strings.Count(stderr, "\n") != 2 {
			t.Errorf("%d bytes: exit status %d\n%s", bytes, code, stderr)
		}
	}
	if done < 1 || done > 3 {
		t.Errorf("%d of the sizes were enough, want the largest, and the smallest not", done)
	}
}
