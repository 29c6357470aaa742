package filekind

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/message"
)

// zipHead returns the start of a zip archive with one entry.
func zipHead(entry string) string {
	return "PK\x03\x04" + strings.Repeat("\x00", 22) + string([]byte{byte(len(entry)), 0}) + "\x00\x00" + entry
}

// header returns the start of a safetensors file with the given JSON header.
func header(text string) string { return string([]byte{byte(len(text)), 0, 0, 0, 0, 0, 0, 0}) + text }

func TestOf(t *testing.T) {
	for _, test := range []struct{ head, want string }{
		{header(`{"__metadata__":{"classes":"[]"}}`), "a model file"},
		{header(`{"__metadata__":{"checkpoint.position":"{}"}}`), "a model file"},
		{header(`{"__metadata__":{"format":"pt"}}`), "safetensors of another program"},
		{header(`{"w":{}}`), "safetensors of another program"},
		{zipHead("archive/data.pkl"), "a file of PyTorch"},
		{"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "a file of PyTorch"},
		{zipHead("x.npy"), "an archive of arrays of NumPy"},
		{zipHead("xl/workbook.xml"), "a spreadsheet"},
		{zipHead("readme.txt"), "a zip archive"},
		{"\x80\x04\x95", "a pickle of Python"},
		{"\x93NUMPY\x01\x00", "an array of NumPy"},
		{"\x00\x00\x08\x03\x00\x00", "an IDX file of samples or labels"},
		{"\x00\x00\x0d\x01\x00\x00", "an IDX file of samples or labels"},
		{"\x1f\x8b\x08", "a file of gzip"},
		{"BZh91AY&SY", "a compressed file"},
		{"\x28\xb5\x2f\xfd\x00", "a compressed file"},
		{strings.Repeat("\x00", 257) + "ustar\x0000", "a tar archive"},
		{"\x89HDF\r\n\x1a\n", "a file of HDF5"},
		{"\x1c\x00\x00\x00TFL3\x00", "a network of TensorFlow Lite"},
		{"PAR1\x15\x04", "a file of Parquet"},
		{"ARROW1\x00\x00\xff\xff\xff\xff", "a file of Feather"},
		{"FEA1\x00\x00\x00\x00", "a file of Feather"},
		{"MATLAB 5.0 MAT-file, Platform: GLNXA64" + strings.Repeat(" ", 86) + "\x00\x01IM", "a file of MATLAB"},
		{"MATLAB 7.3 MAT-file, Platform: GLNXA64" + strings.Repeat(" ", 86) + "\x00\x02IM", "a file of MATLAB"},
		{"SQLite format 3\x00\x10\x00", "a database of SQLite"},
		{"RDX3\nX\n\x00\x00\x00\x03", "a workspace of R"},
		{"\x89PNG\r\n\x1a\n", "an image"},
		{"\xff\xd8\xff\xe0", "an image"},
		{"%PDF-1.4", "a document in PDF"},
		{"\x7fELF\x02", "a program or library"},
		{"\x08\x07\x12\x07pytorch", "a network in ONNX"},
		{"\x08\x0a:\x10\x0a", "a network in ONNX"},
		{"aig 3 2 0 1 1\n6\n\x02\x02", "a circuit in AIGER"},
		{"aag 3 2 0 1 1\n", "a circuit in AIGER"},
		{"# made by yosys\n\n.model m\n", "a circuit in BLIF"},
		{".inputs a b\n", "a circuit in BLIF"},
		{"{\"n_inputs\": 3, \"gates\": []}", "a circuit of torchlogix"},
		{"{\n  \"creator\": \"Yosys 0.23\"", "a netlist of yosys in JSON"},
		{"{\n  \"format\": 1,\n  \"ialgn\": \"1\"", "a file of a folder that compile made"},
		{"[1, 2]\n", "a text in JSON"},
		{"<!doctype HTML>\n", "a page of the web"},
		{"`timescale 1ns/1ps\nmodule x;\n", "Verilog"},
		{"// x\nmodule net (a, b);\n", "Verilog"},
		{"-- x\nLIBRARY ieee;\n", "VHDL"},
		{"#include <stddef.h>\n", "C"},
		{"# mine\nname: x\ndata: {set: digits}\n", "a configuration"},
		{"a,b\n1,2\n", "a table"},
		{"a;b\n1;2\n", "a table"},
		{"PAR1,PAR2\n1,2\n", "a table"},
		{"ARROW1,b\n1,2\n", "a table"},
		{"MATLAB 5.0,b\n1,2\n", "a table"},
		{"SQLite format 3,b\n1,2\n", "a table"},
		{"aig x,b\n1,2\n", "a table"},
		{".model,b\nx,2\n", "a table"},
		{"{a},b\n1,2\n", "a table"},
		{"caf\u00e9\n", "a text"},
		{"", ""},
		{"\x01\x02\x03\x04", ""},
	} {
		name := ""
		if k := Of([]byte(test.head)); k != nil {
			name = k.Name
		}
		if name != test.want {
			t.Errorf("%.40q is %q, want %q", test.head, name, test.want)
		}
	}
}

// TestCutCharacter reads a text that ends in the middle of a character.
func TestCutCharacter(t *testing.T) {
	text := []byte("a,b\n\u00e9,\u20ac")
	for n := 7; n <= len(text); n++ {
		if k := Of(text[:n]); k == nil || k.Name != "a table" {
			t.Errorf("%q is %v", text[:n], k)
		}
	}
}

func TestExplainFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.v")
	if err := os.WriteFile(path, []byte("module m;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := ExplainFile(path, "a model file")
	if err == nil || err.Error() != path+": is Verilog, not a model file" {
		t.Errorf("error %v", err)
	}
	if h := message.Hint(err); !strings.Contains(h, "read_verilog "+path+";") || !strings.Contains(h, strings.TrimSuffix(path, ".v")+".blif") {
		t.Errorf("hint %s", h)
	}
	for _, other := range []string{path + "x", filepath.Dir(path)} {
		if err := ExplainFile(other, "a model file"); err != nil {
			t.Errorf("error %v", err)
		}
	}
}

// TestExplainWhatIsWanted checks that there is no error about files of a wanted kind, or of a kind that may be it.
func TestExplainWhatIsWanted(t *testing.T) {
	for _, err := range []error{
		Explain("x", []byte("a,b\n"), "a table"), Explain("x", []byte("a,b\n"), "a configuration", "a text", "a table"),
		ExplainData("x", []byte("module m;\n")), ExplainData("x", []byte("\x93NUMPY")), Explain("x", nil, "a table"),
	} {
		if err != nil {
			t.Errorf("error %v", err)
		}
	}
	if err := ExplainData("x", []byte("\x7fELF")); err == nil || message.Hint(err) == "" {
		t.Errorf("error %v, hint %q", err, message.Hint(err))
	}
	if len(Head(bytes.NewReader(make([]byte, HeadBytes+1)))) != HeadBytes || len(Head(strings.NewReader("ab"))) != 2 {
		t.Error("Head returns the wrong number of bytes")
	}
}
