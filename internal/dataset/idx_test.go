package dataset

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// tinyMNIST is a set of three training images and two test images of 2 x 2 pixels.
func tinyMNIST() map[string][]byte {
	return map[string][]byte{
		"train-images-idx3-ubyte": idxBytes([]byte{0, 1, 2, 3, 4, 5, 6, 7, 255, 254, 253, 252}, 3, 2, 2),
		"train-labels-idx1-ubyte": idxBytes([]byte{9, 0, 5}, 3),
		"t10k-images-idx3-ubyte":  idxBytes([]byte{1, 1, 1, 1, 2, 2, 2, 2}, 2, 2, 2),
		"t10k-labels-idx1-ubyte":  idxBytes([]byte{1, 2}, 2),
	}
}

func TestMNIST(t *testing.T) {
	want := [2][]sample{
		{{[]uint16{0, 1, 2, 3}, 9}, {[]uint16{4, 5, 6, 7}, 0}, {[]uint16{255, 254, 253, 252}, 5}},
		{{[]uint16{1, 1, 1, 1}, 1}, {[]uint16{2, 2, 2, 2}, 2}},
	}
	plain := tinyMNIST()
	packed, misnamed, dotted := map[string][]byte{}, map[string][]byte{}, map[string][]byte{}
	for name, data := range plain {
		packed[name+".gz"] = gzipped(data)
		misnamed[name] = gzipped(data)
		dotted[name[:len(name)-len("-idx3-ubyte")]+"."+name[len(name)-len("idx3-ubyte"):]] = data
	}
	for name, files := range map[string]map[string][]byte{
		"plain": plain, "gzip": packed, "gzip without the ending": misnamed, "names with a dot": dotted,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(context.Background(), config.Data{Set: "mnist"}, 8, []string{writeFiles(t, files)})
			if err != nil {
				t.Fatal(err)
			}
			got := [2][]sample{mustCollect(t, s, Train), mustCollect(t, s, Test)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
			if s.Features != 4 || len(s.FeatureNames) != 4 || s.FeatureNames[3] != "pixel 3" || s.BitsIn != 8 || s.Max != 255 {
				t.Errorf("set %+v", s)
			}
			if s.Samples(Train) != 3 || s.Samples(Test) != 2 {
				t.Errorf("%d + %d samples, want 3 + 2", s.TrainSamples, s.TestSamples)
			}
		})
	}
}

// TestShape checks that the shape of images is taken from the dimensions in the file.
func TestShape(t *testing.T) {
	labels := idxBytes([]byte{1}, 1)
	for _, c := range []struct {
		dims []uint32
		want Shape
	}{
		{[]uint32{1, 12}, Shape{}},
		{[]uint32{1, 3, 4}, Shape{1, 3, 4}},
		{[]uint32{1, 2, 3, 2}, Shape{2, 3, 2}},
	} {
		images := idxBytes(make([]byte, 12), c.dims...)
		dir := writeFiles(t, map[string][]byte{
			"train-images-idx3-ubyte": images, "train-labels-idx1-ubyte": labels,
			"t10k-images-idx3-ubyte": images, "t10k-labels-idx1-ubyte": labels,
		})
		s, err := Open(t.Context(), config.Data{Set: "mnist"}, 8, []string{dir})
		if err != nil || s.Shape != c.want {
			t.Errorf("dimensions %d: shape %+v, want %+v, error %v", c.dims, s.Shape, c.want, err)
		}
	}
}

