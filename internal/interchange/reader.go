// This file has the table of formats in which networks of other frameworks are read. Each format has a row in this
// table.

package interchange

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/filekind"
	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/difflogic"
	"ialgn/internal/interchange/dwn"
	"ialgn/internal/interchange/gates"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/qonnx"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/interchange/torchlogix"
	"ialgn/internal/message"
)

// format is a format of networks.
type format struct {
	name string // the name that users give
	what string
	// begins reports whether a file has this format, judged by its first bytes. It is nil for PyTorch files.
	begins func(head []byte) bool
	read   func(src *given.Source) (*graph.Network, error)

	// recognise reports whether a PyTorch file has this format, judged by the value in it.
	recognise func(value any) bool
	readValue func(src *given.Source, value any) (*graph.Network, error)

	// The following fields say which additional data of the user the format uses.
	wiring     bool     // a file of wires
	thresholds bool     // the thresholds of a thermometer in front of the network
	frameworks []string // names of frameworks in facts that fit this format, in lower case; nil means any framework
}

// formats is the table of all formats.
var formats = []format{
	{
		name: "difflogic", what: "a module or state dict", recognise: difflogic.Recognise, readValue: difflogic.Read,
		wiring: true, thresholds: true, frameworks: []string{"difflogic"},
	},
	{
		name: "torchlogix", what: "a module or state dict", recognise: torchlogix.Recognise, readValue: torchlogix.Read,
		thresholds: true, frameworks: []string{"torchlogix"},
	},
	{
		name: "dwn", what: "a module or state dict of torch_dwn", recognise: dwn.Recognise, readValue: dwn.Read,
		thresholds: true, frameworks: []string{"dwn", "torch_dwn"},
	},
	{
		name: "circuit-json", what: "torchlogix's Circuit", begins: torchlogix.RecogniseCircuit, read: torchlogix.ReadCircuit,
		thresholds: true, frameworks: []string{"torchlogix", "circuit-json"},
	},
	{name: "aiger", what: "a circuit of AND gates", begins: isAIGER, read: gates.ReadAIGER, thresholds: true},
	{name: "blif", what: "a circuit of tables", begins: isBLIF, read: gates.ReadBLIF, thresholds: true},
	{name: "qonnx", what: "LookupTable and LookupTableConv", begins: isONNX, read: qonnx.Read},
}

// ReaderNames returns the names of all formats.
func ReaderNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// headBytes is the number of bytes that are examined at the beginning of a file.
const headBytes = filekind.HeadBytes

// Read reads a network. The argument from is the name of the format. If it is empty, Read determines the format from
// the file.
func Read(src *given.Source, from string) (*graph.Network, error) {
	src, head, err := beginning(src)
	if err != nil {
		return nil, err
	}
	f, value, err := find(src, from, head)
	if err != nil {
		return nil, err
	}
	if err := f.used(src); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	var network *graph.Network
	if f.readValue != nil {
		network, err = f.readValue(src, value)
	} else {
		network, err = f.read(src)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, f.asked(err))
	}
	network.Format = f.name
	if left := torchfile.Unread(value); left != nil {
		network.Found("passed over", named(left), "the file itself; no code in it was run")
	}
	return network, nil
}

