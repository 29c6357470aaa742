package dataset

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"strings"
	"testing"

	"ialgn/internal/config"
)

// evenCIFAR100 has two training images and one test image of each class.
func evenCIFAR100() map[string][]byte {
	var train, test []byte
	for class := range byte(100) {
		train = append(train, cifarRecord(class, class/5, class)...)
		train = append(train, cifarRecord(class+1, class/5, class)...)
		test = append(test, cifarRecord(class+2, class/5, class)...)
	}
	return map[string][]byte{"train.bin": train, "test.bin": test}
}

// sums returns the MD5 of CIFAR-100's files.
func sums(files map[string][]byte) (all []string) {
	for _, name := range []string{"train.bin", "test.bin"} {
		sum := md5.Sum(files[name])
		all = append(all, hex.EncodeToString(sum[:]))
	}
	return all
}

// TestOriginal checks small versions of CIFAR-100 against a made-up original of 200 + 100 images.
func TestOriginal(t *testing.T) {
	cifar100, _ := findKind("cifar100")
	k := *cifar100
	k.samples, k.md5 = [2]int{200, 100}, sums(evenCIFAR100())
	for _, test := range []struct {
		name   string
		change func(files map[string][]byte)
		known  bool
		note   string
	}{
		{"the original", func(map[string][]byte) {}, true, "the original CIFAR-100"},
		{"compressed", func(files map[string][]byte) {
			files["test.bin.gz"] = gzipped(files["test.bin"])
			delete(files, "test.bin")
		}, true, "the original CIFAR-100"},
		{"another pixel", func(files map[string][]byte) { files["test.bin"][99]++ }, false, ""},
		{"another coarse label", func(files map[string][]byte) { files["train.bin"][0] = 7 }, false, ""},
		{
			"one image less", func(files map[string][]byte) { files["train.bin"] = files["train.bin"][cifarPixels+2:] },
			false, "this is not the original: it has 199 + 100 samples instead of 200 + 100; unpack https://",
		},
		{
			"another class", func(files map[string][]byte) { files["test.bin"][99*(cifarPixels+2)+1] = 98 },
			false, "this is not the original: class woman has 2 + 2 samples instead of 2 + 1; unpack https://",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := evenCIFAR100()
			test.change(files)
			s, err := Open(context.Background(), config.Data{Set: "cifar100"}, 8, []string{writeFiles(t, files)})
			if err != nil {
				t.Fatal(err)
			}
			classes := make([][2]int, 100)
			for _, part := range []Part{Train, Test} {
				for _, r := range mustCollect(t, s, part) {
					classes[r.Label][part]++
				}
			}
			known, note, err := k.original(s, classes)
			if known != test.known || !strings.HasPrefix(note, test.note) || (note == "") != (test.note == "") || err != nil {
				t.Errorf("%t, %q, error %v", known, note, err)
			}
		})
	}
}

// TestOriginalUnread has a file that is damaged after it was read.
func TestOriginalUnread(t *testing.T) {
	files := evenCIFAR100()
	k, _ := findKind("cifar100")
	small := *k
	small.samples, small.even, small.md5 = [2]int{1, 1}, false, sums(files)
	files["train.bin"] = gzipped(bytes.Repeat([]byte("bits "), 1000))[:30]
	s := &Set{Path: writeFiles(t, files), TrainSamples: 1, TestSamples: 1}
	_, _, err := small.original(s, nil)
	wantError(t, err, "train.bin", "cut short")
}
