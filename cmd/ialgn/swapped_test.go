package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ialgn/internal/tool"
)

// swapper copies the given files to the path place, one after the other. It repeats this until stop is called.
func swapper(t *testing.T, place string, files ...string) (stop func()) {
	t.Helper()
	var texts [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := os.WriteFile(place, texts[0], 0o666); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			beside := place + ".new"
			if os.WriteFile(beside, texts[i%len(texts)], 0o666) != nil || os.Rename(beside, place) != nil {
				t.Error("the model could not be replaced")
				return
			}
		}
	})
	return func() { close(done); wait.Wait() }
}

// TestSwapped replaces the model again and again while it is compiled and verified. The manifest must name the model
// that was compiled, and the certificate the model that was verified.
func TestSwapped(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	netlists := map[string]string{} // by the SHA-256 of the model
	for _, name := range []string{"a", "b"} {
		must(t, "train", "small.yaml", "-o", name+".st", "--quiet", "--set", "train.epochs=1", "--set", "train.seed="+
			map[string]string{"a": "1", "b": "2"}[name])
		must(t, "compile", name+".st", "-o", name, "--quiet")
		netlists[sumOf(t, name)] = netlistOf(t, name)
	}
	stop := swapper(t, "m.st", "a.st", "b.st")
	defer stop()
	for range 60 {
		if code, _, stderr := runProgram(t, "compile", "m.st", "-o", "out", "--quiet"); code != exitDone {
			t.Fatal(stderr)
		}
		if netlists[sumOf(t, "out")] != netlistOf(t, "out") {
			t.Fatal("the manifest names another model than the one that was compiled")
		}
	}
	verified := 0
	for range 60 {
		code, stdout, stderr := runProgram(t, "verify", "m.st", "a", "--level", "software")
		switch {
		case code == exitDone:
			verified++
		case code != exitUsage || !strings.Contains(stderr, "a: compiled from model"):
			t.Fatalf("exit status %d\n%s%s", code, stdout, stderr)
		}
	}
	if verified == 0 || verified == 60 {
		t.Errorf("%d of 60 runs verified the folder: the test needs runs of both kinds", verified)
	}
	var c struct{ Model struct{ SHA256 string } }
	readJSONFile(t, filepath.Join("a", "certificate.json"), &c)
	if c.Model.SHA256 != sumOf(t, "a") {
		t.Error("the certificate names another model than the one that was checked")
	}
}

// TestFolderReplacedMeanwhile replaces the Verilog of a folder again and again while the folder is verified. verify
// must either refuse the folder or simulate the Verilog that the manifest names.
func TestFolderReplacedMeanwhile(t *testing.T) {
	if _, err := tool.Find("iverilog"); err != nil {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1")
	must(t, "compile", "m.st", "-o", "out", "--quiet")
	sound := read(t, filepath.Join("out", "tiny.v"))
	writeFile(t, "sound.v", sound)
	writeFile(t, "wrong.v", strings.ReplaceAll(sound, " & ", " | "))
	defer swapper(t, filepath.Join("out", "tiny.v"), "sound.v", "sound.v", "wrong.v")()
	verified := 0
	for range 16 {
		code, stdout, stderr := runProgram(t, "verify", "m.st", "out", "--samples", "20")
		switch {
		case code == exitDone:
			verified++
		case code != exitUsage || !strings.Contains(stderr, "out/tiny.v: changed since compile wrote it"):
			t.Fatalf("exit status %d\n%s%s", code, stdout, stderr)
		}
	}
	if verified == 0 || verified == 16 {
		t.Errorf("%d of 16 runs verified the folder: the test needs runs of both kinds", verified)
	}
}

// sumOf returns the SHA-256 of the model that a folder's manifest names.
func sumOf(t *testing.T, dir string) string {
	t.Helper()
	var m struct{ Model struct{ SHA256 string } }
	readJSONFile(t, filepath.Join(dir, "manifest.json"), &m)
	return m.Model.SHA256
}

func readJSONFile(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

func netlistOf(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "tiny.netlist"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
