package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/urfave/cli/v2"
)

// TestOneNumberSyntax passes numbers that are not plain decimal. It passes them to every option that takes a number,
// in a configuration, in --set, and in the grid of a sweep.
func TestOneNumberSyntax(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	forms := []string{
		"1_000", "0x10", "0b11", "0o17", "010", "0x1p4", "\u0661\u0662", "\uff11", "1e", "\u00b2",
		"1\u00a0000", "nan", "inf",
	}
	for _, c := range newApp(io.Discard, io.Discard).Commands {
		for i, f := range c.Flags {
			switch f.(type) {
			case *cli.IntFlag, *cli.Int64Flag, *cli.Float64Flag:
			default:
				continue
			}
			option, form := dashed(f.Names()[0]), forms[i%len(forms)]
			for _, args := range [][]string{{c.Name, option, form}, {c.Name, option + "=" + form}} {
				code, _, stderr := runProgram(t, args...)
				want := fmt.Sprintf("ialgn: %s %q: want a", option, form)
				if code != exitUsage || !strings.HasPrefix(stderr, want) {
					t.Errorf("%q: exit status %d, %s, want %s", args, code, stderr, want)
				}
			}
		}
	}
	for _, form := range forms {
		writeFile(t, "grid.yaml", "model.width: ["+form+"]\n")
		writeFile(t, "key.yaml", strings.Replace(small, "width: 60", "width: "+form, 1))
		for _, args := range [][]string{
			{"train", "key.yaml"},
			{"train", "small.yaml", "--set", "model.width=" + form},
			{"train", "small.yaml", "--set", "train.optimizer.lr=" + form},
			{"sweep", "small.yaml", "-o", "s", "--grid", "model.width=" + form},
			{"sweep", "small.yaml", "-o", "s", "--grid", "train.seed=1.." + form},
			{"sweep", "small.yaml", "-o", "s", "--grid-file", "grid.yaml"},
			{"verify", "m", "d", "--samples", form},
			{"compile", "m", "-o", "d", "--pipeline", form},
			{"compile", "m", "-o", "d", "--fold", form},
		} {
			if code, _, stderr := runProgram(t, args...); code != exitUsage || strings.Contains(stderr, "\n\t") {
				t.Errorf("%q: exit status %d, %s", args, code, stderr)
			}
		}
	}
}

// TestThreadsBound checks that no command accepts more threads than any machine has cores.
func TestThreadsBound(t *testing.T) {
	for _, c := range newApp(io.Discard, io.Discard).Commands {
		for _, f := range c.Flags {
			if f != threadsFlag {
				continue
			}
			for _, n := range []string{"4097", "999999", "2147483648", "99999999999999999999", "-1"} {
				if code, _, stderr := runProgram(t, c.Name, "--threads", n); code != exitUsage ||
					!strings.HasPrefix(stderr, "ialgn: --threads ") || !strings.Contains(stderr, n) {
					t.Errorf("%s --threads %s: exit status %d, %s", c.Name, n, code, stderr)
				}
			}
		}
	}
}

// TestOptionNames checks that messages name options as users type them.
func TestOptionNames(t *testing.T) {
	for args, want := range map[string]string{
		"train -o":               "-o: needs a value",
		"train --o":              "-o: needs a value",
		"train -set":             "--set: needs a value",
		"explain m --sample":     "--sample: needs a value",
		"import --wiring-seed 0": "--wiring-seed: removed: ",
		"train -k x":             "no such option: -k",
		"train --k x":            "no such option: -k",
		"train -kk x":            "no such option: --kk",
		"compile m -O two":       `-O "two": want a whole number in decimal digits`,
		"compile m --O=0x2":      `-O "0x2": want a whole number in decimal digits`,
		"train c --quiet=maybe":  `--quiet "maybe": want true or false`,
		"train --rank-timeout 5": `--rank-timeout "5": want a time with its unit`,
	} {
		if code, _, stderr := runProgram(t, strings.Fields(args)...); code != exitUsage ||
			!strings.HasPrefix(stderr, "ialgn: "+want) {
			t.Errorf("%s: exit status %d, %s, want %s", args, code, stderr, want)
		}
	}
}

