package ialgn_test

import (
	"os"
	"path/filepath"
	"testing"

	"ialgn"
	"ialgn/internal/config"
)

// writeCIFAR100 writes files in the binary form of CIFAR-100: a coarse label, a fine label and 3,072 pixels a record.
// Seven horizontal bands stand for the bits of the class's number, and the pixels of a set bit are bright. One pixel in
// sixteen is inverted, at places that differ between samples. The coarse labels are unrelated to the pixels.
func writeCIFAR100(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, perClass := range map[string]int{"train.bin": 5, "test.bin": 2} {
		var file []byte
		for i := range 100 * perClass {
			class := i % 100
			record := []byte{byte(i / 100 % 20), byte(class)}
			for p := range 3072 {
				bright := class>>(p%1024/147)&1 == 1
				if (p+7*i+len(name))%16 == 0 {
					bright = !bright
				}
				value := byte(20 + i%50)
				if bright {
					value += 150
				}
				record = append(record, value)
			}
			file = append(file, record...)
		}
		path := filepath.Join(folder, "cifar-100-binary", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestCIFAR100 trains a network on the 100 fine labels of files in the form of CIFAR-100, compiles the network, and
// compares the design with the model.
func TestCIFAR100(t *testing.T) {
	data := ialgn.Data{Folders: []string{writeCIFAR100(t)}}
	cfg := ialgn.Config{
		Name: "fine", Data: config.Data{Set: "cifar100"}, Encoder: config.Encoder{Bits: 2},
		Model: config.Model{Width: 800, Depth: 2, Tau: 1}, Train: config.Train{Epochs: 10, Batch: 25},
	}
	dir := t.TempDir()
	m, err := ialgn.Train(t.Context(), cfg, data, ialgn.TrainOptions{Path: filepath.Join(dir, "fine.safetensors")})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	e, err := m.Evaluate(t.Context(), ialgn.EvalOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	if e.Samples != 200 || e.Accuracy < 0.2 || len(e.Classes) != 100 || e.Classes[51] != "mushroom" {
		t.Errorf("%d samples, accuracy %v, %d classes, class 51 is %s", e.Samples, e.Accuracy, len(e.Classes), e.Classes[51])
	}
	for class, row := range e.Confusion {
		if sum := total(row); sum != 2 {
			t.Errorf("class %d has %d test samples, want 2", class, sum)
		}
	}
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "fine")
	if err := d.Write(t.Context(), out, ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := ialgn.Verify(t.Context(), m, d, ialgn.VerifyOptions{Level: "software", Data: data})
	if err != nil || !c.Verified {
		t.Errorf("%+v, error %v", c, err)
	}
}

func total(all []int) (sum int) {
	for _, n := range all {
		sum += n
	}
	return sum
}
