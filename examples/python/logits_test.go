// Package python tests the example script against the Go forward pass.
package python

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// interpreter returns a Python with numpy, or skips the test.
func interpreter(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			return name
		}
	}
	t.Skip("no python3 with numpy (Debian package python3-numpy)")
	return ""
}

const samples = 100

// eachLine runs the script once for each line of standard input. A line names a model, the samples, and a file for
// the script's output.
const eachLine = `import runpy, sys
for line in sys.stdin:
    *sys.argv[1:], out = line.split()
    sys.stdout = open(out, "w")
    runpy.run_path("logits.py", run_name="__main__")
    sys.stdout.close()
`

// TestLogits lets the script read model files with networks of every form, and compares the class, the counts and the
// logits of each sample with Go's results. The input files are alternately CSV and npy.
func TestLogits(t *testing.T) {
	python, forms, lines := interpreter(t), append(netgen.Unshared(), netgen.ConvForms()...), ""
	var want [][]string
	var printed []string
	for i, form := range forms {
		m, dir := form.Model(), t.TempDir()
		file := filepath.Join(dir, "m.safetensors")
		if _, err := m.Save(file); err != nil {
			t.Fatal(err)
		}
		rows, expected := expect(m)
		inputs := writeCSV(t, rows)
		if i%2 == 1 {
			inputs = writeNPY(t, rows)
		}
		out := filepath.Join(dir, "out")
		lines += fmt.Sprintln(file, inputs, out)
		want, printed = append(want, expected), append(printed, out)
	}
	cmd := exec.Command(python, "-c", eachLine)
	cmd.Stdin = strings.NewReader(lines)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("logits.py: %v\n%s", err, text)
	}
	for i, form := range forms {
		t.Run(form.Name, func(t *testing.T) {
			got, err := os.ReadFile(printed[i])
			if err != nil {
				t.Fatal(err)
			}
			compare(t, strings.Split(strings.TrimSpace(string(got)), "\n"), want[i])
		})
	}
}

// compare compares the lines that the script printed, beginning with the header, with the expected lines. Logits are
// compared as numbers.
func compare(t *testing.T, lines []string, want []string) {
	t.Helper()
	if len(lines) != len(want)+1 {
		t.Fatalf("%d lines, want %d", len(lines), len(want)+1)
	}
	for s, line := range lines[1:] {
		got := strings.Split(line, ",")
		for k, field := range strings.Split(want[s], ",") {
			x, err1 := strconv.ParseFloat(got[k], 64)
			y, err2 := strconv.ParseFloat(field, 64)
			if err1 != nil || err2 != nil || x != y {
				t.Fatalf("sample %d: %s, want %s", s, line, want[s])
			}
		}
	}
}

// expect returns random input bits, and the lines that the script must print for these bits.
func expect(m *model.Model) (rows [][]byte, lines []string) {
	const words = (samples + 63) / 64
	p := netgen.Samples(&m.Encoder, samples, len(m.Classes), 7)
	in := make([]uint64, m.Encoder.Inputs()*words)
	planes := make([]uint64, p.Rows()*words)
	p.GatherRange(planes, words, 0, samples)
	m.Encoder.Thermometer(in, planes, words)
	f := m.Freeze()
	e := model.NewEvaluator(f)
	e.Run(in, words, nil)
	classes := len(m.Classes)
	counts, class := make([]int32, classes*samples), make([]uint8, samples)
	e.Counts(counts, samples)
	model.Classify(class, counts, f.Ties)
	for s := range samples {
		row := make([]byte, m.Encoder.Inputs())
		for i := range row {
			row[i] = byte(in[i*words+s/64] >> (s % 64) & 1)
		}
		rows = append(rows, row)
		line, logits := strconv.Itoa(int(class[s])), ""
		for c := range classes {
			n := counts[c*samples+s]
			line += fmt.Sprintf(",%d", n)
			logits += fmt.Sprintf(",%.17g", float64(n)/m.Config.Model.Tau)
		}
		lines = append(lines, line+logits)
	}
	return rows, lines
}

func writeCSV(t *testing.T, rows [][]byte) string {
	t.Helper()
	var b bytes.Buffer
	for _, row := range rows {
		for i, bit := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteByte('0' + bit)
		}
		b.WriteByte('\n')
	}
	return write(t, "x.csv", b.Bytes())
}

// writeNPY writes the rows as unsigned bytes in numpy's format.
func writeNPY(t *testing.T, rows [][]byte) string {
	t.Helper()
	shape := fmt.Sprintf("%d, %d", len(rows), len(rows[0]))
	return write(t, "x.npy", testkit.NPY("|u1", shape, bytes.Join(rows, nil)))
}

func write(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestScriptRefusesBadFiles checks that the script prints a message of one line for files that it cannot read.
func TestScriptRefusesBadFiles(t *testing.T) {
	python := interpreter(t)
	file := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := netgen.Model(netgen.ModelOptions{}).Save(file); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, file, inputs, want string
	}{
		{"no model", file + "x", write(t, "x.csv", []byte("0\n")), "No such file"},
		{"columns", file, write(t, "x.csv", []byte("0,1\n")), "the model reads 18 bits a sample"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := exec.Command(python, "logits.py", test.file, test.inputs).CombinedOutput()
			if err == nil || !strings.Contains(string(out), test.want) || strings.Contains(string(out), "Traceback") {
				t.Errorf("error %v, output %q, want one line with %q", err, out, test.want)
			}
		})
	}
}
