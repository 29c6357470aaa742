package examples_test

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/software"
	"ialgn/netlist"
	"ialgn/trainer"
)

// example is a configuration at a small size.
type example struct {
	config   string
	set      []string
	accuracy float64
}

// small lists the configurations. Each entry has overrides that make the network small, and a test accuracy that the
// small network must reach. This accuracy is well above chance, and well below the accuracy at full size.
var small = []example{
	{"digits/digits.yaml", []string{"train.epochs=3", "model.width=200"}, 0.5},
	{"digits/luts.yaml", []string{"train.epochs=3"}, 0.5},
	{"digits/conv.yaml", []string{"train.epochs=3"}, 0.5},
	{"mnist/luts-670.yaml", []string{"train.epochs=2", "model.width=200"}, 0.5},
	{"mnist/luts-2150.yaml", []string{"train.epochs=2", "model.width=200"}, 0.5},
	{"mnist/hx8k.yaml", []string{"train.epochs=1", "model.width=200"}, 0.5},
	{"mnist/8k-6.yaml", []string{"train.epochs=4", "model.width=200"}, 0.5},
	{"cifar10/12k-4.yaml", []string{"train.epochs=1", "model.width=200"}, 0.15},
	{"cifar10/conv-s.yaml", fewKernels, 0.2},
	{"cifar10/conv-m.yaml", fewKernels, 0.2},
	{"cifar10/conv-luts.yaml", strided, 0.2},
	{"cifar10/conv-c64.yaml", strided, 0.2},
	{"cifar10/conv-c128.yaml", strided, 0.2},
	{"cifar10/conv-c256.yaml", strided, 0.2},
	{"cifar10/conv-c1024.yaml", slices.Concat(strided, []string{"encoder.bits=4"}), 0.2},
	{"mnist/conv.yaml", []string{
		"train.epochs=4", "train.batch=25", "model.kernels=8,16", "model.patch=3", "model.padding=1", "model.levels=1",
		"model.widths=400", "train.estimator=ste",
	}, 0.5},
	{"mnist/conv-c128.yaml", slices.Concat(strided, []string{"train.epochs=4", "train.batch=25"}), 0.5},
	{"mnist/conv-c256.yaml", slices.Concat(strided, []string{"train.epochs=4", "train.batch=25"}), 0.5},
	{"up5k/mnist.yaml", []string{"train.epochs=1", "model.width=200"}, 0.5},
	{"recurrent/parity.yaml", []string{"train.epochs=10", "train.estimator=soft", "data.length=8"}, 0.9},
	{"recurrent/copy.yaml", []string{"train.epochs=5", "train.estimator=soft", "model.widths=60,60"}, 0.5},
	{"recurrent/rows.yaml", []string{"train.epochs=2"}, 0.3},
	{"tabular/satellite.yaml", []string{"train.epochs=5", "model.width=60"}, 0.5},
}

// fewKernels holds overrides that make a network of convolutions small.
var fewKernels = []string{
	"train.epochs=1", "model.kernels=8,16", "model.levels=1", "model.widths=400", "model.tau=5", "train.estimator=ste",
}

// strided holds overrides that make a network of convolutions with strides small.
var strided = slices.Concat(fewKernels, []string{"model.stride=2,1"})

// TestAll checks that the other tests include every configuration, and that every configuration can be read.
func TestAll(t *testing.T) {
	paths, err := filepath.Glob("*/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d configurations: %v", len(paths), err)
	}
	for _, path := range paths {
		path = filepath.ToSlash(path)
		if _, err := config.Load(path, nil); err != nil {
			t.Error(err)
		}
		if !slices.ContainsFunc(small, func(e example) bool { return e.config == path }) {
			t.Errorf("%s: not in the table of this test", path)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "README.md")); err != nil {
			t.Error(err)
		}
	}
}

// TestSmall trains, compiles and verifies every example at a small size, with the first images of MNIST.
func TestSmall(t *testing.T) {
	few := fewImages(t)
	for _, e := range small {
		t.Run(e.config, func(t *testing.T) {
			o := run(t, e.config, e.set, few)
			if o.summary.TestAccuracy < e.accuracy {
				t.Errorf("test accuracy %.4f, want at least %.2f", o.summary.TestAccuracy, e.accuracy)
			}
		})
	}
}

