package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"

	"ialgn/internal/interchange/torchfile/torchtest"
)

// These are contents of files. The tests pass such a file to a command that needs another kind of file.
const (
	verilogText = "// a netlist\nmodule net(input a, output b);\n  assign b = a;\nendmodule\n"
	blifText    = ".model m\n.inputs a\n.outputs y\n.names a y\n1 1\n.end\n"
	onnxBytes   = "\x08\x07\x12\x07pytorch\x1a\x041.13:\x02\n\x00"
	legacyBytes = "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}."
	arrayHead   = "\x93NUMPY\x01\x00v\x00{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
	otherTensor = "\x3a\x00\x00\x00\x00\x00\x00\x00" + `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}    ` + "\x00\x00\x00\x00"
)

// torch writes a PyTorch file.
func torch(name string) func(*bench) {
	return func(b *bench) {
		writeFile(b.t, name, string(torchtest.Archive(b.t, torchtest.Dict{"epoch", 3})))
	}
}

// zipped writes a zip archive with one entry.
func zipped(name, entry string) func(*bench) {
	return func(b *bench) {
		var archive bytes.Buffer
		z := zip.NewWriter(&archive)
		if _, err := z.Create(entry); err != nil {
			b.t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			b.t.Fatal(err)
		}
		writeFile(b.t, name, archive.String())
	}
}

// gzipped writes a text compressed with gzip.
func gzipped(name, text string) func(*bench) {
	return func(b *bench) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write([]byte(text)); err != nil {
			b.t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			b.t.Fatal(err)
		}
		writeFile(b.t, name, packed.String())
	}
}

// npy writes a NumPy array whose elements are all zero. The parameter code is the element type in NumPy's notation,
// and size is the number of data bytes.
func npy(name, code, shape string, size int) func(*bench) {
	head := fmt.Sprintf(arrayHead, code, shape)
	return wrote(name, head+strings.Repeat(" ", 127-len(head))+"\n"+strings.Repeat("\x00", size))
}

// labels makes a data set of four samples whose labels have the given element type.
func labels(code, shape string, size int) func(*bench) {
	return func(b *bench) {
		npy("x.npy", "|u1", "4, 2", 8)(b)
		npy("y.npy", code, shape, size)(b)
	}
}

// features makes a data set of four samples whose features have the given element type.
func features(code string, size int) func(*bench) {
	return func(b *bench) {
		npy("x.npy", code, "4, 2", size)(b)
		npy("y.npy", "|u1", "4,", 4)(b)
		change("y.npy", func(s string) string { return s[:len(s)-1] + "\x01" })(b)
	}
}

