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
		{zipHead("archive/data.pkl"), "a PyTorch file"},
		{"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "a PyTorch file"},
		{zipHead("x.npy"), "an archive of NumPy arrays"},
		{zipHead("xl/workbook.xml"), "a spreadsheet"},
		{zipHead("readme.txt"), "a zip archive"},
		{"\x80\x04\x95", "a Python pickle"},
		{"\x93NUMPY\x01\x00", "a NumPy array"},
		{"\x00\x00\x08\x03\x00\x00", "an IDX file of samples or labels"},
		{"\x00\x00\x0d\x01\x00\x00", "an IDX file of samples or labels"},
		{"\x1f\x8b\x08", "a gzip file"},
		{"BZh91AY&SY", "a compressed file"},
		{"\x28\xb5\x2f\xfd\x00", "a compressed file"},
		{strings.Repeat("\x00", 257) + "ustar\x0000", "a tar archive"},
		{"\x89HDF\r\n\x1a\n", "an HDF5 file"},
		{"\x1c\x00\x00\x00TFL3\x00", "a TensorFlow Lite network"},
		{"PAR1\x15\x04", "a Parquet file"},
		{"ARROW1\x00\x00\xff\xff\xff\xff", "a Feather file"},
		{"FEA1\x00\x00\x00\x00", "a Feather file"},
		{"MATLAB 5.0 MAT-file, Platform: GLNXA64" + strings.Repeat(" ", 86) + "\x00\x01IM", "a MATLAB file"},
		{"MATLAB 7.3 MAT-file, Platform: GLNXA64" + strings.Repeat(" ", 86) + "\x00\x02IM", "a MATLAB file"},
		{"SQLite format 3\x00\x10\x00", "an SQLite database"},
		{"RDX3\nX\n\x00\x00\x00\x03", "an R workspace"},
		{"\x89PNG\r\n\x1a\n", "an image"},
		{"\xff\xd8\xff\xe0", "an image"},
		{"%PDF-1.4", "a PDF document"},
		{"\x7fELF\x02", "a program or library"},
		{"\x08\x07\x12\x07pytorch", "an ONNX network"},
		{"\x08\x0a:\x10\x0a", "an ONNX network"},
		{"aig 3 2 0 1 1\n6\n\x02\x02", "an AIGER circuit"},
		{"aag 3 2 0 1 1\n", "an AIGER circuit"},
		{"# made by yosys\n\n.model m\n", "a BLIF circuit"},
		{".inputs a b\n", "a BLIF circuit"},
		{"{\"n_inputs\": 3, \"gates\": []}", "a torchlogix circuit"},
		{"{\n  \"creator\": \"Yosys 0.23\"", "a netlist of yosys in JSON"},
		{"{\n  \"format\": 1,\n  \"ialgn\": \"1\"", "a file in a folder made by compile"},
		{"[1, 2]\n", "a text in JSON"},
		{"<!doctype HTML>\n", "a web page"},
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

// TestExplainWhatIsWanted checks that there is no error for files of the wanted kind or of one of the kinds in
// perhaps.
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
