package torchfile_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ialgn/internal/interchange/torchfile"
)

// own returns the checkpoints in testdata.
func own(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.pt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no checkpoints in testdata: %v", err)
	}
	return paths
}

// foreign returns the checkpoints of other frameworks, which are outside the repository, or nil if they are not
// there.
func foreign(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../../../shared/reference/import/*/*.pt")
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(b []byte) (any, error) { return torchfile.Read(bytes.NewReader(b), int64(len(b))) }

// take calls Read and checks that the allocated memory is within the limit that the package promises.
func take(t testing.TB, b []byte) (any, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := read(b)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(3*len(b)+49<<20) {
		t.Errorf("reading a file of %d bytes allocated %d bytes", len(b), grown)
	}
	return v, err
}

// archive returns an archive with a pickle and storages, in the form in which torch.save writes it.
func archive(t testing.TB, pickle string, storages ...string) []byte {
	t.Helper()
	entries := []string{"m/data.pkl", pickle}
	for i, s := range storages {
		entries = append(entries, fmt.Sprintf("m/data/%d", i), s)
	}
	return zipped(t, zip.Store, entries...)
}

// zipped returns a zip file. entries are names and contents, in turn.
func zipped(t testing.TB, method uint16, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(entries[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// visit calls the function do for a value and then for the values inside this value. It stops when do returns an
// error.
func visit(v any, do func(v any) error) error {
	if err := do(v); err != nil {
		return err
	}
	var parts []any
	switch v := v.(type) {
	case *torchfile.List:
		parts = v.Items
	case torchfile.Tuple:
		parts = v
	case *torchfile.Dict:
		for i := range v.Keys {
			parts = append(parts, v.Keys[i], v.Values[i])
		}
		parts = append(parts, v.State)
	case *torchfile.Object:
		parts = append(append(parts, v.Args...), v.State)
	}
	for _, p := range parts {
		if err := visit(p, do); err != nil {
			return err
		}
	}
	return nil
}

// line describes a tensor in the form that testdata/dump.py uses.
func line(tensor *torchfile.Tensor) (string, error) {
	text := fmt.Sprint(tensor.DType, " ", tensor.Shape)
	switch tensor.DType {
	case torchfile.Complex64, torchfile.Complex128:
		return text + " -", nil
	case torchfile.Float16, torchfile.BFloat16, torchfile.Float32, torchfile.Float64:
		wide, err := tensor.Float64()
		if err != nil {
			return "", err
		}
		narrow, err := tensor.Float32()
		if err != nil {
			return "", err
		}
		for i := range wide {
			if math.IsNaN(wide[i]) {
				wide[i] = math.Float64frombits(0x7ff8 << 48)
			}
			if narrow[i] != narrow[i] {
				narrow[i] = math.Float32frombits(0x7fc0 << 16)
			}
		}
		return text + " " + sum(wide) + " " + sum(narrow), nil
	}
	integers, err := tensor.Int64()
	return text + " " + sum(integers), err
}

func sum(elements any) string {
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, elements); err != nil {
		panic(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tensors returns one line for each tensor.
func tensors(v any) (string, error) {
	var b strings.Builder
	err := visit(v, func(v any) error {
		tensor, ok := v.(*torchfile.Tensor)
		if !ok {
			return nil
		}
		text, err := line(tensor)
		fmt.Fprintln(&b, text)
		return err
	})
	return b.String(), err
}

// text returns a complete description of a value.
func text(v any) (string, error) {
	var b strings.Builder
	err := visit(v, func(v any) error {
		var err error
		switch v := v.(type) {
		case *torchfile.Tensor:
			var l string
			l, err = line(v)
			fmt.Fprintln(&b, "tensor", l)
		case *torchfile.List:
			fmt.Fprintln(&b, "list", len(v.Items))
		case torchfile.Tuple:
			fmt.Fprintln(&b, "tuple", len(v))
		case *torchfile.Dict:
			fmt.Fprintln(&b, "dict", len(v.Keys))
		case *torchfile.Object:
			fmt.Fprintln(&b, "object", v.Class, len(v.Args))
		default:
			fmt.Fprintf(&b, "%T %v\n", v, v)
		}
		return err
	})
	return b.String(), err
}
