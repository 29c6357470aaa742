package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ialgn/internal/testkit"
)

// mine is the content of a user's own file.
const mine = "my own work\n"

// overwriting is a command line that writes a file.
type overwriting struct {
	args  string // arguments of the program
	file  string // a file that the command writes; a user's file is put in its place
	wants string // a part of the message; empty if the command reads the file first
}

// overwritings lists every file that the commands write, when they run in the folder of soundFiles.
var overwritings = []overwriting{
	{"train small.yaml -o new.st", "new.st", "a model file"},
	{"train small.yaml", "tiny.safetensors", "a model file"},
	{"train small.yaml -o new.st", "new.st.checkpoint", "a model file"},
	{"train small.yaml -o new.st --set train.validation.share=0.2", "new.st.best", "a model file"},
	{"train small.yaml -o m.st", "m.st.checkpoint.old", "a model file"},
	{"train small.yaml -o m.st", "m.st.best.old", "a model file"},
	{"train small.yaml -o new.st --seeds 2", "new.seed8.st", "a model file"},
	{"train small.yaml -o new.st --seeds 2 --resume", "new.seed8.st.checkpoint", ""},
	{"train small.yaml -o new.st --log log", "log", "a training log"},
	{"train small.yaml -o new.st --log log.csv", "log.csv", "a training log in CSV"},
	{"train small.yaml -o new.st --plots plots", "plots/new-loss.svg", "a chart"},
	{"train small.yaml -o new.st --plots plots --seeds 2", "plots/new.seed8-accuracy.png", "a chart"},
	{"train small.yaml -o table.csv", "table.csv", "a model file"},
	{"export m.st -o circuit --to torchlogix-json", "circuit", "a circuit of export"},
	{"import net.json -o new.st", "new.st", "a model file"},
	{"compile m.st -o new --module s", "new/s.v", "a file written by ialgn"},
	{"compile m.st -o new --module s", "new/s_tb.v", "a file written by ialgn"},
	{"compile m.st -o new --module s --emit go", "new/s_net.go", "a file written by ialgn"},
	{"compile m.st -o raw --module s", "raw/s.v", "a file written by ialgn"},
	{"compile m.st -o new --module s", "new/report.json", "a file written by ialgn"},
	{"compile m.st -o new --module s", "new/manifest.json", "not a manifest of ialgn"},
	{"compile m.st -o new --module s", "new/certificate.json", "a certificate"},
	{"verify m.st raw --level software", "raw/certificate.json", "a certificate"},
	{"sim m.st --vcd wave", "wave", "a value change dump"},
	{"sim raw --activity counts", "counts", "a report of activity"},
	{"report raw --model m.st", "raw/report.html", "a page"},
	{"report raw --model m.st -o page", "page", "a page"},
	{"report raw --model m.st -o raw/net.v", "raw/net.v", "a page"},
	{"watch epochs.jsonl -o page", "page", "a page"},
	{"explain m.st --sample 0 -o page", "page", "a page"},
	{"init table.csv -o new.yaml", "new.yaml", "exists and would be overwritten"},
	{"man -o pages", "pages/ialgn-train.1", "a man page"},
	{"analyze m.st --plots plots", "plots/operations.svg", "a chart"},
	{"analyze m.st --plots plots", "plots/categories.png", "a chart"},
	{"diagnose small.yaml --what credit --plots plots --sampled 5 --batches 1", "plots/credit-purity.svg", "a chart"},
	{"diagnose m.st --what entropy --plots plots", "plots/entropy.png", "a chart"},
	{"diagnose small.yaml --what updates --epochs 1 --plots plots", "plots/updates-ialgn-anchors.svg", "a chart"},
	{"diagnose small.yaml --what updates --epochs 1", "tiny-updates.safetensors", "a model file"},
	{"diagnose small.yaml --what updates --epochs 1 --grid -o new.st", "new.rwlgn-skip-ste.st", "a model file"},
	{"diagnose m.st --what probes --starts 1 --epochs 1 --plots plots", "plots/probes-layer.svg", "a chart"},
	{"diagnose m.st --what probes --starts 1 --epochs 1 --keep known", "known", "name another file"},
	{"experiment baselines -o new " + tinyTable, "new/baselines-quick-d2-e1.md", "a table of an experiment"},
	{"experiment baselines -o new " + tinyTable, "new/baselines-quick-d2-e1.csv", "a table of an experiment"},
	{"experiment baselines -o new " + tinyTable, "new/baselines-quick-d2-e1.png", "a chart"},
	{"experiment baselines -o new " + tinyTable, "new/mnist-2000x2-rwlgn-quick-d2-e1.seed1.safetensors", "move"},
	{"experiment baselines -o new " + tinyTable, "new/mnist-2000x2-rwlgn-quick-d2-e1.seed1.json", "a result"},
	{"experiment baselines -o new " + tinyTable, "new/mnist-2000x2-rwlgn-quick-d2-e1.jsonl", "a training log"},
	{"experiment baselines -o new --emit slurm --data sets", "new/baselines-quick.sbatch", "a job"},
	{"experiment baselines -o new --emit kubernetes", "new/baselines-quick.yaml", "a job"},
	{"sweep small.yaml -o new --grid model.depth=1", "new/tiny-sweep.md", "a table of an experiment"},
	{"sweep small.yaml -o new --grid model.depth=1", "new/tiny-sweep.csv", "a table of a sweep"},
	{"sweep small.yaml -o new --grid model.depth=1", "new/tiny-sweep.svg", "a chart"},
	{"sweep small.yaml -o new --grid model.depth=1 --emit slurm", "new/tiny-sweep.sbatch", "a job"},
	{"fit small.yaml --target ice40 --luts 400 -o new --minutes 0.01", "new/fit.json", "a search"},
	{"fit small.yaml --target ice40 --luts 400 -o new --minutes 0.01", "new/front.csv", "a front"},
	{"fit small.yaml --target ice40 --luts 400 -o new --minutes 0.01", "new/front.svg", "a chart"},
	{"fit small.yaml --target ice40 --luts 400 -o new --minutes 0.01", "new/tiny.yaml", "a configuration of fit"},
	{"fit small.yaml --target ice40 --luts 400 -o new --minutes 0.01", "new/tiny-200.safetensors", "a model file"},
	{"fit small.yaml --target ice40 --luts 400 -o new --minutes 0.01", "new/design/tiny.v", "a file written by ialgn"},
	{"demo -o new --set train.epochs=1", "new/digits.safetensors", "a model file"},
	{"demo -o new --set train.epochs=1", "new/digits/digits.v", "a file written by ialgn"},
}