func TestMNISTFaults(t *testing.T) {
	const ti, tl = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
	cut := func(data []byte) []byte { return data[:len(data)-1] }
	tests := []struct {
		name   string
		change map[string][]byte
		want   []string
	}{
		{"no IDX", map[string][]byte{ti: []byte("P5 28 28 255")}, []string{ti, "header", "does not begin an IDX file"}},
		{"empty", map[string][]byte{ti: {}}, []string{ti, "header: the file is cut short"}},
		{
			"floats",
			map[string][]byte{ti: append([]byte{0, 0, 13, 3}, make([]byte, 100)...)},
			[]string{ti, "not an IDX file of unsigned bytes"},
		},
		{"header cut", map[string][]byte{ti: idxBytes(nil, 3, 2)[:10]}, []string{ti, "header: the file is cut short"}},
		{"huge images", map[string][]byte{ti: idxBytes(nil, 3, 1<<31, 1<<31)}, []string{ti, "dimension 1 is 2147483648"}},
		{"no pixels", map[string][]byte{ti: idxBytes(nil, 3, 0, 2)}, []string{ti, "dimension 1 is 0"}},
		{"huge count", map[string][]byte{
			ti: idxBytes(make([]byte, 8), 1<<32-1, 2, 2), tl: idxBytes(make([]byte, 8), 1<<32-1),
		}, []string{ti, "record 3", "cut short"}},
		{
			"no image of a large size",
			map[string][]byte{ti: idxBytes(nil, 3, 256, 256)},
			[]string{ti, "record 1", "cut short"},
		},
		{"images cut", map[string][]byte{ti: cut(tinyMNIST()[ti])}, []string{ti, "record 3", "the header announces 3", "cut short"}},
		{"labels cut", map[string][]byte{tl: cut(tinyMNIST()[tl])}, []string{tl, "record 3", "cut short"}},
		{
			"images too long",
			map[string][]byte{ti: append(tinyMNIST()[ti], 0)},
			[]string{ti, "extra bytes after the last of 3 records"},
		},
		{
			"labels too long",
			map[string][]byte{tl: append(tinyMNIST()[tl], 0)},
			[]string{tl, "extra bytes after the last of 3 records"},
		},
		{"label 10", map[string][]byte{tl: idxBytes([]byte{9, 10, 5}, 3)}, []string{tl, "record 2", "label 10, want 0..9"}},
		{"counts differ", map[string][]byte{tl: idxBytes([]byte{9, 0}, 2)}, []string{tl, "2 labels, but 3 images", ti}},
		{"images as labels", map[string][]byte{tl: tinyMNIST()[ti]}, []string{tl, "records of 4 bytes, want one byte per label"}},
		{
			"no samples",
			map[string][]byte{ti: idxBytes(nil, 0, 2, 2), tl: idxBytes(nil, 0)},
			[]string{ti, "header: no records"},
		},
		{"test images of another size", map[string][]byte{
			"t10k-images-idx3-ubyte": idxBytes(make([]byte, 18), 2, 3, 3),
		}, []string{"t10k-images", "images of 9 pixels, want 4"}},
		{"gzip cut", map[string][]byte{ti: cut(gzipped(tinyMNIST()[ti]))}, []string{ti, "cut short"}},
		{"gzip header cut", map[string][]byte{ti: gzipped(tinyMNIST()[ti])[:5]}, []string{ti, "cut short"}},
		{"gzip with a wrong checksum", map[string][]byte{ti: flipped(gzipped(tinyMNIST()[ti]), -8)}, []string{ti, "damaged"}},
		{
			"gzip then rubbish",
			map[string][]byte{ti: append(gzipped(tinyMNIST()[ti]), "some rubbish"...)},
			[]string{ti, "damaged"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := tinyMNIST()
			maps.Copy(files, tt.change)
			s, err := Open(context.Background(), config.Data{Set: "mnist"}, 8, []string{writeFiles(t, files)})
			if err == nil {
				_, err = collect(s, Train)
				if s.Digest(Train) != "" {
					t.Error("a part that could not be read has a digest, want none")
				}
			}
			wantError(t, err, tt.want...)
		})
	}
}

// flipped flips one bit in a byte. The index i of the byte is negative and counts from the end.
func flipped(data []byte, i int) []byte {
	data[len(data)+i] ^= 1
	return data
}

func TestReadStops(t *testing.T) {
	s, err := Open(context.Background(), config.Data{Set: "mnist", Dir: writeFiles(t, tinyMNIST())}, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := errors.New("enough")
	n := 0
	err = s.Read(context.Background(), Train, func([]uint16, int) error { n++; return mine })
	if !errors.Is(err, mine) || n != 1 {
		t.Errorf("error %v after %d samples, want the callback's after 1", err, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n = 0
	err = s.Read(ctx, Train, func([]uint16, int) error { n++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("error %v after %d samples, want cancelled after 1", err, n)
	}
}

func TestDigestDefinition(t *testing.T) {
	files := map[string][]byte{
		"train-images-idx3-ubyte": idxBytes([]byte{1, 255}, 1, 1, 2),
		"train-labels-idx1-ubyte": idxBytes([]byte{7}, 1),
		"t10k-images-idx3-ubyte":  idxBytes([]byte{1, 255}, 1, 1, 2),
		"t10k-labels-idx1-ubyte":  idxBytes([]byte{6}, 1),
	}
	s, err := Open(context.Background(), config.Data{Set: "mnist", Dir: writeFiles(t, files)}, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustCollect(t, s, Train)
	mustCollect(t, s, Test)
	// printf '\2\0\0\0\12\0\0\0\1\0\377\0\7\0' | sha256sum
	const want = "0111065bca6c2679d7cbd169ba38f47cbd1bf02f12dad2dd4b872211de91ee33"
	if got := s.Digest(Train); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
	if s.Digest(Test) == want {
		t.Error("parts with different labels have the same digest")
	}
}
