package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestUP5K follows the example's README, with a small network instead of the network of full size. It trains on
// MNIST, compiles the network, and classifies the samples for the host program. It leaves out the slow steps, which
// are the bitstream and the program at the other end of the serial line.
func TestUP5K(t *testing.T) {
	testkit.Long(t, "walks a README, places and routes")
	t.Parallel()
	needs(t, "python3")
	w := newWalk(t)
	w.setData("mnist/train-images-idx3-ubyte.gz")
	w.shortened = true
	w.change = func(command string) string {
		switch {
		case strings.HasPrefix(command, "ialgn synth "), strings.HasPrefix(command, "go run ./lab/hostsim "):
			return ""
		case strings.HasPrefix(command, "ialgn train "):
			return command + " --set train.epochs=1 --set model.width=100"
		}
		return command
	}
	w.readme("up5k/README.md")
	labels, right := labelsOf(t, filepath.Join(w.dir, "samples.csv")), 0
	rows := strings.Split(strings.TrimSpace(w.run("ialgn predict mnist-up5k.safetensors samples.csv")), "\n")[1:]
	if len(rows) != 20 || len(labels) != 20 {
		t.Fatalf("%d samples, %d results, want 20", len(labels), len(rows))
	}
	for i, row := range rows {
		if strings.Split(row, ",")[1] == labels[i] {
			right++
		}
	}
	if right < 12 {
		t.Errorf("%d of 20 right: the labels of the samples are not theirs", right)
	}
	for _, name := range []string{"mnist_up5k_host.py", "mnist_up5k_uart.pcf"} {
		if _, err := os.Stat(filepath.Join(w.dir, "up5k", name)); err != nil {
			t.Error(err)
		}
	}
}

// labelsOf returns the last field of each row.
func labelsOf(t *testing.T, path string) (labels []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(string(b)) {
		labels = append(labels, strings.TrimSpace(row[strings.LastIndex(row, ",")+1:]))
	}
	return labels
}
