package torchfile_test

import (
	"errors"
	"math"
	"math/big"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/interchange/torchfile"
)

// dumps returns the lines that testdata/dump.py prints for each file, in the order of the given paths.
func dumps(t *testing.T, paths []string) string {
	t.Helper()
	var b strings.Builder
	for _, path := range paths {
		v, err := take(t, readFile(t, path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		lines, err := tensors(v)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		b.WriteString("file " + filepath.Base(path) + "\n" + lines)
	}
	return b.String()
}

// TestTensors compares the tensors of the checkpoints in testdata with the recorded output of PyTorch.
func TestTensors(t *testing.T) {
	want := string(readFile(t, "testdata/dump.txt"))
	if diff := cmp.Diff(want, dumps(t, own(t))); diff != "" {
		t.Errorf("tensors (-PyTorch +ours):\n%s", diff)
	}
}

// TestPyTorch compares all checkpoints with PyTorch, if it is installed.
func TestPyTorch(t *testing.T) {
	paths := own(t)
	if more := foreign(t); more != nil {
		paths = append(paths, more...)
	} else {
		t.Log("no checkpoints of other frameworks in ../shared/reference/import: only those of testdata")
	}
	out, err := exec.Command("/usr/bin/python3", append([]string{"testdata/dump.py"}, paths...)...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && !strings.Contains(string(failed.Stderr), "No module") {
		t.Fatalf("%v\n%s", err, failed.Stderr)
	}
	if err != nil {
		t.Skip("no /usr/bin/python3 with torch (Debian package python3-torch)")
	}
	if diff := cmp.Diff(string(out), dumps(t, paths)); diff != "" {
		t.Errorf("tensors (-PyTorch +ours):\n%s", diff)
	}
}

// TestForeign reads the checkpoints of other frameworks.
func TestForeign(t *testing.T) {
	paths := foreign(t)
	if paths == nil {
		t.Skip("no checkpoints of other frameworks in ../shared/reference/import")
	}
	for _, path := range paths {
		v, err := take(t, readFile(t, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if o, ok := v.(*torchfile.Object); ok {
			if _, ok := o.Attr("_modules"); !ok {
				t.Errorf("%s: a %s without modules", path, o.Class)
			}
		} else if d, ok := v.(*torchfile.Dict); !ok || len(d.Strings()) != len(d.Keys) {
			t.Errorf("%s: a %T, not a dictionary with names", path, v)
		}
	}
}

func open(t *testing.T, path string) any {
	t.Helper()
	v, err := read(readFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// entry returns the value of a key in a dictionary.
func entry(t *testing.T, dict any, key string) any {
	t.Helper()
	v, ok := dict.(*torchfile.Dict).Get(key)
	if !ok {
		t.Fatalf("no entry %q", key)
	}
	return v
}

func TestValues(t *testing.T) {
	dict := open(t, "testdata/values.pt")
	power := func(n uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), n) }
	below := new(big.Int).Neg(power(63))
	list := func(items ...any) *torchfile.List { return &torchfile.List{Items: items} }
	i := func(v int64) any { return v }
	for key, want := range map[string]any{
		"none": nil, "true": true, "false": false,
		"int":   list(i(0), i(255), i(256), i(65536), i(-1), i(-1<<31), i(1<<31), i(-1<<63), i(1<<63-1)),
		"big":   list(power(63), below.Sub(below, big.NewInt(1)), power(100)),
		"float": list(0.1, -1e300, math.Inf(1)), "string": "thermometer \u00e9\u2192",
		"bytes": []byte("\x00\xff\x80"), "no bytes": []byte{}, "bytearray": []byte("ab"),
		"tuple": torchfile.Tuple{
			torchfile.Tuple(nil),
			torchfile.Tuple{i(1)},
			torchfile.Tuple{i(1), i(2)},
			torchfile.Tuple{i(1), i(2), i(3)},
			torchfile.Tuple{i(1), i(2), i(3), i(4)},
		},
		"set": list(i(5)), "frozenset": list(i(6)), "size": torchfile.Tuple{i(2), i(3)},
		"device": torchfile.Device("cuda:1"), "cpu": torchfile.Device("cpu"), "dtype": torchfile.BFloat16,
		"float32": float64(float32(0.1)), "int64": i(-5), "bool_": true, "half": 1.5,
	} {
		got := entry(t, dict, key)
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	ordered := entry(t, dict, "ordered").(*torchfile.Dict)
	if diff := cmp.Diff([]string{"b", "a"}, ordered.Strings()); diff != "" {
		t.Errorf("keys of an OrderedDict (-want +got):\n%s", diff)
	}
	if d := dict.(*torchfile.Dict); d.Keys[slices.Index(d.Keys, any(int64(3)))] == nil {
		t.Error("no key 3")
	}
}

// TestModule looks up classes, functions and attributes of a whole model by name.
func TestModule(t *testing.T) {
	model := open(t, "testdata/module.pt").(*torchfile.Object)
	if model.Class != "torch.nn.modules.container.Sequential" {
		t.Errorf("class %s", model.Class)
	}
	v, _ := model.Attr("1")
	layer, ok := v.(*torchfile.Object)
	if !ok || layer.Class != "difflogic.difflogic.LogicLayer" {
		t.Fatalf("layer 1 is %v", v)
	}
	for name, is := range map[string]func(v any) bool{
		"weights":    func(v any) bool { return v.(*torchfile.Tensor).Elements() == 96 },
		"mask":       func(v any) bool { return v.(*torchfile.Tensor).DType == torchfile.Bool },
		"nothing":    func(v any) bool { return v == nil },
		"training":   func(v any) bool { return v == true },
		"indices":    func(v any) bool { return v.(torchfile.Tuple)[1].(*torchfile.Tensor).Offset == 6 },
		"kind":       func(v any) bool { o := v.(*torchfile.Object); return o.Class == layer.Class && o.State == nil },
		"step":       func(v any) bool { return v.(*torchfile.Object).Class == "functools.partial" },
		"activation": func(v any) bool { return v.(*torchfile.Object).Class == "torch.nn.functional.relu" },
	} {
		if v, ok := layer.Attr(name); !ok || !is(v) {
			t.Errorf("attribute %s is %v", name, v)
		}
	}
	if v, ok := layer.Attr("absent"); ok {
		t.Errorf("attribute absent is %v", v)
	}
	if v, ok := (&torchfile.Object{State: int64(1)}).Attr("x"); ok {
		t.Errorf("attribute of an object without a dictionary is %v", v)
	}
}

// TestSharedStorage reads two tensors that share a storage. It also reads the attributes of the dictionary that holds
// the tensors.
func TestSharedStorage(t *testing.T) {
	dict := open(t, "testdata/views.pt").(*torchfile.Dict)
	if _, ok := dict.State.(*torchfile.Dict).Get("_metadata"); !ok {
		t.Error("no _metadata")
	}
	base, err := entry(t, dict, "base").(*torchfile.Tensor).Float32()
	if err != nil {
		t.Fatal(err)
	}
	one := entry(t, dict, "one").(*torchfile.Tensor)
	if got, err := one.Float32(); err != nil || len(got) != 1 || got[0] != base[59] || one.Offset != 59 {
		t.Errorf("element 59 of %v is %v, %v", base, got, err)
	}
}

func TestConversionErrors(t *testing.T) {
	dict := open(t, "testdata/views.pt")
	for _, test := range []struct {
		key  string
		call func(t *torchfile.Tensor) (any, error)
		want string
	}{
		{"bool", func(t *torchfile.Tensor) (any, error) { return t.Float32() }, "of bool, where floating-point"},
		{"torch.int64", func(t *torchfile.Tensor) (any, error) { return t.Float64() }, "of int64, where floating-point"},
		{"base", func(t *torchfile.Tensor) (any, error) { return t.Int64() }, "of float32, where integers"},
		{"complex64", func(t *torchfile.Tensor) (any, error) { return t.Int64() }, "of complex64, where integers"},
	} {
		_, err := test.call(entry(t, dict, test.key).(*torchfile.Tensor))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.key, err, test.want)
		}
	}
}

// TestMadeUpDict uses a Dict that was not made by Read.
func TestMadeUpDict(t *testing.T) {
	d := &torchfile.Dict{Keys: []any{int64(1), "a"}, Values: []any{"x", "y"}}
	if v, ok := d.Get("a"); !ok || v != "y" {
		t.Errorf("Get: %v, %v", v, ok)
	}
	if v, ok := d.Get("b"); ok {
		t.Errorf("Get of no key: %v", v)
	}
}