// TestDigits trains the digits example at full size, and compares the figures with the example's README, the first
// page and the tour.
func TestDigits(t *testing.T) {
	testkit.Long(t, "trains the digits whole")
	o := run(t, "digits/digits.yaml", nil)
	if o.summary.TestAccuracy < 0.94 {
		t.Errorf("test accuracy %.4f, want at least 0.94", o.summary.TestAccuracy)
	}
	shown := []string{
		percent(o.summary.TestAccuracy), percent(o.summary.TrainAccuracy), o.summary.SHA256,
	}
	readme := fmt.Sprintf("(%s of %s)|%s of the model, %s after optimisation, %d levels|%s hidden bits",
		thousands(o.software.Correct),
		thousands(o.software.Checked), thousands(o.frozen.Gates()), thousands(o.product.Cells.Gates), o.product.Levels.Gates,
		thousands(int(o.software.HiddenBits)))
	mentions(t, "digits/README.md", append(shown, strings.Split(readme, "|")...))
	mentions(t, "../README.md", shown)
	mentions(t, "../docs/guides/start.md", append(shown, fmt.Sprintf("%d gates in the model, %d after optimisation",
		o.frozen.Gates(), o.product.Cells.Gates)))
}

// outcome is the result of a run of an example.
type outcome struct {
	summary  *trainer.Summary
	frozen   *model.Frozen
	product  netlist.Measures
	software *software.Result
}

// run trains a configuration, compiles the whole classifier and verifies it over the whole test set. It searches for
// data sets in the given folders first. It skips the test if the data set is not found.
func run(t *testing.T, path string, set []string, first ...string) outcome {
	t.Helper()
	ctx := context.Background()
	cfg, err := config.Load(path, set)
	if err != nil {
		t.Fatal(err)
	}
	r := trainer.Run{Config: cfg, Model: filepath.Join(t.TempDir(), "m.safetensors"), Folders: append(first, folders()...)}
	var o outcome
	o.summary, err = r.Train(ctx)
	var missing *dataset.MissingError
	if errors.As(err, &missing) {
		t.Skipf("%v; %s", err, missing.Hint())
	}
	if err != nil {
		t.Fatal(err)
	}
	if o.frozen, err = model.ReadFrozen(r.Model); err != nil {
		t.Fatal(err)
	}
	raw, err := freeze.Network(o.frozen, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	product, _, err := compiler.Optimise(ctx, raw, compiler.LevelRepeat)
	if err != nil {
		t.Fatal(err)
	}
	o.product = netlist.Measure(product)
	test, err := trainer.LoadTest(ctx, nil, &o.frozen.Encoder, o.frozen.Classes, cfg.Data, r.Folders)
	if err != nil {
		t.Fatal(err)
	}
	d := verify.Design{Model: o.frozen, Raw: raw, Product: product}
	o.software, err = software.Check(ctx, d, verify.Samples{Levels: test.Levels, Words: test.Words}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := o.software.Mismatches; n != 0 || o.software.Accuracy != o.summary.TestAccuracy {
		t.Errorf("verified: %d mismatches, accuracy %v, trained %v", n, o.software.Accuracy, o.summary.TestAccuracy)
	}
	return o
}

// fewImages returns a folder with the first images of MNIST and their labels, or an empty folder if there is no MNIST.
func fewImages(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	for _, f := range []struct {
		name                string
		samples, head, size int
	}{
		{"train-images-idx3-ubyte", 6000, 16, 28 * 28},
		{"train-labels-idx1-ubyte", 6000, 8, 1},
		{"t10k-images-idx3-ubyte", 1000, 16, 28 * 28},
		{"t10k-labels-idx1-ubyte", 1000, 8, 1},
	} {
		for _, from := range folders() {
			packed, err := os.Open(filepath.Join(from, "mnist", f.name+".gz"))
			if err != nil {
				continue
			}
			defer packed.Close()
			first := make([]byte, f.head+f.samples*f.size)
			unpacked, err := gzip.NewReader(packed)
			if err == nil {
				_, err = io.ReadFull(unpacked, first)
			}
			binary.BigEndian.PutUint32(first[4:], uint32(f.samples))
			if err = errors.Join(err, os.WriteFile(filepath.Join(to, f.name), first, 0o666)); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	return to
}

// folders returns the folders in which data sets are looked for. These are the usual folders and a folder next to the
// repository.
func folders() []string {
	return append(dataset.Folders(""), filepath.Join("..", "..", "shared", "data"))
}

// mentions fails the test for each text that a document lacks.
func mentions(t *testing.T, name string, texts []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if !strings.Contains(string(b), text) {
			t.Errorf("%s does not say %q", name, text)
		}
	}
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

// thousands formats a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
