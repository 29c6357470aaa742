package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ialgn/internal/screen"
	"ialgn/internal/testkit"
)

// openTerminal opens a pseudo-terminal. Text that is written to slave can be read from master.
func openTerminal(t *testing.T, columns int) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { slave.Close() })
	resize(t, master, columns)
	return master, slave
}

func resize(t *testing.T, master *os.File, columns int) {
	t.Helper()
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
}

// onTerminal runs the program with its standard error on a terminal and returns both outputs. When the first bar is
// shown, it calls the given function.
func onTerminal(t *testing.T, columns int, then func(master *os.File), args ...string) (v *teletype, stdout string) {
	t.Helper()
	master, slave := openTerminal(t, columns)
	var sent bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		for b := make([]byte, 1<<16); ; {
			n, err := master.Read(b)
			if sent.Write(b[:n]); err != nil {
				return
			}
			if then != nil && bytes.Contains(sent.Bytes(), []byte("\r\x1b[K")) {
				then(master)
				then = nil
			}
		}
	}()
	var out strings.Builder
	if code := run(context.Background(), append([]string{"ialgn"}, args...), &out, slave); code != exitDone {
		t.Errorf("ialgn %s: exit status %d", strings.Join(args, " "), code)
	}
	slave.Close()
	<-read // reading ends with an error when the terminal is closed
	v = &teletype{t: t, columns: columns}
	io.WriteString(v, strings.ReplaceAll(sent.String(), "\r\n", "\n"))
	return v, out.String()
}

// slowed puts a script on PATH that delays the real program of the given name.
func slowed(t *testing.T, name string) {
	t.Helper()
	real := testkit.FindTool(t, name).Path
	dir := t.TempDir()
	script := "#!/bin/sh\nsleep 1\nexec '" + real + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestOnTerminal runs the program on terminals of several widths. One of the widths changes meanwhile. No line may be
// wider than its terminal, the bars must name the slow step, and standard output must hold only the results.
func TestOnTerminal(t *testing.T) {
	slowed(t, "iverilog")
	t.Chdir(t.TempDir())
	if err := os.WriteFile("small.yaml", []byte(small), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), []string{"ialgn", "train", "small.yaml", "-o", "a.st", "--quiet"}, io.Discard,
		io.Discard); code != exitDone {
		t.Fatalf("train: exit status %d", code)
	}
	if code := run(context.Background(), []string{"ialgn", "compile", "a.st", "-o", "out", "--quiet"}, io.Discard,
		io.Discard); code != exitDone {
		t.Fatalf("compile: exit status %d", code)
	}
	narrower := func(master *os.File) { resize(t, master, 40) }
	for _, c := range []struct {
		columns int
		then    func(*os.File)
		args    []string
		said    string
	}{
		{40, nil, []string{"verify", "a.st", "out", "--json"}, "rtl: 0 s, iverilog, building"},
		{120, nil, []string{"verify", "a.st", "out", "--json"}, "rtl: 0 s, iverilog, building"},
		{40, nil, []string{
			"train", "small.yaml", "-o", "b.st", "--json", "--set", "train.epochs=3", "--set",
			"train.batch=2",
		}, "epoch 1/3  "},
		{80, nil, []string{
			"train", "small.yaml", "-o", "b.st", "--json", "--set", "train.epochs=3", "--set",
			"train.batch=2",
		}, "epoch 1/3  ["},
		{120, narrower, []string{
			"train", "small.yaml", "-o", "b.st", "--json", "--set", "train.epochs=3", "--set",
			"train.batch=2",
		}, "epoch 1/3  ["},
	} {
		t.Run(fmt.Sprint(c.columns, c.args[0]), func(t *testing.T) {
			v, stdout := onTerminal(t, c.columns, c.then, c.args...)
			all := strings.Join(v.frames, "\n")
			if v.wrapped > 0 {
				t.Errorf("%d lines are wider than the terminal:\n%s", v.wrapped, all)
			}
			if !strings.Contains(all, c.said) {
				t.Errorf("%q was not shown:\n%s", c.said, all)
			}
			if last := v.frames[len(v.frames)-1]; c.then != nil && screen.Cells(last) > 40 {
				t.Errorf("the terminal was made narrower, but still gets %q", last)
			}
			if last := v.rows[len(v.rows)-1]; last != "" {
				t.Errorf("a bar is left: %q", last)
			}
			if !strings.HasPrefix(stdout, "{\n") || strings.Contains(stdout, "\x1b") {
				t.Errorf("standard output is\n%s", stdout)
			}
		})
	}
}

// TestColours checks that an error is coloured only on a terminal that has colours.
func TestColours(t *testing.T) {
	for _, c := range []struct {
		term, noColour string
		want           string
	}{
		{"xterm", "", "\x1b[1;31mialgn:\x1b[0m no such command: \"complie\"\r\n" +
			"ialgn: \x1b[36mhint:\x1b[0m did you mean compile; `ialgn -h` lists the commands\r\n"},
		{"xterm", "1", ""},
		{"dumb", "", ""},
		{"", "", ""},
	} {
		t.Setenv("TERM", c.term)
		t.Setenv("NO_COLOR", c.noColour)
		master, slave := openTerminal(t, 200)
		code := run(t.Context(), []string{"ialgn", "complie"}, io.Discard, slave)
		slave.Close()
		sent, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		if c.want == "" {
			c.want = "ialgn: no such command: \"complie\"\r\n" +
				"ialgn: hint: did you mean compile; `ialgn -h` lists the commands\r\n"
		}
		if code != exitUsage || string(sent) != c.want {
			t.Errorf("TERM=%s NO_COLOR=%s: exit status %d, %q, want %q", c.term, c.noColour, code, sent, c.want)
		}
	}
}

// TestVerdictColours checks that verdicts are coloured on a terminal and have the same words elsewhere.
func TestVerdictColours(t *testing.T) {
	var lines [2]string
	for i, colours := range []bool{false, true} {
		p := &paper{colours: colours}
		fmt.Fprintln(p, verdict(p, "equivalent"), verdict(p, "different"), verdict(p, "unproved"), mismatches(p, 0),
			mismatches(p, 2))
		lines[i] = p.String()
	}
	want := [2]string{
		"equivalent different unproved no difference 2 DIFFERENCES\n",
		"\x1b[32mequivalent\x1b[0m \x1b[1;31mdifferent\x1b[0m \x1b[33munproved\x1b[0m \x1b[32mno difference\x1b[0m " +
			"\x1b[1;31m2 DIFFERENCES\x1b[0m\n",
	}
	if lines != want {
		t.Errorf("%q, want %q", lines, want)
	}
}
