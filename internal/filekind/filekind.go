// Package filekind recognises the kind of a file by the file's first bytes. If a command cannot read the file, an
// error can then name a command that can.
package filekind

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ialgn/internal/message"
)

// HeadBytes is the number of bytes at the beginning of a file that are inspected.
const HeadBytes = 1 << 16

// Safetensors is the name of the kind of safetensors files that other programs wrote. A damaged model file may also
// be recognised as this kind.
const Safetensors = "safetensors of another program"

// Kind is a kind of file.
type Kind struct {
	Name string // name with an article, such as "a model file"
	use  string // advice for a file, in which FILE is the path and NAME is the path without its ending
	is   func(head []byte) bool
}

// These constants are advice for several kinds of files.
const (
	imported = "`ialgn import FILE -o NAME.safetensors` makes a model of it"
	ofTorch  = imported + "; a tensor of samples is saved by numpy.save(\"NAME.npy\", x.numpy())"
	table    = "it holds samples: `ialgn init FILE` writes a configuration to train a model, and " +
		"`ialgn predict MODEL FILE` classifies them"
	unpack   = "unpack it, and name the file in it"
	fromHDL  = "write its gates as BLIF, by yosys -p '%s FILE; synth -flatten; write_blif NAME.blif', and import that"
	noReader = "networks come from difflogic, torchlogix, DWN, QONNX, BLIF and AIGER: docs/guides/frameworks.md"
)

// legacyTorch is the beginning of files of PyTorch before 1.6: a pickled number.
const legacyTorch = "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."