// TestHostileNames uses names with terminal control sequences, for files and for entries inside files. No command may
// print the sequences.
func TestHostileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	const evil = "\x1b[2J\x1b]0;x\a\u009b1m\u202e\u2066\u2028\r\x7f"
	quoted := `\e[2J\e]0;x\a\N1m` + "\u202e" + `\L` // the same name as it is written in YAML
	writeFile(t, "small.yaml", small)
	writeFile(t, evil+".yaml", small)
	writeFile(t, "key.yaml", "name: n\ndata: {set: digits}\nmodel: {\""+quoted+"\": 3}\n")
	writeFile(t, "section.yaml", "name: n\n\""+quoted+"\": {set: digits}\n")
	writeFile(t, "value.yaml", "name: \""+quoted+"\"\ndata: {set: digits}\n")
	writeFile(t, "set.yaml", "name: n\ndata: {set: \""+quoted+"\"}\n")
	writeFile(t, "grid.yaml", "\"model.width"+quoted+"\": [10]\n")
	writeFile(t, "grid2.yaml", "train.seed: [\""+quoted+"\"]\n")
	writeFile(t, "facts.yaml", "\""+quoted+"\": 1\ngroup_sum: {k: \""+quoted+"\"}\n")
	writeFile(t, "a.csv", "a"+evil+",b,label\n1,2,n\n3,4,y\n")
	writeFile(t, "b.csv", "a,b,label\n1,2,n"+evil+"\n3,4,y\n5,x"+evil+",y\n")
	writeFile(t, "turned.csv", "a\u202ea,b,label\n1,2,n\u202en\n3,4,y\n5,6,n\u202en\n7,8,y\n")
	writeFile(t, "turned.yaml", "name: n\ndata: {set: csv, train: turned.csv, label: label, test_share: 0.5}\n"+
		"encoder: {bits: 4}\nmodel: {width: 10, depth: 1, anchors: 2, tau: 1}\ntrain: {epochs: 1}\n")
	must(t, "train", "turned.yaml", "-o", "turned.st", "--quiet")
	must(t, "compile", "turned.st", "-o", "turned")
	writeFile(t, "d/manifest.json", `{"format": 1, "module": "\u001b[2J\u009b", "files": [{"name": "\u001b[2J\u202e"}]}`)
	writeFile(t, evil+"/x.safetensors", "12345678{}")
	for _, args := range [][]string{
		{"train", "key.yaml"},
		{"train", "section.yaml"},
		{"train", "value.yaml"},
		{"train", "set.yaml"},
		{"train", evil},
		{"train", evil + ".yaml", "--set", evil + "=1"},
		{"train", "small.yaml", "--set", "name=" + evil},
		{"train", "small.yaml", "--log", evil + "/none/log"},
		{"train", "small.yaml", "-" + evil},
		{"sweep", "small.yaml", "--grid-file", "grid.yaml", "-o", "s"},
		{"sweep", "small.yaml", "--grid-file", "grid2.yaml", "-o", "s"},
		{"sweep", "small.yaml", "--grid", evil + "=1", "-o", "s"},
		{"import", "a.csv", "-o", "m", "--facts", "facts.yaml"},
		{"import", evil, "-o", "m", "--fact", evil},
		{"init", "a.csv", "-o", "a.yaml"},
		{"init", "b.csv", "-o", "b.yaml"},
		{"init", "turned.csv", "-o", "t.yaml"},
		{"eval", evil + "/x.safetensors"},
		{"eval", "turned.st"},
		{"explain", "turned.st", "--sample", "1"},
		{"explain", "turned.st", "turned.csv", "--sample", "1"},
		{"analyze", "turned.st", evil},
		{"verify", "turned.st", "turned", "--level", "software"},
		{"verify", "turned.st", "d"},
		{"sim", "d"},
		{"report", "d", "-o", "r.html"},
		{"data", evil},
		{"data", "check", evil},
		{"watch", evil, "-o", "w.html"},
		{"fit", "b.csv", "--target", evil},
		{"help", evil},
		{evil},
	} {
		_, stdout, stderr := runProgram(t, args...)
		for _, r := range stdout + stderr {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' {
				t.Errorf("ialgn %q prints %q:\n%q", args, r, stdout+stderr)
				break
			}
		}
	}
	files, _ := filepath.Glob("turned/*.*")
	for _, name := range files {
		if text := readFile(t, name); filepath.Ext(name) != ".json" && strings.ContainsAny(text, "\u202e\x1b") {
			t.Errorf("%s contains a character that controls a terminal or reverses the writing direction", name)
		}
	}
}

