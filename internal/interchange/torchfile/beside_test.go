package torchfile_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// besides returns the checkpoints of testdata/beside. Each has a state dict next to values of many other classes.
func besides(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/beside/*.pt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no checkpoints in testdata/beside: %v", err)
	}
	return paths
}

// known lists the entries of these checkpoints that are read, with the type of the result. For all other entries,
// only the class is read.
var known = map[string]string{
	"epoch": "int64", "state_dict": "*torchfile.Dict", "defaultdict": "*torchfile.Dict",
	"defaultdict of helper": "*torchfile.Dict", "Enum as key": "*torchfile.Dict", "bytes as key": "*torchfile.Dict",
	"partial": "*torchfile.Object", "random state": "torchfile.Tuple", "numpy dtype": "*torchfile.Object",
	"numpy random state": "torchfile.Tuple", "optimizer state": "*torchfile.Dict", "Size": "torchfile.Tuple",
	"device": "torchfile.Device", "dtype": "torchfile.DType", "iinfo": "string",
	"torch random state": "tensor uint8 [40]", "complex array": "tensor complex64 [2]", "parameter": "tensor float32 [3]",
	"parameter with attribute": "tensor float32 [3]", "buffer": "tensor float32 [3]",
	"complex half": "tensor complex64 [2]",
}

// what describes the value of an entry in the same form as the map named known, or as "not read".
func what(v any) string {
	switch v := v.(type) {
	case *torchfile.Object:
		if v.Unread() != nil {
			return "not read"
		}
	case *torchfile.Tensor:
		if v.DType == torchfile.Invalid {
			return "not read"
		}
		return fmt.Sprint("tensor ", v.DType, " ", v.Shape)
	}
	return fmt.Sprintf("%T", v)
}

// TestValuesBesideTheNetwork reads a state dict from files in which it is next to values of other classes. PyTorch
// wrote the files.
func TestValuesBesideTheNetwork(t *testing.T) {
	for _, path := range besides(t) {
		v, err := take(t, readFile(t, path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		dict := v.(*torchfile.Dict)
		for i, key := range dict.Keys {
			name := key.(string)
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				want, ok := known[name]
				if !ok {
					want = "not read"
				}
				if got := what(dict.Values[i]); got != want {
					t.Errorf("the entry is %s, want %s", got, want)
				}
			})
		}
		luts := entry(t, entry(t, dict, "state_dict"), "0.luts").(*torchfile.Tensor)
		if got, err := luts.Float32(); err != nil || !slices.Equal(got, []float32{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("%s: 0.luts is %v, error %v", path, got, err)
		}
		classes := torchfile.Unread(v)
		for _, want := range []string{"argparse.Namespace", "pathlib.PosixPath", "trainer.Net", "numpy.ndarray", `the entry "cyclic"`} {
			if !slices.Contains(classes, want) {
				t.Errorf("%s: %s is not among the classes that were not read: %v", path, want, classes)
			}
		}
	}
}

// TestUnreadValueInPlace checks the error if a value that was not read takes the place of a tensor. The error must
// name the value's class and place.
func TestUnreadValueInPlace(t *testing.T) {
	unread := "cx\nY\n)R"
	four := stored("FloatStorage", 4)
	for _, test := range []struct{ name, pickle, want string }{
		{"an instance", unread, "byte 9: it would run x.Y, which reading does not do"},
		{"a class", "cx\nY\n", "byte 9: it would run x.Y"},
		{"what a call of an instance makes", "ctorch.nn\nModule\n)\x81)R", "it would call torch.nn.Module, which is no class"},
		{"an instance with entries", unread + "(" + str("a") + "K\x01u", "it would run x.Y"},
		{"an instance with an entry", unread + str("a") + "K\x01s", "it would run x.Y"},
		{"an instance with items", unread + "(K\x01e", "it would run x.Y"},
		{"an instance with an item", unread + "K\x01a", "it would run x.Y"},
		{"an instance with states", unread + "}b}b", "it would run x.Y"},
		{"an instance with arguments by name", "cx\nY\n)}" + str("a") + "Ns\x92", "it would run x.Y"},
		{"a tensor of an unknown storage", tensor(stored("WideStorage", 4), num(0), tuple(num(4)), tuple(num(1))), "run torch.WideStorage"},
		{"a parameter of no tensor", "ctorch._utils\n_rebuild_parameter\n" + tuple(unread, "\x88", "N") + "R", "it would run x.Y"},
		{
			"a tensor of an unknown class", "ctorch._tensor\n_rebuild_from_type_v2\n" + tuple(rebuild, "cx\nY\n",
				tuple(four, num(0), tuple(num(4)), tuple(num(1)), "\x89", "N"), "}") + "R", "it would run x.Y",
		},
		{"an array of words", strings.TrimSuffix(strings.Replace(array("<", tuple(num(2)), "\x89", 8), str("i4"), str("U1"), 1), "."), `the type "U1" of numpy`},
		{"a big-endian array", strings.TrimSuffix(array(">", tuple(num(2)), "\x89", 8), "."), "big-endian"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := take(t, archive(t, begin+"}"+str("w")+test.pickle+"s.", strings.Repeat("\x00", 16)))
			if err != nil {
				t.Fatal(err)
			}
			switch v := entry(t, v, "w").(type) {
			case *torchfile.Object:
				err = v.Unread()
			case *torchfile.Tensor:
				_, err = v.Float32()
			}
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "byte ") {
				t.Errorf("error %v, want one with a place and %s", err, test.want)
			}
			if !strings.Contains(message.Hint(err), "state_dict()") {
				t.Errorf("hint %q", message.Hint(err))
			}
		})
	}
}

// TestUnreadMemory reads files with very many unread values. Reading these files must not take more memory than
// reading other files.
func TestUnreadMemory(t *testing.T) {
	long := str(strings.Repeat("x", 400))
	for _, test := range []struct{ name, pickle string }{
		{"names", long + "q\x00" + strings.Repeat("h\x00h\x00\x93", 1<<18)},
		{"calls", "cx\nY\nq\x00)q\x01" + strings.Repeat("h\x00h\x01R", 1<<20)},
		{"entries", "cx\nY\nq\x00(" + strings.Repeat("h\x00h\x00", 1<<20) + "u"},
		{"items", "]q\x00" + strings.Repeat("h\x00a", 3<<20)},
		{
			"numbers", "cnumpy.core.multiarray\nscalar\nq\x00cnumpy\ndtype\n" + tuple(long) + "Rq\x01C\x01x\x86q\x02" +
				strings.Repeat("h\x00h\x02R", 1<<20),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The archive's folder has a long name, which is part of the place of each value.
			b := zipped(t, 0, strings.Repeat("m", 60000)+"/data.pkl", begin+test.pickle+".")
			if _, err := take(t, b); err == nil {
				t.Error("no error")
			}
		})
	}
}

// TestUnreadNames checks that Unread lists each class once.
func TestUnreadNames(t *testing.T) {
	v, err := read(archive(t, begin+tuple("cx\nY\nq\x00", "h\x00)R", "ca\nB\n", "]cx\nY\na", "cos\nsystem\n"+str("id")+"\x85R")+"."))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.B", "os.system", "x.Y"}, torchfile.Unread(v)); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

// TestValuesMetOften checks the error for a file with nested lists next to the state dict. Each list contains the
// list before it twice, so the total number of values is far too large.
func TestValuesMetOften(t *testing.T) {
	lists := "]q\x00"
	for i := range 60 {
		lists += string([]byte{'0', ']', 'q', byte(i + 1), '(', 'h', byte(i), 'h', byte(i), 'e'})
	}
	_, err := read(archive(t, begin+"}"+str("log")+lists+"s."))
	if err == nil || !strings.Contains(err.Error(), "a few values that are met very often") {
		t.Errorf("error %v", err)
	}
}
