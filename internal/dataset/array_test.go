package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// npyBytes returns a little-endian NumPy array. Examples of the element type and the shape are "<u2" and "3, 2".
func npyBytes(kind, shape string, elements any) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, shape)
	return append(npyHead(text), elementBytes(elements)...)
}

// npyHead returns the part of a NumPy file before the elements, with the given description.
func npyHead(text string) []byte {
	text += strings.Repeat(" ", 63-(len(text)+10)%64) + "\n"
	b := append([]byte(npyMagic), 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

func elementBytes(elements any) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, elements); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// npzBytes returns an archive of NumPy arrays.
func npzBytes(t *testing.T, arrays map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range arrays {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestArrays reads data sets of arrays with several element types and shapes, in one file or in several.
func TestArrays(t *testing.T) {
	labels := npyBytes("<i8", "4,", []int64{3, -1, 3, 10})
	bytes4 := npyBytes("|u1", "4, 2", []uint8{0, 255, 1, 254, 2, 253, 3, 252})
	direct := []sample{{[]uint16{0, 255}, 1}, {[]uint16{1, 254}, 0}, {[]uint16{2, 253}, 1}, {[]uint16{3, 252}, 2}}
	pixels := []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for name, test := range map[string]struct {
		files  map[string][]byte
		cfg    config.Data
		want   []sample
		shape  Shape
		bitsIn int
		q      bool
	}{
		"bytes": {map[string][]byte{"x.npy": bytes4, "y.npy": labels}, config.Data{}, direct, Shape{}, 8, false},
		"IDX": {
			map[string][]byte{
				"x.idx": gzipped(idxBytes([]byte{0, 255, 1, 254, 2, 253, 3, 252}, 4, 1, 2)),
				"y.idx": idxBytes([]byte{5, 2, 5, 7}, 4),
			},
			config.Data{Train: "x.idx", TrainLabels: "y.idx"},
			direct,
			Shape{1, 1, 2},
			8, false,
		},
		"archive": {
			map[string][]byte{"set.npz": npzBytes(t, map[string][]byte{"x_train": bytes4, "y_train": labels})},
			config.Data{Train: "set.npz:x_train", TrainLabels: "set.npz:y_train"},
			direct,
			Shape{},
			8, false,
		},
		"words of 16 bits": {
			map[string][]byte{
				"x.npy": npyBytes(">u2", "4, 1, 1", []uint16{0x100, 0xffff, 0, 0x0200}), "y.npy": labels,
			},
			config.Data{},
			[]sample{{[]uint16{1}, 1}, {[]uint16{65535}, 0}, {[]uint16{0}, 1}, {[]uint16{2}, 2}},
			Shape{},
			16, false,
		},
		"truth": {
			map[string][]byte{"x.npy": npyBytes("|b1", "4,1", []uint8{0, 1, 1, 0}), "y.npy": labels},
			config.Data{},
			[]sample{{[]uint16{0}, 1}, {[]uint16{1}, 0}, {[]uint16{1}, 1}, {[]uint16{0}, 2}},
			Shape{},
			1, false,
		},
		"real numbers, labels in a column": {
			map[string][]byte{
				"x.npy": npyBytes("<f4", "4, 1", []float32{-1, 0, 0.5, 1}),
				"y.npy": npyBytes("<f8", "4, 1", []float64{3, -1, 3, 10}),
			},
			config.Data{},
			[]sample{{[]uint16{0}, 1}, {[]uint16{8}, 0}, {[]uint16{11}, 1}, {[]uint16{15}, 2}},
			Shape{},
			4, true,
		},
		"planes last": {
			map[string][]byte{
				"x.npy": npyBytes("|u1", "2, 2, 1, 3", pixels), "y.npy": npyBytes("|u1", "2,", []uint8{0, 1}),
			},
			config.Data{},
			[]sample{{[]uint16{1, 4, 2, 5, 3, 6}, 0}, {[]uint16{7, 10, 8, 11, 9, 12}, 1}},
			Shape{3, 2, 1},
			4, false,
		},
		"planes first": {
			map[string][]byte{
				"x.npy": npyBytes("|u1", "2, 3, 2, 1", pixels), "y.npy": npyBytes("|u1", "2,", []uint8{0, 1}),
			},
			config.Data{},
			[]sample{{[]uint16{1, 2, 3, 4, 5, 6}, 0}, {[]uint16{7, 8, 9, 10, 11, 12}, 1}},
			Shape{3, 2, 1},
			4, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := test.cfg
			cfg.Set, cfg.Dir = "arrays", writeFiles(t, test.files)
			if cfg.Train == "" {
				cfg.Train, cfg.TrainLabels = "x.npy", "y.npy"
			}
			cfg.Test, cfg.TestLabels = cfg.Train, cfg.TrainLabels
			s, err := Open(context.Background(), cfg, 4, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []Part{Train, Test} {
				if diff := cmp.Diff(test.want, mustCollect(t, s, part)); diff != "" {
					t.Errorf("%s samples (-want +got):\n%s", part, diff)
				}
			}
			if s.Shape != test.shape || s.BitsIn != test.bitsIn || s.Max != 1<<test.bitsIn-1 || (s.Quantiser != nil) != test.q {
				t.Errorf("set %+v", s)
			}
		})
	}
}

// TestArraysSplit splits off a test part. The ranges must be computed only from the training part.
func TestArraysSplit(t *testing.T) {
	var x []float64
	var y []uint8
	for i := range 20 {
		x, y = append(x, float64(i%2)), append(y, uint8(i%2))
	}
	set := func() *Set {
		cfg := config.Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", TestShare: 0.1}
		cfg.Dir = writeFiles(t, map[string][]byte{
			"x.npy": npyBytes("<f8", "20, 1", x), "y.npy": npyBytes("|u1", "20,", y),
		})
		s, err := Open(context.Background(), cfg, 8, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := set()
	if n := len(mustCollect(t, s, Train)); n != 18 || s.TrainSamples != 18 || len(mustCollect(t, s, Test)) != 2 {
		t.Errorf("read %d training samples, the set counts %d and %d, want 18 and 2", n, s.TrainSamples, s.TestSamples)
	}
	for i, test := range s.source.(*arraySource).split {
		if test {
			x[i] = 100
		}
	}
	if diff := cmp.Diff(s.Quantiser, set().Quantiser); diff != "" {
		t.Errorf("ranges with other test samples (-want +got):\n%s", diff)
	}
}

// TestOrderOfArraysAndMemory takes the last of ten samples as the test part, from arrays and from memory.
func TestOrderOfArraysAndMemory(t *testing.T) {
	var x []float64
	var y []uint8
	m := &config.Samples{}
	for i := range 10 {
		x, y = append(x, float64(i)), append(y, uint8(i%2))
		m.Features, m.Labels = append(m.Features, x[i:i+1]), append(m.Labels, i%2)
	}
	dir := writeFiles(t, map[string][]byte{"x.npy": npyBytes("<f8", "10, 1", x), "y.npy": npyBytes("|u1", "10,", y)})
	for _, cfg := range []config.Data{
		{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Dir: dir}, {Set: "memory", Memory: m},
	} {
		cfg.TestShare, cfg.Order = 0.3, "time"
		s, err := Open(context.Background(), cfg, 8, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, high := len(mustCollect(t, s, Test)), s.Quantiser.Offset[0]+255/s.Quantiser.Scale[0]; n != 3 || high != 6 {
			t.Errorf("%s: %d test samples, training values up to %g, want 3 and 6", cfg.Set, n, high)
		}
	}
}

// TestLabelsMemory reads many labels from a small archive. The labels may take little more than one byte each.
func TestLabelsMemory(t *testing.T) {
	const n = 1 << 21
	y := make([]uint8, n)
	y[0] = 1
	archive := npzBytes(t, map[string][]byte{"y": npyBytes("|u1", fmt.Sprintf("%d,", n), y)})
	dir := writeFiles(t, map[string][]byte{"y.npz": archive})
	a, err := openArray(arrayFile(filepath.Join(dir, "y.npz:y")))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	labels, found, err := a.labels(t.Context())
	runtime.ReadMemStats(&after)
	if err != nil || len(labels) != n || labels[1] != 1 || !slices.Equal(found, []float64{1, 0}) {
		t.Fatalf("%d labels of %v, error %v", len(labels), found, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 12*n { // growing copies the slice
		t.Errorf("reading %d labels allocated %d bytes", n, took)
	}
}

func TestArrayFaults(t *testing.T) {
	x, y := npyBytes("|u1", "2, 2", []uint8{1, 2, 3, 4}), npyBytes("|u1", "2,", []uint8{0, 1})
	claim := func(shape string) []byte { return npyBytes("<f8", shape, []float64{1, 2}) }
	for name, test := range map[string]struct {
		x, y []byte
		want string
		hint string
	}{
		"not an array": {[]byte("1,2\n"), y, "x.npy: neither a NumPy array nor an IDX file", "data.set: csv"},
		"an archive":   {npzBytes(t, map[string][]byte{"x": x}), y, "x.npy: an archive, such as a spreadsheet", "the name of an archive of arrays ends in .npz"},
		"the array is in Fortran order": {
			npyHead("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }"), y, "the array is in Fortran order",
			"ascontiguousarray",
		},
		"half precision": {npyBytes("<f2", "2, 2", []uint16{1, 2, 3, 4}), y, "elements of type f2", "astype"},
		"text":           {npyBytes("<U5", "2, 2", []uint16{1}), y, "elements of type U5", "astype"},
		"records": {
			npyHead("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }"), y,
			"does not describe", "numpy.save",
		},
		"no shape":          {npyHead("{'descr': '<f8', 'fortran_order': False, 'shape': (), }"), y, "header: shape ()", ""},
		"a header cut":      {x[:20], y, "header: the file is cut short", ""},
		"a header too long": {append([]byte(npyMagic), 2, 0, 255, 255, 255, 255), y, "header: length of 4294967295 bytes", ""},
		"cut":               {x[:len(x)-1], y, "record 2: the header announces 2: the file is cut short", ""},
		"too long":          {append(bytes.Clone(x), 0), y, "extra bytes after the last of 2 records", ""},
		"a large claim":     {claim("2, 99999999999"), y, "dimension 1 is 65537", ""},
		"a large product":   {claim("2, 60000, 60000"), y, "dimension 2 is 60000", ""},
		"a number too large to be": {
			claim("2, 99999999999999999999"), y, "header: shape (2, 99999999999999999999)", "",
		},
		"many claimed": {
			claim("9999999999, 1"), npyBytes("|u1", "2,", []uint8{0, 1}),
			"2 labels, but 2147483647 samples in", "",
		},
		"five dimensions":   {claim("1, 1, 1, 1, 2"), y, "each sample has 4 dimensions", ""},
		"no number":         {npyBytes("<f8", "2, 1", []float64{1, math.NaN()}), y, "record 2: feature 0 is NaN", ""},
		"labels of pairs":   {x, npyBytes("|u1", "2, 2", []uint8{0, 1, 0, 1}), "2 numbers per sample, want one number per label", ""},
		"a label of a half": {x, npyBytes("<f8", "2,", []float64{0, 0.5}), "record 2: label 0.5, want a whole number", ""},
		"labels too large": {
			x, npyBytes("<u8", "2,", []uint64{1<<53 + 1, 1 << 53}),
			"record 1: label 9007199254740992, want -9007199254740991 to 9007199254740991",
			"",
		},
		"a later version": {
			append([]byte(npyMagic+"\x04\x00"), x[8:]...), y, "version 4 of the format, want 1 to 3",
			"numpy.save",
		},
		"one class":          {x, npyBytes("|u1", "2,", []uint8{1, 1}), "1 different labels", ""},
		"labels lack":        {x, npyBytes("|u1", "3,", []uint8{0, 1, 2}), "3 labels, but 2 samples in", ""},
		"ranges beyond size": {npyBytes("<f8", "2, 1", []float64{-1e308, 1e308}), y, "no finite range", ""},
	} {
		cfg := config.Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Test: "x.npy", TestLabels: "y.npy"}
		cfg.Dir = writeFiles(t, map[string][]byte{"x.npy": test.x, "y.npy": test.y})
		s, err := Open(context.Background(), cfg, 8, nil)
		if err == nil {
			_, err = collect(s, Train)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(message.Hint(err), test.hint) {
			t.Errorf("%s: error %v with hint %q, want %q and %q", name, err, message.Hint(err), test.want, test.hint)
		}
	}
}

// TestArraysTestFaults combines a training part with test files that do not fit it.
func TestArraysTestFaults(t *testing.T) {
	x, y := npyBytes("|u1", "2, 2", []uint8{1, 2, 3, 4}), npyBytes("|u1", "2,", []uint8{0, 1})
	for _, test := range map[string]struct {
		x, y []byte
		want string
	}{
		"shape":  {npyBytes("|u1", "2, 1", []uint8{1, 2}), y, "samples of shape [1], want [2] as in"},
		"type":   {npyBytes("<f4", "2, 2", []float32{1, 2, 3, 4}), y, "elements of type f4, want u1 as in"},
		"beyond": {npyBytes("|u1", "2, 2", []uint8{1, 2, 3, 8}), y, "sample 2 of the test part: feature 1 is 8, but"},
		"label":  {x, npyBytes("|u1", "2,", []uint8{0, 2}), "record 2: label 2 does not occur in"},
	} {
		cfg := config.Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Test: "xt.npy", TestLabels: "yt.npy"}
		cfg.Dir = writeFiles(t, map[string][]byte{"x.npy": x, "y.npy": y, "xt.npy": test.x, "yt.npy": test.y})
		s, err := Open(context.Background(), cfg, 8, nil)
		if err == nil {
			_, err = collect(s, Test)
		}
		wantError(t, err, test.want)
	}
	cfg := config.Data{Set: "arrays", Train: "x.npz:z", TrainLabels: "x.npz:y", TestShare: 0.5}
	cfg.Dir = writeFiles(t, map[string][]byte{"x.npz": npzBytes(t, map[string][]byte{"x": x, "y": y})})
	_, err := Open(context.Background(), cfg, 8, nil)
	wantError(t, err, `x.npz:z: no array "z" in the archive, which has [`)
	cfg.Dir = writeFiles(t, map[string][]byte{"x.npz": x})
	_, err = Open(context.Background(), cfg, 8, nil)
	wantError(t, err, "x.npz:y: not an archive of arrays (zip")
	_, err = Open(context.Background(), config.Data{Set: "arrays", Train: "x.npy"}, 8, nil)
	wantError(t, err, "data.train_labels")
}

// TestSamplesArray reads samples for classification from an array.
func TestSamplesArray(t *testing.T) {
	q := &encoding.Quantiser{Offset: []float64{-1, 0}, Scale: []float64{10, 2}}
	for name, test := range map[string]struct {
		data []byte
		q    *encoding.Quantiser
		want []uint16
		err  string
	}{
		"bytes":         {npyBytes("|u1", "1, 2", []uint8{3, 15}), nil, []uint16{3, 15}, ""},
		"whole numbers": {npyBytes("<f8", "1, 2", []float64{3, 15}), nil, []uint16{3, 15}, ""},
		"real numbers":  {npyBytes("<f4", "1, 2", []float32{-0.5, 99}), q, []uint16{5, 15}, ""},
		"too large": {
			npyBytes("|u1", "1, 2", []uint8{3, 16}), nil, nil,
			"record 1: feature 1 is 16, want an integer of 0..15",
		},
		"not whole":      {npyBytes("<f8", "1, 2", []float64{3, 1.5}), nil, nil, "feature 1 is 1.5"},
		"other features": {npyBytes("|u1", "1, 3", []uint8{1, 2, 3}), nil, nil, "samples of 3 numbers, but the model has 2 features"},
	} {
		got, err := readSamples(test.data, 2, nil, "", test.q, 15)
		if test.err != "" {
			wantError(t, err, test.err)
		} else if diff := cmp.Diff([][]uint16{test.want}, got); diff != "" || err != nil {
			t.Errorf("%s: error %v, words (-want +got):\n%s", name, err, diff)
		}
	}
}

// FuzzArray reads arrays and archive members. An accepted array must have the number of bytes that its header gives.
func FuzzArray(f *testing.F) {
	f.Add(npyBytes("|u1", "2, 2", []uint8{1, 2, 3, 4}))
	f.Add(npyBytes("<f8", "1, 1, 1, 3", []float64{1, 2, 3}))
	f.Add(npyBytes("<f8", "999999999999, 60000", []float64{1}))
	f.Add(gzipped(npyBytes(">i4", "1,", []uint32{7})))
	f.Add(idxBytes([]byte{1, 2}, 2))
	f.Add(append([]byte(npyMagic), 3, 0, 1, 0, 0, 0, '{'))
	f.Fuzz(func(t *testing.T, data []byte) {
		plain := decoded(data)
		bounded(t, len(plain)+len(data), func() {
			a, err := openArray(inMemory("a", data))
			if err != nil {
				return
			}
			defer a.Close()
			x := make([]float64, a.features)
			for {
				err := a.next(x)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return
				}
			}
			if plain != nil && (a.done != a.count || len(plain) < a.done*a.features*a.size) {
				t.Fatalf("accepted %d records of %d numbers of %d bytes in %d bytes", a.done, a.features, a.size, len(plain))
			}
		})
	})
}

// TestReadArrayInFortransOrder reads permuted arrays in Fortran order, in which numpy.save writes them.
func TestReadArrayInFortransOrder(t *testing.T) {
	header := func(kind, shape string) []byte {
		return npyHead(fmt.Sprintf("{'descr': '%s', 'fortran_order': True, 'shape': (%s), }", kind, shape))
	}
	for name, test := range map[string]struct {
		data  []byte
		shape []int
		want  []float64
	}{
		"float32": {
			append(header("<f4", "2, 3"), elementBytes([]float32{1, 4, 2, 5, 3, 6})...),
			[]int{2, 3},
			[]float64{1, 2, 3, 4, 5, 6},
		},
		"int64": {
			append(header("<i8", "2, 3"), elementBytes([]int64{1, 4, 2, 5, 3, 6})...),
			[]int{2, 3},
			[]float64{1, 2, 3, 4, 5, 6},
		},
		"one dimension": {append(header("<f8", "3,"), elementBytes([]float64{1, 2, 3})...), []int{3}, []float64{1, 2, 3}},
		"three dimensions": {
			append(header("|u1", "2, 2, 2"), 0, 4, 2, 6, 1, 5, 3, 7), []int{2, 2, 2}, []float64{0, 1, 2, 3, 4, 5, 6, 7},
		},
	} {
		shape, values, err := ReadArray("x.npy", bytes.NewReader(test.data), 100)
		if err != nil || !slices.Equal(shape, test.shape) || !slices.Equal(values, test.want) {
			t.Errorf("%s: %v %v, %v; want %v %v", name, shape, values, err, test.shape, test.want)
		}
	}
}