// TestLogApart checks that a log is refused if it is a file that the run reads or writes, and that no file changes.
func TestLogApart(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	writeFile(t, "data/a.csv", "a,b,label\n"+strings.Repeat("1,2,n\n3,4,y\n", 20))
	writeFile(t, "own.yaml", "name: n\ndata: {set: csv, dir: data, train: a.csv, label: label}\n"+
		"encoder: {bits: 4}\nmodel: {width: 10, depth: 1, anchors: 2, tau: 1}\ntrain: {epochs: 1}\n")
	must(t, "train", "small.yaml", "-o", "start.st", "--quiet")
	for link, to := range map[string]string{"link": "data/a.csv", "folder": "."} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Link("own.yaml", "hard"); err != nil {
		t.Skip(err)
	}
	good := allFiles(t)
	for _, args := range []string{
		"own.yaml --log own.yaml", "own.yaml --log ./own.yaml", "own.yaml --log hard", "own.yaml --log data/a.csv",
		"own.yaml --log link", "own.yaml -o m.st --log m.st", "own.yaml -o m.st --log folder/m.st",
		"own.yaml -o m.st --log m.st.checkpoint", "own.yaml -o m.st --log m.st.best",
		"own.yaml -o m.st --log m.st.checkpoint.old",
		"own.yaml -o m.st --log .m.st.lock", "own.yaml --log n.safetensors", "own.yaml -o m.st --seeds 2 --log m.seed2.st",
		"own.yaml -o m.st --seeds 2 --log m.seed1.st.checkpoint", "small.yaml -o m.st --init start.st --log start.st",
	} {
		for _, force := range []string{"", " --force"} {
			code, _, stderr := runProgram(t, strings.Fields("train "+args+force+" --quiet")...)
			if code != exitUsage || !strings.HasPrefix(stderr, "ialgn: --log ") ||
				!strings.Contains(stderr, "the command itself reads or writes this file") {
				t.Errorf("train %s%s: exit status %d, %s", args, force, code, stderr)
			}
		}
	}
	for name, text := range allFiles(t) {
		if good[name] != text {
			t.Errorf("%s was created or changed", name)
		}
	}
}

// TestRefusedLeavesNothing runs commands that fail after they have checked their outputs. No file may be created or
// changed.
func TestRefusedLeavesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	writeFile(t, "bad.yaml", "name: n\ndata: {set: csv, train: none.csv, label: label}\n"+
		"encoder: {bits: 4}\nmodel: {width: 10, depth: 1, anchors: 2, tau: 1}\n")
	writeFile(t, "bad.csv", "a,b,label\n1,x,n\n3,4,y\n")
	good := allFiles(t)
	for _, args := range []string{
		"train bad.yaml --log log", "train bad.yaml --log log.csv", "train bad.yaml -o m.st --log log --plots p",
		"train small.yaml --log log --resume", "train small.yaml --log log --init none.st",
		"train small.yaml --log log --set model.width=61", "train small.yaml --seeds 2 --log log.csv --set model.width=61",
		"train bad.yaml -o new/folder/m.st",
		"sweep small.yaml --grid model.width=61 -o s", "init bad.csv -o i.yaml --label none", "import bad.csv -o m.st",
		"compile none.st -o d", "eval none.st", "predict none.st bad.csv", "report none -o r.html",
		"watch none.log -o w.html",
		"fit bad.csv --target ice40 -o f --minutes 0", "fit bad.yaml --target ice40 -o f", "demo -o d --set model.width=61",
	} {
		if code, _, stderr := runProgram(t, strings.Fields(args)...); code != exitUsage {
			t.Errorf("%s: exit status %d, %s", args, code, stderr)
		}
		for name, text := range allFiles(t) {
			if good[name] != text {
				t.Errorf("%s created or changed %s", args, name)
				os.RemoveAll(name)
			}
		}
	}
}