// kinds lists all kinds. A file has the first kind in the list that matches it.
var kinds = []Kind{
	{"a model file", "`ialgn compile FILE -o NAME` makes a folder from it", IsModel},
	{Safetensors, "save its tensors as torch.save does, by " +
		"torch.save(safetensors.torch.load_file(\"FILE\"), \"NAME.pt\"), and import that", isSafetensors},
	{"a PyTorch file", ofTorch, func(h []byte) bool {
		return strings.HasSuffix(zipped(h), "data.pkl") || bytes.HasPrefix(h, []byte(legacyTorch))
	}},
	{"an archive of NumPy arrays", table, func(h []byte) bool { return strings.HasSuffix(zipped(h), ".npy") }},
	{"a spreadsheet", "save the table as CSV", func(h []byte) bool {
		name := zipped(h)
		return strings.HasPrefix(name, "[Content_Types]") || strings.HasPrefix(name, "xl/") || name == "mimetype" ||
			bytes.HasPrefix(h, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
	}},
	{"a zip archive", unpack, func(h []byte) bool { return zipped(h) != "" }},
	{"a Python pickle", "load it in Python, if you trust it, and save the state_dict() of the model by torch.save, " +
		"or the samples by numpy.save", func(h []byte) bool { return len(h) > 2 && h[0] == 0x80 && h[1] >= 2 && h[1] <= 5 }},
	{"a NumPy array", table, starting("\x93NUMPY")},
	{
		"an IDX file of samples or labels", "`ialgn init FILE --labels LABELS` writes a configuration to train a model",
		func(h []byte) bool {
			return len(h) > 3 && h[0] == 0 && h[1] == 0 && h[2] >= 8 && h[2] <= 14 && h[3] >= 1 && h[3] <= 4
		},
	},
	{"a gzip file", "unpack it with gunzip -c FILE > NAME, and name the unpacked file", starting("\x1f\x8b")},
	{"a compressed file", unpack, starting("BZh91AY&SY", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "7z\xbc\xaf")},
	{"a tar archive", unpack, func(h []byte) bool { return len(h) > 262 && string(h[257:262]) == "ustar" }},
	{
		"an HDF5 file", "write its table as CSV, or its arrays by numpy.save; " + noReader,
		starting("\x89HDF\r\n\x1a\n"),
	},
	{"a TensorFlow Lite network", noReader, func(h []byte) bool { return len(h) > 8 && string(h[4:8]) == "TFL3" }},
	{
		"a Parquet file", "save the table as CSV, by pandas.read_parquet(\"FILE\").to_csv(\"NAME.csv\", index=False)",
		starting("PAR1\x15"),
	},
	{
		"a Feather file", "save the table as CSV, by pandas.read_feather(\"FILE\").to_csv(\"NAME.csv\", index=False)",
		starting("ARROW1\x00\x00", "FEA1"),
	},
	{
		"a MATLAB file", "write its table as CSV by writetable(x, \"NAME.csv\"), or its arrays by numpy.save",
		starting("MATLAB 5.0 MAT-file", "MATLAB 7.3 MAT-file"),
	},
	{
		"an SQLite database", "write a table as CSV, by sqlite3 -csv -header FILE 'select * from TABLE' > NAME.csv",
		starting("SQLite format 3\x00"),
	},
	{
		"an R workspace", "write its table as CSV, by write.csv(x, \"NAME.csv\", row.names = FALSE)",
		starting("RDX2\n", "RDX3\n"),
	},
	{
		"an image", "samples come from tables, arrays and the data sets of `ialgn data list`",
		starting("\x89PNG", "\xff\xd8\xff", "GIF87a", "GIF89a"),
	},
	{"a PDF document", "", starting("%PDF-")},
	{"a program or library", "", starting("\x7fELF", "MZ\x90\x00", "!<arch>\n", "\xcf\xfa\xed\xfe")},
	{"an ONNX network", imported, isONNX},
	{"an AIGER circuit", imported, regexp.MustCompile(`^a[ai]g \d+ \d+ \d+ \d+ \d+`).Match},
	{"a BLIF circuit", imported, isBLIF},
	{"a torchlogix circuit", imported, func(h []byte) bool {
		return isJSON(h) && containsAny(h, `"n_inputs"`, `"sum_nodes"`, `"gate_id"`)
	}},
	{"a netlist of yosys in JSON", "write its gates as BLIF, by yosys -p 'read_json FILE; flatten; simplemap; " +
		"write_blif NAME.blif', and import that", func(h []byte) bool {
		return isJSON(h) && containsAny(h, `"creator": "Yosys`, `"modules":`)
	}},
	{"a file in a folder made by compile", "name the folder, or the model that it was made from", func(h []byte) bool {
		return isJSON(h) && containsAny(h, `"model_sha256"`, `"ialgn":`)
	}},
	{"a text in JSON", "", isJSON},
	{"a web page", "download the file again: a server sent a web page instead", func(h []byte) bool {
		return matching(`(?i)^\s*<(!doctype html|html)`)(h)
	}},
	{"Verilog", fmt.Sprintf(fromHDL, "read_verilog"), matching("(?m)^\\s*(module\\s+\\S|`(timescale|default_nettype|include|define)\\b)")},
	{
		"VHDL", "a netlist in BLIF is read: docs/guides/frameworks.md",
		matching(`(?mi)^\s*(library\s+\w+\s*;|entity\s+\w+\s+is\b)`),
	},
	{
		"C", "the wires of a network of difflogic are read from it: `ialgn import STATE.pt --wiring FILE`",
		matching(`(?m)^\s*(#include\s*[<"]|void\s+\w+\s*\()`),
	},
	{"a configuration", "`ialgn train FILE` trains a model", matching(`(?m)^(name|data|encoder|model|train):`)},
	{"a table", table, isTable},
	{"a text", "", isText},
}

// Of returns the kind of a file with the given first bytes, or nil if the kind is unknown.
func Of(head []byte) *Kind {
	for i := range kinds {
		if kinds[i].is(head) {
			return &kinds[i]
		}
	}
	return nil
}

// Explain returns an error which says that a file with the given first bytes is not of the kind that a command wants.
// A hint in the error says what to do with the file. It returns nil if the file's kind is unknown, is the wanted
// kind, or is one of the kinds in perhaps.
func Explain(path string, head []byte, want string, perhaps ...string) error {
	k := Of(head)
	if k == nil || k.Name == want || slices.Contains(perhaps, k.Name) {
		return nil
	}
	err := fmt.Errorf("%s: is %s, not %s", path, k.Name, want)
	if k.use == "" {
		return message.WithHint(err, "name %s", want)
	}
	return k.hinted(err, path)
}

// hinted adds to an error the advice for a file of the kind.
func (k *Kind) hinted(err error, path string) error {
	if k.use == "" {
		return err
	}
	name := strings.TrimSuffix(path, filepath.Ext(path))
	return message.WithHint(err, "%s", strings.NewReplacer("FILE", path, "NAME", name).Replace(k.use))
}

// ExplainImport returns an error which says that a file with the given first bytes is of a kind that import cannot
// read. It returns nil if the file's kind is unknown. The caller puts the path in front.
func ExplainImport(path string, head []byte) error {
	k := Of(head)
	if k == nil {
		return nil
	}
	return k.hinted(message.WithHint(fmt.Errorf("is %s, which import cannot read", k.Name), noReader), path)
}

// WithUse adds advice for a file to an error, if the kind of the file is known.
func WithUse(err error, path string, head []byte) error {
	if k := Of(head); k != nil {
		return k.hinted(err, path)
	}
	return err
}

// ExplainData is [Explain] for a file that should hold samples. It returns nil for arrays and for text files, because
// a text file may be a table in any form.
func ExplainData(path string, head []byte) error {
	if k := Of(head); k == nil || isText(head) || k.use == table {
		return nil
	}
	return Explain(path, head, "a table or an array of samples")
}

// ExplainFile is [Explain] for the file at a path. It returns nil if the file is not a regular file or cannot be
// read.
func ExplainFile(path, want string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return Explain(path, Head(f), want)
}

// Head returns the first bytes of a file, at most [HeadBytes].
func Head(r io.ReaderAt) []byte {
	head := make([]byte, HeadBytes)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return head[:n]
}

func starting(with ...string) func(head []byte) bool {
	return func(head []byte) bool {
		for _, w := range with {
			if bytes.HasPrefix(head, []byte(w)) {
				return true
			}
		}
		return false
	}
}

// matching returns a function that reports whether a file is text and matches a regular expression.
func matching(expression string) func(head []byte) bool {
	e := regexp.MustCompile(expression)
	return func(head []byte) bool { return isText(head) && e.Match(head) }
}

func containsAny(head []byte, words ...string) bool {
	for _, w := range words {
		if bytes.Contains(head, []byte(w)) {
			return true
		}
	}
	return false
}

// zipped returns the name of the first entry of a zip archive, or "" for any other file.
func zipped(head []byte) string {
	const fixed = 30
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) < fixed {
		return ""
	}
	length := int(head[26]) | int(head[27])<<8
	return string(head[fixed:min(fixed+length, len(head))])
}