// tinyTable has options that make an experiment as small as possible.
const tinyTable = "--data sets --seeds 1 --set train.epochs=1 --set model.depth=2 --only mnist-*-rwlgn --quiet"

// byCommand returns groups of overwritings that have the same command line. A test runs each command line only once,
// because it takes a second or more.
func byCommand() (all [][]overwriting) {
	at := map[string]int{}
	for _, o := range overwritings {
		i, ok := at[o.args]
		if !ok {
			i = len(all)
			at[o.args] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], o)
	}
	return all
}

// TestNothingOverwritten puts a user's file at every place that a command writes. The command must refuse, and the
// file must not change. With --force the command does its work.
func TestNothingOverwritten(t *testing.T) {
	sound := soundFiles(t)
	for _, files := range byCommand() {
		t.Run(files[0].args, func(t *testing.T) {
			before := map[string]string{}
			for _, o := range files {
				restore(t, sound)
				was := o.refused(t, sound)
				if !o.reads() && !strings.HasPrefix(o.args, "demo ") { // demo takes long
					before[o.file] = was
				}
			}
			if len(before) == 0 {
				return
			}
			restore(t, sound)
			for file, text := range before {
				writeFile(t, file, text)
			}
			if code, _, stderr := runProgram(t, append(strings.Fields(files[0].args), "--force")...); code != exitDone {
				t.Errorf("with --force: exit status %d, %s", code, stderr)
			}
			for file, text := range before {
				if readFile(t, file) == text && !strings.Contains(file, ".best") {
					t.Errorf("with --force %s was not written", file)
				}
			}
		})
	}
}

// reads reports whether the command continues from a file that it finds at its output, such as a checkpoint. Such a
// command refuses a user's own file even with --force.
func (o overwriting) reads() bool {
	return o.wants == "move" || o.wants == "" || strings.Contains(o.args, "--keep")
}

// refused puts a user's file at the command's output, unless the map sound has a file there, and runs the command.
// The test fails unless the command refuses to run and leaves the file unchanged. refused returns the contents of the
// file.
func (o overwriting) refused(t *testing.T, sound map[string]string) string {
	t.Helper()
	if was, ok := sound[o.file]; !ok || strings.HasSuffix(o.file, ".json") || strings.HasSuffix(o.file, ".html") {
		writeFile(t, o.file, mine)
	} else if was == mine {
		t.Fatal("soundFiles has the user's text in this file: the test would show nothing")
	}
	before := readFile(t, o.file)
	args := strings.Fields(o.args)
	code, stdout, stderr := runProgram(t, args...)
	if code != exitUsage || stdout != "" && args[0] != "demo" || !strings.Contains(stderr, o.file+":") ||
		!strings.Contains(stderr, o.wants) {
		t.Errorf("over %s: exit status %d, %s", o.file, code, stderr)
	}
	if readFile(t, o.file) != before {
		t.Errorf("%s was overwritten", o.file)
	}
	if !o.reads() && args[0] != "demo" && !strings.Contains(stderr, "--force") {
		t.Errorf("the message does not mention --force: %s", stderr)
	}
	return before
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		return "(gone)"
	}
	return string(text)
}

