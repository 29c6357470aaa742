package torchfile_test

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// These are parts of pickles of protocol 2.
const (
	begin   = "\x80\x02"
	rebuild = "ctorch._utils\n_rebuild_tensor_v2\n"
)

// str returns the pickle of a short string.
func str(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// num returns the pickle of an integer.
func num(v int32) string { return "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(v))) }

// long returns the pickle of a 64-bit integer.
func long(v int64) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(v)))
}

// tuple returns the pickle of a tuple. values are the pickles of its elements.
func tuple(values ...string) string { return "(" + strings.Join(values, "") + "t" }

// stored returns the pickle of storage 0.
func stored(class string, numel int32) string {
	return tuple(str("storage"), "ctorch\n"+class+"\n", str("0"), str("cpu"), num(numel)) + "Q"
}

// tensor returns the pickle of a tensor on the given storage.
func tensor(storage, offset, shape, stride string) string {
	return rebuild + tuple(storage, offset, shape, stride, "\x89", "ccollections\nOrderedDict\n)R") + "R"
}

// hostile lists pickles that must be refused, with a part of each error.
var hostile = []struct{ name, pickle, want string }{
	{"os.system", "cos\nsystem\n" + str("id") + "\x85R.", "byte 2: it would run os.system, which reading does not do"},
	{"posix.system", "cposix\nsystem\n" + str("id") + "\x85R.", "it would run posix.system, which reading"},
	{"by names on the stack", str("posix") + str("system") + "\x93.", "byte 23: it would run posix.system"},
	{"getattr", "c__builtin__\ngetattr\n" + tuple("ctorch.nn\nModule\n", str("x")) + "R.", "run __builtin__.getattr"},
	{"eval", "cbuiltins\neval\n" + str("1") + "\x85R.", "it would run builtins.eval"},
	{"a class of the user", "c__main__\nNet\n)\x81.", "it would run __main__.Net"},
	{"other functions of torch", "ctorch\nload\n" + str("x") + "\x85R.", "it would run torch.load"},
	{"torch.storage._load_from_bytes", "ctorch.storage\n_load_from_bytes\n.", "run torch.storage._load_from_bytes"},
	{"torch.hub", "ctorch.hub\nload\n.", "it would run torch.hub.load"},
	{"a package of a similar name", "ctorch.nnx\nf\n.", "it would run torch.nnx.f"},
	{"a name with a path", "ctorch.nn\n../x\n.", `it would run "torch.nn.../x"`},
	{"a name with control characters", "ctorch.nn\n\x1b[31m\n.", `it would run "torch.nn.\x1b[31m"`},
	{"a long name", "c" + strings.Repeat("a", 600) + "\nx\n.", "a name of more than 500 bytes"},
	{"the extension registry", "\x82\x01.", "the opcode EXT1"},
	{"the extension registry 2", "\x83\x01\x00.", "the opcode EXT2"},
	{"the extension registry 4", "\x84\x01\x00\x00\x00.", "the opcode EXT4"},
	{"INST", "(S'id'\nios\nsystem\n.", "the opcode STRING"},
	{"INST without text", "(ios\nsystem\n.", "the opcode INST"},
	{"a call of an instance", "ctorch.nn\nModule\n)\x81)R.", "it would call torch.nn.Module, which is no class"},
	{"a call of a string", str("f") + ")R.", `it would call "f", which is no class`},
	{"a call of a storage class", "ctorch\nFloatStorage\n)R.", "it would call torch.FloatStorage"},
	{"a call of a builtin class", "c__builtin__\nobject\n)R.", "it would call __builtin__.object"},
	{"a call without a tuple", "ctorch.nn\nModule\nNR.", "are None, not a tuple"},
	{"arguments by name", "ctorch.nn\nModule\n)}" + str("a") + "Ns\x92.", "arguments by name"},
	{
		"a state for a class", "ctorch.nn\nModule\n}b.",
		"torch.nn.Module is given a state, which it cannot have",
	},
	{"a state for a list", "]}b.", "a list is given a state"},
	{"two states", "ctorch.nn\nModule\n)\x81Nb}b}b.", "is given a state"},
	{
		"a reconstructor in a reconstructor",
		"ctorch._tensor\n_rebuild_from_type_v2\nq\x00" + tuple("h\x00", "N", ")", "N") + "R.",
		"it would call torch._tensor._rebuild_from_type_v2",
	},
	{
		"a reconstructor of no tensor",
		"ctorch._tensor\n_rebuild_from_type_v2\n" + tuple("ccollections\nOrderedDict\n", "N", ")", "N") + "R.",
		"it makes a dictionary, not a tensor",
	},
	{"codecs other than latin1", "c_codecs\nencode\n" + str("x") + str("rot13") + "\x86R.", "a string and latin1"},
	{"a persistent name that is a string", str("x") + "Q.", "is the file damaged?"},

	{"a string of 4 GB", "X\xff\xff\xff\xff.", "4294967295 bytes should follow, and 1 are left"},
	{"a string of 16 EB", "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "18446744073709551615 bytes should follow"},
	{"bytes of 4 GB", "B\xff\xff\xff\xff.", "bytes should follow"},
	{"a bytearray of 8 EB", "\x96\xff\xff\xff\xff\xff\xff\xff\x7f.", "bytes should follow"},
	{"a frame of 8 EB", "\x95\xff\xff\xff\xff\xff\xff\xff\x7f.", "bytes should follow"},
	{"an integer of 2 GB", "\x8b\xff\xff\xff\x7f.", "an integer of 2147483647 bytes"},
	{"an unknown opcode", "\xff.", "no opcode of a pickle: 0xff"},
	{"another protocol", "\x80\x07N.", "a pickle of protocol 7"},
	{"text that is no UTF-8", "X\x01\x00\x00\x00\xff.", "not UTF-8"},
	{"no end", "N", "ends too early"},
	{"nothing at the end", ".", "ends with 0 values"},
	{"two values at the end", "NN.", "ends with 2 values"},
	{"a mark at the end", "N(.", "ends with 1 values"},
	{"more behind the end", "N.N", "1 bytes follow the pickle"},
	{"no value", "0.", "a value is missing"},
	{"a value below the mark", "N(\x85.", "a value is missing"},
	{"no mark", "Nt.", "a mark is missing"},
	{"no memo", "h\x07.", "the memo has no value 7"},
	{"an entry of a list", "]NNs.", "put into a list"},
	{"an item of a dictionary", "}Na.", "appended to a dictionary"},
	{"half an entry", "}(Nu.", "a key without a value"},
	{"a key twice", "}" + str("a") + "Ns" + str("a") + "Ns.", `the key "a" is in a dictionary twice`},
	{"a list as key", "}]Ns.", "a list is a key"},
	{"NaN as key", "}G\x7f\xf8\x00\x00\x00\x00\x00\x00Ns.", "NaN"},

	{"a list in itself", "]q\x00h\x00a.", "a value that holds itself"},
	{"an object in itself", "ctorch.nn\nModule\n)\x81q\x00}" + str("me") + "h\x00sb.", "a value that holds itself"},
	{"deep", strings.Repeat("]", 3000) + strings.Repeat("a", 2999) + ".", "nested more than 1000 deep"},
	{"deep tuples", ")" + strings.Repeat("\x85", 3000) + ".", "nested more than 1000 deep"},
	{"lists of one list", "N" + strings.Repeat("q\x00h\x00\x86", 60) + ".", "a few values that are met very often"},
	{"marks", strings.Repeat("(", 3<<20), "more memory than three times the file"},
	{"dictionaries", strings.Repeat("}", 1<<20), "more memory than three times the file"},
	{"a memo of everything", "N" + strings.Repeat("\x94", 3<<20), "more memory than three times the file"},
	{"names", str("torch.nn") + "q\x00" + str("Module") + "q\x01" + strings.Repeat("h\x00h\x01\x93", 1<<18), "memory"},

	{"a storage larger than the file", stored("FloatStorage", 1<<30) + ".", "larger than the file"},
	{"a storage of a negative length", stored("FloatStorage", -1) + ".", "larger than the file"},
	{"a storage of another length", stored("FloatStorage", 3) + ".", "has 16 bytes, and its storage is said to have 12"},
	{"a storage of no class of storages", stored("device", 4) + ".", "is no storage"},
	{"a storage of two types", tuple(stored("FloatStorage", 4), stored("IntStorage", 4)) + ".", "of int32 here and 4 of f"},
	{
		"a storage that is not there", tuple(str("storage"), "ctorch\nIntStorage\n", str("../0"), str("cpu"), num(1)) + "Q.",
		`no entry "m/data/../0"`,
	},
	{"a view outside", tensor(stored("FloatStorage", 4), num(0), tuple(num(5)), tuple(num(1))) + ".", "outside its storage"},
	{"an offset outside", tensor(stored("FloatStorage", 4), num(4), ")", ")") + ".", "outside its storage"},
	{"strides outside", tensor(stored("FloatStorage", 4), num(1), tuple(num(2)), tuple(num(3))) + ".", "outside"},
	{"a negative offset", tensor(stored("FloatStorage", 4), num(-1), ")", ")") + ".", "offset is no number"},
	{"a negative stride", tensor(stored("FloatStorage", 4), num(3), tuple(num(2)), tuple(num(-1))) + ".", "strides are"},
	{"a negative shape", tensor(stored("FloatStorage", 4), num(0), tuple(num(-2)), tuple(num(1))) + ".", "shape is"},
	{"no strides", tensor(stored("FloatStorage", 4), num(0), tuple(num(2)), ")") + ".", "1 dimensions and 0 strides"},
	{
		"elements that overflow",
		tensor(stored("FloatStorage", 4), num(0), tuple(long(1<<32), long(1<<32)), tuple(num(0), num(0))) + ".", "outside",
	},
	{
		"a reach that overflows",
		tensor(stored("FloatStorage", 4), num(0), tuple(num(3), num(5)), tuple(long(1<<63-1), long(1<<62))) + ".", "outside",
	},
	{
		"many dimensions", tensor(stored("FloatStorage", 4), num(0), tuple(strings.Repeat("K\x01", 65)), ")") + ".",
		"65 dimensions",
	},
	{
		"many elements in all", tensor(stored("FloatStorage", 4), num(0), tuple(num(8<<20)), tuple(num(0))) + "q\x00" +
			"h\x00h\x00\x87.", "a few values that are met very often",
	},
	{"a tensor of no storage", tensor("N", num(0), ")", ")") + ".", "its first argument is no storage"},
	{
		"a parameter of a storage", "ctorch._utils\n_rebuild_parameter\n" + tuple(stored("FloatStorage", 4)) + "R.",
		"its first argument is no tensor",
	},
	{"an array in the wrong order", array("<", tuple(num(2)), "\x89", 9), "is the file damaged?"},
	{"an array larger than its bytes", array("<", tuple(num(3)), "\x89", 8), "outside its storage of 2 elements"},
	{"a big-endian array", array(">", tuple(num(2)), "\x89", 8), "big-endian"},
}

// array returns the pickle of a NumPy array of type i4.
func array(order, shape, fortran string, length int) string {
	dtype := "cnumpy\ndtype\n" + tuple(str("i4"), "\x89", "\x88") + "R" +
		tuple(num(3), str(order), "N", "N", "N", num(-1), num(-1), num(0)) + "b"
	data := "C" + string(rune(length)) + strings.Repeat("\x01", length)
	return "cnumpy.core.multiarray\n_reconstruct\n" + tuple("cnumpy\nndarray\n", tuple(num(0)), "C\x01b") + "R" +
		tuple(num(1), shape, dtype, fortran, data) + "b."
}

func TestHostile(t *testing.T) {
	for _, test := range hostile {
		t.Run(test.name, func(t *testing.T) {
			_, err := take(t, archive(t, begin+test.pickle, strings.Repeat("\x00", 16)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want one with %s", err, test.want)
			}
			if !strings.Contains(err.Error(), "m/data.pkl: byte ") && !strings.Contains(test.want, "value") &&
				!strings.Contains(test.want, "deep") {
				t.Errorf("error %v: want one with a place", err)
			}
			// The legacy format also contains a pickle of protocol 2.
			if _, err := take(t, []byte(legacyHead+begin+test.pickle)); err == nil {
				t.Error("in the legacy format: no error")
			}
		})
	}
}

// legacyHead is the part before the pickle in the legacy format of PyTorch before 1.6.
const legacyHead = "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."

// TestHintAboutCode checks the hint about a file that would run code.
func TestHintAboutCode(t *testing.T) {
	_, err := read(archive(t, begin+"cposix\nsystem\n."))
	if h := message.Hint(err); !strings.Contains(h, "state_dict()") || !strings.Contains(h, "do not load it with PyTorch") {
		t.Errorf("hint %q", h)
	}
}

// TestAccepted reads handmade pickles in the forms that PyTorch 2 and other versions of Python write.
func TestAccepted(t *testing.T) {
	four := stored("FloatStorage", 4)
	whole := tensor(four, num(0), tuple(num(4)), tuple(num(1)))
	untyped := tuple(str("storage"), "ctorch.storage\nUntypedStorage\n", str("0"), str("cuda:0"), num(16)) + "Q"
	for _, test := range []struct{ name, pickle, want string }{
		{
			"a storage of cuda", tuple(str("storage"), "ctorch.cuda\nFloatStorage\n", str("0"), str("cuda:0"), num(4)) + "Q",
			"tensor float32 [4]",
		},
		{"a storage itself", four, "tensor float32 [4]"},
		{"a tensor of the oldest form", strings.ReplaceAll(whole, "_v2", ""), "tensor float32 [4]"},
		{"a parameter", "ctorch._utils\n_rebuild_parameter_with_state\n" + tuple(whole, "\x88", "N", "}") + "R", "float32 [4]"},
		{
			"a buffer", "ctorch._tensor\n_rebuild_from_type_v2\n" + tuple(
				rebuild, "ctorch\nTensor\n", tuple(four, num(1), tuple(num(2)), tuple(num(2)), "\x89", "N"),
				"}"+str("persistent")+"\x88s") + "R", "tensor float32 [2]",
		},
		{
			"a type without a storage class", "ctorch._utils\n_rebuild_tensor_v3\n" + tuple(
				untyped, num(1), tuple(num(7)), tuple(num(1)), "\x89", "N", "ctorch\nuint16\n") + "R", "tensor uint16 [7]",
		},
		{"copyreg", "ccopy_reg\n_reconstructor\n" + tuple("ctorchlogix.x\nY\n", "c__builtin__\nobject\n", "N") + "R", "torchlogix.x.Y"},
		{"arguments", "ctorch_dwn\nMode\n" + tuple(num(3)) + "R", "object torch_dwn.Mode 1\nint64 3"},
		{"NEWOBJ_EX", "ctorch.nn\nModule\n)}\x92", "object torch.nn.Module 0"},
		{"sets", tuple("\x8f(K\x01K\x02\x90", "(K\x03\x91"), "list 2\nint64 1\nint64 2\nlist 1\nint64 3"},
		{"pairs", "ccollections\nOrderedDict\n" + tuple("]("+tuple(str("a"), "N")+"]("+str("b")+"K\x01ee") + "R", "dict 2\nstring a"},
		{"POP", "K\x01K\x020(0(K\x071", "int64 1"},
		{"DUP", "]2\x86", "tuple 2\nlist 0\nlist 0"},
		{"a tensor without elements far away", tensor(four, num(9), tuple(num(0), long(1<<62), long(8)), tuple(num(9), num(9), num(9))), "[0 4611686018427387904 8]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := take(t, archive(t, begin+test.pickle+".", strings.Repeat("\x01", 16)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := text(v); err != nil || !strings.Contains(got, test.want) {
				t.Errorf("error %v, %s\nwant %s", err, got, test.want)
			}
		})
	}
}