// modelHead matches the beginning of the metadata of a model file or a checkpoint.
var modelHead = regexp.MustCompile(`^\{"__metadata__":\{"(checkpoint\.[^"]*|classes)":"`)

// IsModel reports whether a file begins like a model file or a checkpoint of training.
func IsModel(head []byte) bool {
	return isSafetensors(head) && modelHead.Match(head[8:])
}

// isSafetensors reports whether a file begins with the length of a header, followed by a header in JSON.
func isSafetensors(head []byte) bool {
	return len(head) > 9 && head[6] == 0 && head[7] == 0 && head[8] == '{' && strings.ContainsRune("\"} ", rune(head[9]))
}

// isONNX reports whether a file begins like an ONNX file, which begins with the version of the format and one of the
// fields that may follow the version.
func isONNX(head []byte) bool {
	return len(head) > 2 && head[0] == 0x08 && head[1] >= 1 && head[1] <= 32 &&
		bytes.IndexByte([]byte{0x12, 0x1a, 0x22, 0x2a, 0x32, 0x3a, 0x42, 0x72}, head[2]) >= 0
}

// isBLIF reports whether the first line that is not a comment begins with a BLIF command.
func isBLIF(head []byte) bool {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' {
			return matching(`^\.(model|inputs|outputs|names|search|exdc|clock|latch|subckt|gate|end)(\s|$)`)(line)
		}
	}
	return false
}

func isJSON(head []byte) bool {
	return isText(head) && matching(`^\s*(\{\s*("|\}|$)|\[\s*[\[{"0-9\]-])`)(head)
}

// isTable reports whether the first lines of a text contain a separator, the same number of times in each line.
func isTable(head []byte) bool {
	if !isText(head) {
		return false
	}
	lines := bytes.Split(bytes.TrimSpace(head), []byte{'\n'})
	for _, separator := range []string{",", ";", "\t", "|"} {
		n := bytes.Count(lines[0], []byte(separator))
		if n > 0 && (len(lines) == 1 || bytes.Count(lines[1], []byte(separator)) == n) {
			return true
		}
	}
	return false
}

// isText reports whether the bytes are text, which is UTF-8 without control characters. The last character may be
// incomplete.
func isText(head []byte) bool {
	for cut := 0; cut < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); cut++ {
		head = head[:len(head)-1]
	}
	return len(head) > 0 && utf8.Valid(head) && bytes.IndexFunc(head, func(r rune) bool {
		return (r < ' ' || r == 0x7f) && !strings.ContainsRune("\t\n\r\f", r)
	}) < 0
}