// badKinds lists cases in which a command gets a file of the wrong kind. The message says what the file is, and the
// hint names the command that takes it.
var badKinds = []badInput{
	{"a PyTorch file to predict", torch("x.pt"), "predict x.pt new.csv", "x.pt: is a PyTorch file, not a model file", "ialgn import x.pt -o x.safetensors", false},
	{"a PyTorch file to compile", torch("x.pt"), "compile x.pt -o out", "is a PyTorch file", "ialgn import x.pt", false},
	{"a PyTorch file's older form to eval", wrote("x.pt", legacyBytes), "eval x.pt", "is a PyTorch file", "ialgn import x.pt", false},
	{"a PyTorch file to classify", torch("x.pt"), "predict m.st x.pt", "x.pt: is a PyTorch file, not a table", "numpy.save", false},
	{"a PyTorch file to train", torch("x.pt"), "train x.pt", "x.pt: is a PyTorch file, not a configuration", "ialgn import x.pt", false},
	{"a PyTorch file to init", torch("x.pt"), "init x.pt -o x.yaml", "x.pt: is a PyTorch file", "numpy.save", false},
	{"a PyTorch file as folder", torch("x.pt"), "verify m.st x.pt", "x.pt: is a PyTorch file, not a folder that compile made", "ialgn import x.pt", false},
	{"a pickle to compile", wrote("x.pkl", "\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00N."), "compile x.pkl -o out", "is a Python pickle", "state_dict()", false},
	{"a pickle to import", wrote("x.pkl", "\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00N."), "import x.pkl -o x.st", "is a Python pickle", "state_dict()", false},
	{"ONNX to analyze", wrote("x.onnx", onnxBytes), "analyze x.onnx", "is an ONNX network, not a model file", "ialgn import x.onnx", false},
	{"BLIF to explain", wrote("x.blif", blifText), "explain x.blif", "is a BLIF circuit, not a model file", "ialgn import x.blif", false},
	{"BLIF with a long head to sim", wrote("x.blif", strings.Repeat("# a comment\n", 3000)+blifText), "sim x.blif", "is a BLIF circuit", "ialgn import x.blif", false},
	{"AIGER to export", wrote("x.aag", "aag 1 1 0 1 0\n2\n2\n"), "export x.aag --to torchlogix-json -o x.json", "is an AIGER circuit", "ialgn import x.aag", false},
	{"a torchlogix circuit to eval", nil, "eval net.json", "is a torchlogix circuit, not a model file", "ialgn import net.json", false},
	{"a table to predict", nil, "predict table.csv m.st", "table.csv: is a table, not a model file", "ialgn predict MODEL table.csv", false},
	{"a table to train", nil, "train table.csv", "table.csv:1:1", "ialgn init TABLE.csv", false},
	{"a table to import", nil, "import table.csv -o x.st", "is a table, which import cannot read", "ialgn init table.csv", false},
	{"a table as folder", nil, "report table.csv", "is a table, not a folder that compile made", "ialgn init table.csv", false},
	{"Verilog to eval", wrote("x.v", verilogText), "eval x.v", "is Verilog, not a model file", "write_blif x.blif", false},
	{"Verilog to import", wrote("x.v", verilogText), "import x.v -o x.st", "is Verilog, which import cannot read", "write_blif x.blif", false},
	{"Verilog to train", wrote("x.v", verilogText), "train x.v", "is Verilog, not a configuration", "write_blif x.blif", false},
	{"VHDL to import", wrote("x.vhd", "library ieee;\nentity x is\nend;\n"), "import x.vhd -o x.st", "is VHDL", "BLIF", false},
	{"JSON to verify", wrote("x.json", "{\"a\": 1}\n"), "verify x.json raw", "is a text in JSON, not a model file", "name a model file", false},
	{"a netlist of yosys to import", wrote("x.json", "{\n  \"creator\": \"Yosys 0.23\",\n  \"modules\": {}\n}\n"), "import x.json -o x.st", "is a netlist of yosys", "write_blif x.blif", false},
	{"a manifest to eval", nil, "eval raw/manifest.json", "is a file in a folder made by compile", "name the folder", false},
	{"a configuration to verify", nil, "verify small.yaml raw", "is a configuration, not a model file", "ialgn train small.yaml", false},
	{"a configuration to import", nil, "import small.yaml -o x.st", "is a configuration, which import cannot read", "ialgn train small.yaml", false},
	{"a folder of compile to predict", nil, "predict raw new.csv", "raw: a folder made by compile", "the model that it was compiled from", false},
	{"a model as folder", nil, "verify m.st m.st", "m.st: is a model file, not a folder that compile made", "ialgn compile m.st", false},
	{"a model to classify", nil, "predict m.st m.st", "m.st: is a model file, not a table", "ialgn compile m.st", false},
	{"a table under gzip to compile", gzipped("t.csv.gz", "a,b\n1,2\n"), "compile t.csv.gz -o out", "is a gzip file, not a model file", "gunzip -c t.csv.gz > t.csv", false},
	{"a circuit under gzip to eval", gzipped("x.aig.gz", "aag 1 1 0 1 0\n2\n2\n"), "eval x.aig.gz", "is a gzip file", "gunzip", false},
	{"safetensors of another program to eval", wrote("x.safetensors", otherTensor), "eval x.safetensors", "this is no model of ialgn", `torch.load_file("x.safetensors")`, false},
	{"safetensors of another program to start from", wrote("x.safetensors", otherTensor), "train small.yaml -o x.st --init x.safetensors", "this is no model of ialgn", "torch.save", false},
	{"safetensors of another program to import", wrote("x.safetensors", otherTensor), "import x.safetensors -o x.st", "is safetensors of another program", `"x.pt"`, false},
	{"an archive of arrays to compile", zipped("x.npz", "a.npy"), "compile x.npz -o out", "is an archive of NumPy arrays", "ialgn init x.npz", false},
	{"an archive of arrays to import", zipped("x.npz", "a.npy"), "import x.npz -o x.st", "x.npz: is an archive of NumPy arrays, which import cannot read", "ialgn init x.npz", false},
	{"a spreadsheet to eval", zipped("x.xlsx", "[Content_Types].xml"), "eval x.xlsx", "is a spreadsheet", "CSV", false},
	{"an array to eval", npy("x.npy", "<f4", "2, 2", 16), "eval x.npy", "is a NumPy array, not a model file", "ialgn init x.npy", false},
	{"Keras to import", wrote("x.h5", "\x89HDF\r\n\x1a\n\x00"), "import x.h5 -o x.st", "is an HDF5 file", "difflogic, torchlogix, DWN", false},
	{"Parquet to init", wrote("x.parquet", "PAR1\x15\x04\x15\x00"), "init x.parquet -o x.yaml", "is a Parquet file", "to_csv", false},
	{"a script to import", wrote("x.py", "import torch\n"), "import x.py -o x.st", "is a text, which import cannot read", "difflogic, torchlogix, DWN", false},
	{"HDF5 to init", wrote("x.h5", "\x89HDF\r\n\x1a\n\x00"), "init x.h5 -o x.yaml", "is an HDF5 file", "numpy.save", false},
	{"Feather to predict", wrote("x.feather", "ARROW1\x00\x00\xff\xff"), "predict m.st x.feather", "is a Feather file", "read_feather", false},
	{"MATLAB to init", wrote("x.mat", "MATLAB 5.0 MAT-file\x00\x01IM"), "init x.mat -o x.yaml", "is a MATLAB file", "writetable", false},
	{"SQLite to init", wrote("x.db", "SQLite format 3\x00\x10\x00"), "init x.db -o x.yaml", "is an SQLite database", "sqlite3 -csv", false},
	{"R to train", wrote("x.RData", "RDX3\nX\n\x00\x00\x00\x03"), "train x.RData", "is an R workspace, not a configuration", "write.csv", false},
	{"a web page to eval", wrote("x.st", "<!DOCTYPE html>\n<html>404</html>\n"), "eval x.st", "is a web page", "download the file again", false},
	{"a text to compile", wrote("x.st", "hello\nworld\n"), "compile x.st -o out", "is a text, not a model file", "name a model file", false},

	{"labels of text", labels("<U3", "4,", 48), "init x.npy --labels y.npy -o x.yaml", "y.npy: header: elements of type U3", "numpy.unique(y, return_inverse=True)[1]", false},
	{"labels of bytes", labels("|S3", "4,", 12), "init x.npy --labels y.npy -o x.yaml", "y.npy: header: elements of type S3", "numpy.unique(y", false},
	{"labels that are objects", labels("|O", "4,", 32), "init x.npy --labels y.npy -o x.yaml", "y.npy: header: elements of type O", "numpy.unique(y", false},
	{"labels of float16", labels("<f2", "4,", 8), "init x.npy --labels y.npy -o x.yaml", "y.npy: header: elements of type f2", "y.astype('int64')", false},
	{"one-hot labels", labels("|u1", "4, 3", 12), "init x.npy --labels y.npy -o x.yaml", "y.npy: header: 3 numbers per sample", "y.argmax(1)", false},
	{"features of text", features("<U2", 64), "init x.npy --labels y.npy -o x.yaml", "x.npy: header: elements of type U2", "CSV", false},
	{"features of complex numbers", features("<c8", 64), "init x.npy --labels y.npy -o x.yaml", "x.npy: header: elements of type c8", "x.real", false},
	{"features that are objects", features("|O", 64), "init x.npy --labels y.npy -o x.yaml", "x.npy: header: elements of type O", "x.tolist()", false},
	{"times", features("<M8", 64), "init x.npy --labels y.npy -o x.yaml", "x.npy: header: elements of type M8", "astype('int64')", false},
	{"IDX of an unknown type", wrote("new.idx", "\x00\x00\x0a\x01\x00\x00\x00\x04abcd"), "predict m.st new.idx", "00 00 0a 01 does not begin an IDX file", "download it again", false},

	{"no form to export", nil, "export m.st -o x.json", "export: no format is given", "--to: torchlogix-json", false},
	{"a form of compile to export", nil, "export m.st --to verilog -o x.v", "export: format \"verilog\" is unknown", "ialgn compile m.st --emit", false},
	{"a table for thresholds", torch("x.pt"), "import x.pt -o x.st --thresholds table.csv", "table.csv: neither a NumPy array", "one row per feature", false},
	{"a PyTorch file for thresholds", torch("x.pt"), "import x.pt -o x.st --thresholds x.pt", "is a PyTorch file, not", "save the thresholds with numpy.save", false},
	{"no folder for temporary files", noTemporaries, "verify m.st raw", "/nope, the folder for temporary files that TMPDIR names", "TMPDIR", false},
}

// noTemporaries sets TMPDIR to a folder that does not exist.
func noTemporaries(b *bench) {
	before := os.Getenv("TMPDIR")
	if err := os.Setenv("TMPDIR", "/nope"); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { os.Setenv("TMPDIR", before) })
}