// TestManyElements checks that a tensor that repeats one element very many times is not converted. The value next to
// it must still be read.
func TestManyElements(t *testing.T) {
	b := archive(t, begin+tensor(stored("IntStorage", 4), num(0), tuple(num(1<<30)), tuple(num(0)))+"K\x07\x86.",
		strings.Repeat("\x01", 16))
	v, err := take(t, b)
	if err != nil {
		t.Fatal(err)
	}
	large := v.(torchfile.Tuple)[0].(*torchfile.Tensor)
	if _, err := large.Int64(); err == nil || !strings.Contains(err.Error(), "1073741824 elements, more than") {
		t.Errorf("error %v", err)
	}
	if v.(torchfile.Tuple)[1] != int64(7) {
		t.Errorf("values %v", v)
	}
}

// TestLargeUnsigned converts an unsigned number that does not fit into an int64.
func TestLargeUnsigned(t *testing.T) {
	pickle := "ctorch._utils\n_rebuild_tensor_v3\n" + tuple(
		tuple(str("storage"), "ctorch\nUntypedStorage\n", str("0"), str("cpu"), num(16))+"Q",
		num(0), tuple(num(2)), tuple(num(1)), "\x89", "N", "ctorch\nuint64\n") + "R."
	v, err := read(archive(t, begin+pickle, "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.(*torchfile.Tensor).Int64(); err == nil || !strings.Contains(err.Error(), "18446744073709551615") {
		t.Errorf("error %v", err)
	}
}

// TestReadRefusesOtherForms reads files that torch.save did not write, and files of torch.save in unsupported forms.
func TestReadRefusesOtherForms(t *testing.T) {
	none := begin + "N."
	tar := make([]byte, 600)
	copy(tar[257:], "ustar")
	copy(tar, "sys_info")
	big := strings.Replace(legacyHead, "}.", "}"+str("little_endian")+"\x89s.", 1)
	for _, test := range []struct {
		name, want string
		file       []byte
	}{
		{"nothing", "not a file of torch.save", nil},
		{"text", "neither like an archive nor like a pickle", []byte("hello")},
		{"another pickle", "does not begin with the magic number", []byte(begin + "]q\x00.")},
		{"a tar file", "tar file of PyTorch before 0.1.10", tar},
		{"another version", "version 1002", []byte(strings.Replace(legacyHead, "\xe9\x03", "\xea\x03", 1) + none)},
		{"legacy of a big-endian machine", "big-endian", []byte(big + none + begin + "].")},
		{"legacy without keys", "keys of the storages: None", []byte(legacyHead + none + none)},
		{"legacy with other keys", `"7" is there twice`, []byte(legacyHead + none + begin + "]" + str("7") + "a.")},
		{
			"legacy without a storage", "a storage of a tensor is missing",
			[]byte(legacyHead + begin + stored("ByteStorage", 4) + "." + begin + "]."),
		},
		{
			"legacy cut short", "was the file cut short?",
			[]byte(legacyHead + begin + stored("ByteStorage", 4) + "." + begin + "]" + str("0") + "a.\x04\x00\x00\x00\x00\x00\x00\x00ab"),
		},
		{"another zip file", "with 0 entries data.pkl", zipped(t, zip.Store, "x", "y")},
		{"two pickles", "with 2 entries data.pkl", zipped(t, zip.Store, "a/data.pkl", none, "b/data.pkl", none)},
		{"TorchScript", "TorchScript", zipped(t, zip.Store, "a/data.pkl", none, "a/constants.pkl", none)},
		{"compressed", `"a/data.pkl" is compressed`, zipped(t, zip.Deflate, "a/data.pkl", none)},
		{"big-endian", "a/byteorder: the numbers are in big-endian order", zipped(t, zip.Store, "a/data.pkl", none, "a/byteorder", "big")},
		{"another order", `"pdp"`, zipped(t, zip.Store, "a/data.pkl", none, "a/byteorder", "pdp")},
		{"an entry twice", "there twice", zipped(t, zip.Store, "a/data.pkl", none, "a/data.pkl", none)},
		{"no directory", "without a directory", []byte("PK\x03\x04")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := take(t, test.file); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %s", err, test.want)
			}
		})
	}
	if v, err := read(zipped(t, zip.Store, "a/data.pkl", none, "a/byteorder", "little")); v != nil || err != nil {
		t.Errorf("little-endian: %v, %v", v, err)
	}
}