// named lists the first five names and the number of the other names.
func named(names []string) string {
	const most = 5
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// byteOrderMark begins a text that some Windows editors saved.
const byteOrderMark = "\ufeff"

// beginning returns the file and its first bytes after comment lines. The returned file is unzipped and has no byte
// order mark.
func beginning(src *given.Source) (*given.Source, []byte, error) {
	head, err := readHead(src, 0)
	if err == nil && bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		if src, err = unpacked(src); err == nil {
			head, err = readHead(src, 0)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if rest, marked := bytes.CutPrefix(head, []byte(byteOrderMark)); marked {
		plain := *src
		plain.Size -= int64(len(byteOrderMark))
		plain.File = io.NewSectionReader(src.File, int64(len(byteOrderMark)), plain.Size)
		src, head = &plain, rest
	}
	if len(head) == 0 {
		return nil, nil, errors.New("the file is empty")
	}
	if at := behindComments(src); at > 0 {
		head, err = readHead(src, at)
	}
	return src, head, err
}

func readHead(src *given.Source, at int64) ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := src.File.ReadAt(head, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return head[:n], nil
}

// behindComments returns the position of the first line that is neither blank nor a comment of BLIF.
func behindComments(src *given.Source) int64 {
	r := bufio.NewReader(io.NewSectionReader(src.File, 0, src.Size))
	begin, comment := true, false // begin: only blanks were read on this line; comment: this line is a comment
	for at := int64(0); ; at++ {
		switch c, err := r.ReadByte(); {
		case err != nil:
			return 0
		case c == '\n':
			begin, comment = true, false
		case comment || c == ' ' || c == '\t' || c == '\r':
		case c == '#' && begin:
			begin, comment = false, true
		default:
			return at
		}
	}
}

// These are the limits on the size of an unzipped file. Zipping reduces the text of a circuit to about a tenth, so a
// file that is very much larger after unzipping is not a network.
const (
	mostUnpacked  = 64 // times the size of the zipped file
	alwaysUnpacks = 16 << 20
)

// unpacked returns the file without its gzip compression.
func unpacked(src *given.Source) (*given.Source, error) {
	z, err := gzip.NewReader(io.NewSectionReader(src.File, 0, src.Size))
	if err != nil {
		return nil, fmt.Errorf("gzip: %w: is the file damaged?", err)
	}
	limit := mostUnpacked*min(src.Size, 1<<50) + alwaysUnpacks
	data, err := io.ReadAll(io.LimitReader(z, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("gzip: %w: is the file damaged or cut off?", err)
	case int64(len(data)) > limit:
		return nil, message.WithHint(fmt.Errorf("unpacks to more than %d bytes", limit), "unpack it by gunzip %s",
			cmp.Or(src.Path, src.Name))
	}
	plain := *src
	plain.File, plain.Size = bytes.NewReader(data), int64(len(data))
	return &plain, nil
}

// used returns an error if the user gives additional data that the format does not use.
func (f *format) used(src *given.Source) error {
	framework := strings.ToLower(src.Facts.Framework)
	switch {
	case !f.wiring && src.Wiring != nil:
		return message.WithHint(fmt.Errorf("wires are given, %.80q, but a file of this form has its own or none",
			src.Wiring.Name),
			"omit {Wiring FILE}")
	case !f.thresholds && src.Thresholds != nil:
		return message.WithHint(errors.New("thresholds are given, but a file of this form has its own, or takes bits"),
			"omit {Thresholds FILE.npy}, and thermometer.thresholds_file of the facts")
	case src.Thresholds != nil && src.Facts.Thermometer.None:
		return message.WithHint(fmt.Errorf("%s: thermometer is none, but thresholds are given", src.Said()),
			"omit the key or the thresholds")
	case framework != "" && f.frameworks != nil && !slices.Contains(f.frameworks, framework):
		return message.WithHint(fmt.Errorf("framework is %.40q, but the file is from %s", src.Facts.Framework,
			strings.Join(f.frameworks, " or ")), "are these the facts of another network? The key may be omitted")
	}
	return nil
}

// asked adds a hint to an error about missing data. The hint says how to give the data.
func (f *format) asked(err error) error {
	var missing *given.Missing
	switch {
	case !errors.As(err, &missing):
		return err
	case missing.What == "wiring" && f.wiring:
		return message.WithHint(err, "name a file that has it with {Wiring FILE}")
	case missing.What == "wiring":
		return message.WithHint(err, "save the whole module, torch.save(model, FILE), or a state dict that has it")
	case missing.What == "thresholds":
		return message.WithHint(err, "save them with numpy.save and name the file with {Thresholds FILE.npy}")
	}
	return message.WithHint(err, "give it with {Fact %s=VALUE}, or in a file with {Facts FILE}", missing.What)
}

// find returns the format of a file. For a PyTorch file, it also returns the value in the file.
func find(src *given.Source, from string, head []byte) (f *format, value any, err error) {
	if from != "" {
		if f = formatOf(from); f == nil {
			return nil, nil, message.Near(fmt.Errorf("format %.40q is unknown, want %s", from,
				strings.Join(ReaderNames(), ", ")),
				from, ReaderNames())
		}
	}
	if f == nil && !isTorch(head) || f != nil && f.readValue == nil {
		if f == nil {
			f = byHead(head)
		}
		if f == nil && filekind.IsModel(head) {
			return nil, nil, errors.New("is already a model of ialgn")
		}
		if f == nil {
			return nil, nil, unknown(src, head)
		}
		return f, nil, nil
	}
	value, err = torchfile.Read(src.File, src.Size)
	if errors.Is(err, torchfile.ErrOther) {
		err = cmp.Or(otherKind(src, head), err)
	}
	if err != nil {
		return nil, nil, err
	}
	if f == nil {
		f = byValue(value, src.Facts.Framework)
	}
	if f == nil || !f.recognise(value) {
		if err := checkpoint.NotRead(value); err != nil {
			return nil, nil, err
		}
	}
	if f == nil {
		return nil, nil, message.WithHint(errors.New("holds no network of difflogic, torchlogix or DWN that is known by "+
			"its names"),
			"say whose it is: {From difflogic}, torchlogix or dwn")
	}
	return f, value, nil
}

// otherKind returns an error for a file of a known kind that holds no network. It returns nil if the kind is not
// known.
func otherKind(src *given.Source, head []byte) error {
	return filekind.ExplainImport(cmp.Or(src.Path, src.Name), head)
}

// unknown returns the error for a file in no known format.
func unknown(src *given.Source, head []byte) error {
	if err := otherKind(src, head); err != nil {
		return err
	}
	return message.WithHint(errors.New("has an unknown format"),
		"name the format: {From %s}", strings.Join(ReaderNames(), "|"))
}

func formatOf(name string) *format {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i]
		}
	}
	return nil
}

func byHead(head []byte) *format {
	for i := range formats {
		if f := &formats[i]; f.begins != nil && f.begins(head) {
			return f
		}
	}
	return nil
}

// byValue returns the format of the value in a PyTorch file. If several formats fit, the framework that the facts
// name selects one of them.
func byValue(value any, framework string) *format {
	var found *format
	for i := range formats {
		f := &formats[i]
		switch {
		case f.recognise == nil || !f.recognise(value):
		case f.name == framework:
			return f
		case found == nil:
			found = f
		}
	}
	return found
}

// isTorch reports whether a file may be a PyTorch file, which is a zip archive or a pickle.
func isTorch(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) > 1 && head[0] == 0x80 && head[1] <= 5
}

func isAIGER(head []byte) bool {
	return bytes.HasPrefix(head, []byte("aig ")) || bytes.HasPrefix(head, []byte("aag "))
}

// isBLIF reports whether the first line after comments is a command of BLIF.
func isBLIF(head []byte) bool { return bytes.HasPrefix(head, []byte(".")) }

// isONNX reports whether a file begins like a protobuf message whose first field is the version of ONNX's
// format.
func isONNX(head []byte) bool { return len(head) > 1 && head[0] == 0x08 && head[1] < 0x80 }