// TestInputsNotOverwritten names one of the command's inputs as the command's output. It does this by name, through
// links and in other ways. If these files were not inputs, the command would be allowed to replace them.
func TestInputsNotOverwritten(t *testing.T) {
	sound := soundFiles(t)
	for _, c := range []struct{ name, args, input string }{
		{"configuration", "train small.yaml -o small.yaml", "small.yaml"},
		{"model to start from", "train small.yaml -o m.st --init m.st", "m.st"},
		{"the same through a symbolic link", "train small.yaml -o soft.st --init m.st", "m.st"},
		{"the same through a hard link", "train small.yaml -o hard.st --init m.st", "m.st"},
		{"the same by another path", "train small.yaml -o ./raw/../m.st --init m.st", "m.st"},
		{"model as dump", "sim m.st --vcd m.st", "m.st"},
		{"model as activity", "sim m.st --activity m.st", "m.st"},
		{"model as page", "report raw --model m.st -o m.st", "m.st"},
		{"model as another's", "diagnose small.yaml --what updates -o small.yaml --epochs 1", "small.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			restore(t, sound)
			if err := os.Symlink("m.st", "soft.st"); err != nil {
				t.Fatal(err)
			}
			if err := os.Link("m.st", "hard.st"); err != nil {
				t.Fatal(err)
			}
			defer os.Remove("soft.st")
			defer os.Remove("hard.st")
			code, stdout, stderr := runProgram(t, strings.Fields(c.args)...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, "an input of the command") ||
				!strings.Contains(stderr, "--force") {
				t.Errorf("exit status %d, %s", code, stderr)
			}
			if readFile(t, c.input) != sound[c.input] {
				t.Errorf("%s was overwritten", c.input)
			}
		})
	}
}

// TestWrittenTwice names one file for two outputs. TestLogApart tests this for logs.
func TestWrittenTwice(t *testing.T) {
	soundFiles(t)
	code, _, stderr := runProgram(t, "sim", "m.st", "--vcd", "a", "--activity", "./a")
	if code != exitUsage || !strings.Contains(stderr, "written twice") {
		t.Errorf("exit status %d, %s", code, stderr)
	}
}

// TestOwnOutputsReplaced runs each command twice. A command may replace its own output, an empty file, and anything
// that is not a regular file. An output that was cut off or edited since still counts as the command's own.
func TestOwnOutputsReplaced(t *testing.T) {
	testkit.Long(t, "runs each command three times")
	sound := soundFiles(t)
	for _, files := range byCommand() {
		args := strings.Fields(files[0].args)
		if args[0] == "demo" || args[0] == "init" || slices.Contains(args, "table.csv") ||
			slices.Contains(args, "raw/net.v") {
			continue // demo takes long; the other commands replace nothing, or they read their output
		}
		t.Run(files[0].args, func(t *testing.T) {
			restore(t, sound)
			for range 2 {
				if code, _, stderr := runProgram(t, args...); code != exitDone {
					t.Fatalf("exit status %d, %s", code, stderr)
				}
			}
			emptied := ""
			for _, o := range files {
				if _, err := os.Stat(o.file); err != nil || o.wants == "move" {
					continue
				}
				if err := os.Truncate(o.file, 0); err != nil {
					t.Fatal(err)
				}
				emptied = o.file
			}
			if emptied == "" || args[0] == "compile" || slices.Contains(args, "--keep") {
				return
			}
			if code, _, stderr := runProgram(t, args...); code != exitDone && !slices.Contains(args, "--resume") {
				t.Errorf("over empty files: exit status %d, %s", code, stderr)
			}
		})
	}
	restore(t, sound)
	must(t, "train", "small.yaml", "-o", "new.st", "--log", os.DevNull, "--quiet")
	if err := os.Truncate("new.st", int64(len(readFile(t, "new.st"))-5)); err != nil {
		t.Fatal(err)
	}
	must(t, "train", "small.yaml", "-o", "new.st", "--quiet")
}

// TestForceEverywhere checks that exactly the commands that write have the option --force.
func TestForceEverywhere(t *testing.T) {
	for _, c := range newApp(os.Stdout, os.Stderr).Commands {
		has := slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), "force") })
		writes := slices.ContainsFunc(overwritings, func(o overwriting) bool {
			return strings.HasPrefix(o.args, c.Name+" ")
		}) || c.Name == "synth"
		if has != writes {
			t.Errorf("ialgn %s has --force: %v, want %v", c.Name, has, writes)
		}
	}
}

// TestSynthOverwrites puts user files where synth writes a folder.
func TestSynthOverwrites(t *testing.T) {
	testkit.FindTool(t, "yosys")
	soundFiles(t)
	const target = "lut/synth/generic-lut4/"
	args := []string{"synth", "lut", "--target", "generic-lut4", "--quiet"}
	for _, name := range []string{"notes.txt", "synth.json"} {
		os.RemoveAll("lut/synth")
		writeFile(t, target+name, mine)
		if code, _, stderr := runProgram(t, args...); code != exitUsage || !strings.Contains(stderr, name) ||
			readFile(t, target+name) != mine {
			t.Errorf("%s: exit status %d, %s", name, code, stderr)
		}
	}
	writeFile(t, target+"notes.txt", mine)
	must(t, append(args, "--force")...)
	must(t, args...)
	writeFile(t, target+"notes.txt", mine)
	if code, _, stderr := runProgram(t, args...); code != exitUsage || !strings.Contains(stderr, "notes.txt") ||
		readFile(t, target+"notes.txt") != mine {
		t.Errorf("notes next to the results: exit status %d, %s", code, stderr)
	}
}