// TestLegacyModule reads a whole model in the form of PyTorch before 1.6. The model's class is stored outside the
// pickle, together with the class's source text.
func TestLegacyModule(t *testing.T) {
	class := tuple(str("module"), "ctorch.nn\nModule\n", str("x.py"), str("class Module: pass")) + "Q"
	v, err := read([]byte(legacyHead + begin + class + ")\x81." + begin + "]."))
	if err != nil || v.(*torchfile.Object).Class != "torch.nn.Module" {
		t.Errorf("%v, %v", v, err)
	}
}

// TestDamagedStorage reads a tensor whose storage has a wrong checksum. Reading must succeed, and converting must
// fail.
func TestDamagedStorage(t *testing.T) {
	b := archive(t, begin+tensor(stored("ByteStorage", 4), num(0), tuple(num(4)), tuple(num(1)))+".", "abcd")
	i := strings.Index(string(b), "abcd")
	b[i]++
	v, err := read(b)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err = v.(*torchfile.Tensor).Int64()
		if err == nil || !strings.Contains(err.Error(), `storage "0": the checksum is wrong`) {
			t.Errorf("error %v", err)
		}
	}
}

// failing is a reader that fails from a given offset on.
type failing struct {
	text string
	at   int64
}

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > f.at {
		return 0, fmt.Errorf("the disk is gone")
	}
	return copy(b, f.text[at:]), nil
}

