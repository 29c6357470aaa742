package ialgn_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn"
)

// corners trains a network with two features, which are whole numbers from 0 to largest. The class says whether the
// first feature is larger than the second.
func corners(t *testing.T, largest int) *ialgn.Classifier {
	t.Helper()
	data := ialgn.Data{TestFeatures: [][]float64{{0, 1}}, TestLabels: []int{0}}
	for i := range 20 {
		for k := range 20 {
			label := 0
			if i > k {
				label = 1
			}
			a, b := largest*i/19, largest*k/19
			data.Features, data.Labels = append(data.Features, []float64{float64(a), float64(b)}), append(data.Labels, label)
		}
	}
	cfg := small
	cfg.Encoder.BitsIn = bits.Len(uint(largest))
	m, err := ialgn.Train(t.Context(), cfg, data, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Classifier(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// manySamples returns samples with two features from 0 to largest in several forms: as numbers, as CSV and, if the
// features fit a byte, as IDX.
func manySamples(samples, largest int) (features [][]float64, table, images []byte) {
	images = binary.BigEndian.AppendUint32([]byte{0, 0, 8, 2}, uint32(samples))
	images = binary.BigEndian.AppendUint32(images, 2)
	for i := range samples {
		a, b := i*7%(largest+1), i*i%(largest+1)
		features = append(features, []float64{float64(a), float64(b)})
		table = fmt.Appendf(table, "%d,%d\n", a, b)
		images = append(images, byte(a), byte(b))
	}
	return features, table, images
}

// outcomes classifies a file and checks that the blocks of samples arrive in order.
func outcomes(t *testing.T, f *ialgn.SampleFile) (all []ialgn.Prediction, err error) {
	t.Helper()
	defer f.Close()
	err = f.Classify(t.Context(), func(first int, classes []uint16, counts []int32) error {
		if first != len(all) {
			t.Fatalf("sample %d arrives as number %d", first, len(all))
		}
		for i, class := range classes {
			p := ialgn.Prediction{Class: int(class)}
			for _, n := range counts[2*i:][:2] {
				p.Counts = append(p.Counts, int(n))
			}
			all = append(all, p)
		}
		return nil
	})
	return all, err
}

// TestClassifyFile classifies files of several blocks, with feature words of one byte and of two bytes. Each sample
// must get the same class as when it is classified alone. Classifying all samples of a file at once must also give
// the same classes.
func TestClassifyFile(t *testing.T) {
	for _, largest := range []int{255, 1000} {
		c := corners(t, largest)
		for _, samples := range []int{0, 1, 4096, 9000} {
			features, table, images := manySamples(samples, largest)
			var want []ialgn.Prediction
			for _, sample := range features {
				want = append(want, mustClassify(t, c, sample))
			}
			atOnce, err := c.ClassifyAll(t.Context(), features)
			if diff := cmp.Diff(want, atOnce, cmpopts.EquateEmpty()); diff != "" || err != nil {
				t.Errorf("%d samples at once: error %v (-want +got):\n%.2000s", samples, err, diff)
			}
			if samples > 0 { // an empty file is an error
				checkFile(t, c, table, want)
			}
			if largest <= 255 {
				checkFile(t, c, images, want)
			}
		}
	}
}

// checkFile classifies a file on one processor and on two processors, each time from a disk and from a reader.
func checkFile(t *testing.T, c *ialgn.Classifier, data []byte, want []ialgn.Prediction) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, processors := range []int{1, 2} {
		runtime.GOMAXPROCS(processors)
		file, err := c.OpenFile(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		reader, err := c.OpenReader(t.Context(), "in", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for from, f := range map[string]*ialgn.SampleFile{"file": file, "reader": reader} {
			got, err := outcomes(t, f)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%d samples of a %s, %d processors: error %v (-want +got):\n%.2000s", len(want), from, processors, err,
					diff)
			}
		}
	}
}

// TestClassifyFault classifies a file with an error after 5,000 good samples. Only the samples of whole blocks before
// the error are classified.
func TestClassifyFault(t *testing.T) {
	c := corners(t, 255)
	_, table, _ := manySamples(5000, 255)
	path := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(path, append(table, "1,x\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := c.OpenFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := outcomes(t, f)
	if err == nil || !strings.Contains(err.Error(), "record 5001: line 5001") || len(got) != 4096 {
		t.Errorf("%d samples, error %v, want 4096 and an error for record 5001", len(got), err)
	}
}

// TestClassifyPipe checks that the first samples of a pipe are classified before later samples arrive.
func TestClassifyPipe(t *testing.T) {
	c := corners(t, 255)
	_, _, images := manySamples(10, 255)
	const first = 12 + 2*3 + 1 // the head, three samples and half of a sample
	r, w := io.Pipe()
	go w.Write(images[:first])
	f, err := c.OpenReader(t.Context(), "pipe", r)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	late := time.AfterFunc(time.Minute, func() { w.CloseWithError(fmt.Errorf("nothing is classified")) })
	defer late.Stop()
	n := 0
	err = f.Classify(t.Context(), func(at int, classes []uint16, counts []int32) error {
		if at != n || len(counts) != 2*len(classes) {
			t.Errorf("%d classes and %d counts from sample %d on, want those from %d on", len(classes), len(counts), at, n)
		}
		if n += len(classes); n == 3 {
			go func() {
				w.Write(images[first:])
				w.Close()
			}()
		}
		return nil
	})
	if err != nil || n != 10 {
		t.Errorf("%d samples, error %v", n, err)
	}
}