func TestReaderError(t *testing.T) {
	b := string(readFile(t, "testdata/views_legacy.pt"))
	for _, at := range []int64{0, 600, 3000} {
		v, err := torchfile.Read(failing{b, at}, int64(len(b)))
		if err == nil {
			_, err = tensors(v)
		}
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("at %d: error %v", at, err)
		}
	}
}

// TestWrongArguments calls every supported function with wrong arguments.
func TestWrongArguments(t *testing.T) {
	four := stored("FloatStorage", 4)
	wrong := []string{
		")", tuple("N"), tuple(num(3)), tuple(str("x")), tuple("]"), tuple("]K\x01a"), tuple("]K\x01K\x02K\x03\x87a"), tuple("N", "N"),
		tuple(str("\u0101"), str("latin1")), tuple(tuple(num(-1))), tuple(four), tuple(four, "N", "N", "N"),
		tuple(four, num(0), ")"), tuple(four, num(0), ")", ")", "N", "N", "ctorch\nint64\n"), tuple("N", "N", "N", "N"),
		tuple("cnumpy\nndarray\n"), tuple("cnumpy\ndtype\n"+tuple(str("O8"))+"R", "C\x01x"),
		tuple("cnumpy\ndtype\n"+tuple(str("i4"))+"R", "C\x01x"), tuple("cnumpy\ndtype\n"+tuple(str("c8"))+"R", "C\x08xxxxxxxx"),
	}
	accepted := map[string]int{
		"collections\nOrderedDict": 2, "builtins\nset": 4, "builtins\nbytes": 1, "_codecs\nencode": 0,
		"copyreg\n_reconstructor": 0, "torch\nSize": 0, "torch\ndevice": 1, "torch.nn\nParameter": 0,
		"torch._utils\n_rebuild_tensor_v2": 1, "torch._utils\n_rebuild_tensor_v3": 0,
		"torch._utils\n_rebuild_parameter": 0, "torch._tensor\n_rebuild_from_type": 0,
		"numpy.core.multiarray\n_reconstruct": 1, "numpy.core.multiarray\nscalar": 0,
	}
	for name, want := range accepted {
		got := 0
		for _, args := range wrong {
			if _, err := take(t, archive(t, begin+"c"+name+"\n"+args+"R.", strings.Repeat("\x01", 16))); err == nil {
				got++
			} else if !strings.Contains(err.Error(), strings.Replace(name, "\n", ".", 1)+": ") {
				t.Errorf("%q of %q: error %v", name, args, err)
			}
		}
		if got != want {
			t.Errorf("%q takes %d of the arguments, want %d", name, got, want)
		}
	}
}

// TestLongForm reads a directory with 64-bit lengths. Archives of more than 4 GB have such directories.
func TestLongForm(t *testing.T) {
	pickle := begin + "K\x07."
	b := archive(t, pickle)
	at := strings.Index(string(b), "PK\x01\x02")
	end := strings.Index(string(b), "PK\x05\x06")
	line, tail := []byte(string(b[at:end])), []byte(string(b[end:]))
	le := binary.LittleEndian
	extra := le.AppendUint16(le.AppendUint16([]byte("\x99\x00\x01\x00x"), 1), 24)
	for _, v := range []int{len(pickle), len(pickle), 0} {
		extra = le.AppendUint64(extra, uint64(v))
	}
	for _, i := range []int{20, 24, 42} {
		le.PutUint32(line[i:], 0xffffffff)
	}
	le.PutUint16(line[30:], uint16(len(extra)))
	name := len(line) - 46
	long := func(extra []byte) []byte {
		le.PutUint32(tail[12:], uint32(46+name+len(extra)))
		return []byte(string(b[:at]) + string(line[:46+name]) + string(extra) + string(tail))
	}
	if v, err := take(t, long(extra)); v != int64(7) || err != nil {
		t.Errorf("%v, error %v", v, err)
	}
	extra[len(extra)-1] = 0xff
	if _, err := take(t, long(extra)); err == nil || !strings.Contains(err.Error(), "a length of 64 bits is wrong") {
		t.Errorf("error %v", err)
	}
}
