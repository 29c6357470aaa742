package model_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// expectRefusal checks that every reader refuses the file. The message must name the file and contain the wanted
// texts.
func expectRefusal(t *testing.T, b []byte, want ...string) {
	t.Helper()
	_, err := readBytes(b)
	_, frozenErr := model.ReadFrozenChunks("model.safetensors", bytes.NewReader(b), int64(len(b)), 1000)
	for reader, err := range map[string]error{"Read": err, "ReadFrozen": frozenErr} {
		if err == nil {
			t.Errorf("%s: no error, want one with %q", reader, want)
			continue
		}
		for _, part := range append(want, "model.safetensors: ") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q, want %q in it", reader, err, part)
			}
		}
	}
}

// TestHeaderErrors changes the header of a valid file.
func TestHeaderErrors(t *testing.T) {
	set := func(name string, change func(*line)) func(*header) {
		return func(h *header) {
			e := h.Tensors[name]
			change(&e)
			h.Tensors[name] = e
		}
	}
	meta := func(key, old, text string) func(*header) {
		return func(h *header) {
			if !strings.Contains(h.Meta[key], old) {
				t.Fatalf("metadata %s: %s has no %s", key, h.Meta[key], old)
			}
			h.Meta[key] = strings.Replace(h.Meta[key], old, text, 1)
		}
	}
	for _, test := range []struct {
		name string
		harm func(*header)
		want []string
	}{
		{"format", func(h *header) { h.Meta["format"] = "pt" }, []string{`format "pt"`, "no model of ialgn"}},
		{"no metadata", func(h *header) { h.Meta = nil }, []string{`format ""`}},
		{
			"no entry steps", func(h *header) { h.Meta["version"] = "4" },
			[]string{"metadata: steps is missing"},
		},
		{
			"steps in version 1", func(h *header) { h.Meta["steps"] = "2" },
			[]string{"metadata: 2 steps in version 1"},
		},
		{
			"no steps", func(h *header) { h.Meta["version"], h.Meta["steps"] = "4", "0" },
			[]string{"metadata: 0 steps in version 4"},
		},
		{
			"version", func(h *header) { h.Meta["version"] = "6" },
			[]string{`version "6", this program reads versions 1 to 5; use the ialgn that wrote it`},
		},
		{"missing record", func(h *header) { delete(h.Meta, "record") }, []string{"metadata: record is missing"}},
		{"broken record", func(h *header) { h.Meta["record"] += "x" }, []string{"metadata: record: text after"}},
		{
			"kept epoch", func(h *header) { h.Meta["record"] = `{"epochs":[{}],"kept_epoch":2}` },
			[]string{"epoch 2 was kept, the training record has 1"},
		},
		{
			"kept before all", func(h *header) { h.Meta["record"] = `{"epochs":[{}],"kept_epoch":-1}` },
			[]string{"epoch -1 was kept"},
		},
		{"unknown key", meta("config", `"width"`, `"breite"`), []string{"metadata: config", "breite"}},
		{
			"width and classes", meta("config", `"width":30`, `"width":31`),
			[]string{"31 chains cannot be split into 3 classes"},
		},
		{"width", meta("config", `"width":30`, `"width":33`), []string{"section0.ops: shape [30 1 16], want [33 1 16]"}},
		{"no width", meta("config", `"width":30`, `"width":0`), []string{"width 0"}},
		{"depth", meta("config", `"depth":5`, `"depth":6`), []string{"describes 30 x 6 gates, the network has 30 x 5"}},
		{"arity", meta("config", `softmax16`, `light`), []string{"section0.ops: shape [30 1 16], want [30 1 4]"}},
		{"parametrization", meta("config", `softmax16`, `gumbel`), []string{`parametrization "gumbel"`}},
		{"tau", meta("config", `"tau":3`, `"tau":0`), []string{"tau 0"}},
		{"layers", meta("sections", `"layers":4`, `"layers":0`), []string{"section 1: 0 layers"}},
		{
			"huge layers", meta("sections", `"layers":4`, `"layers":9000000000000000000`),
			[]string{"section 1: 9000000000000000000 layers"},
		},
		{"no sections", func(h *header) { h.Meta["sections"] = "[]" }, []string{"no layers"}},
		{
			"spine first", meta("sections", `"input"`, `"spine"`),
			[]string{"section 0: pin A: source spine, but the first layer"},
		},
		{
			"previous first", meta("sections", `"input"`, `"previous"`),
			[]string{"section 0: pin A: source previous, but the first layer"},
		},
		{"spine on pin B", func(h *header) {
			h.Meta["sections"] = strings.Replace(h.Meta["sections"], `"b":{"source":"input","k":4}}]`,
				`"b":{"source":"spine","k":1}}]`, 1)
		}, []string{"section 1: pin B: source spine, which pin A alone can have"}},
		{"source", meta("sections", `"spine"`, `"next"`), []string{`source "next", want one of [input previous spine base]`}},
		{
			"spine with candidates", meta("sections", `"spine","k":1`, `"spine","k":2`),
			[]string{"section 1: pin A: 2 candidates"},
		},
		{"no candidates", meta("sections", `"k":4`, `"k":0`), []string{"section 0: pin A: 0 candidates"}},
		{"candidates", meta("sections", `"k":4`, `"k":5`), []string{"section0.a.wires: shape [30 1 4], want [30 1 5]"}},
		{"no classes", func(h *header) { h.Meta["classes"] = "null" }, []string{"0 classes"}},
		{"bits", meta("encoder", `"bits":4`, `"bits":5`), []string{"encoder.thresholds: shape [6 3], want [features 4]"}},
		{"bits 1", meta("encoder", `"bits":4`, `"bits":1`), []string{"encoder"}},
		{"largest value", meta("encoder", `"max":255`, `"max":256`), []string{"256"}},
		{"names", meta("encoder", `"max":255`, `"max":255,"names":["a"]`), []string{"1 feature names for 6 features"}},
		{"missing tensor", func(h *header) {
			h.Tensors["extra"] = h.Tensors["section1.ops"]
			delete(h.Tensors, "section1.ops")
		}, []string{"section1.ops is missing"}},
		{"missing thresholds", func(h *header) {
			h.Tensors["extra"] = h.Tensors["encoder.thresholds"]
			delete(h.Tensors, "encoder.thresholds")
		}, []string{"encoder.thresholds is missing"}},
		{"unknown tensor", func(h *header) {
			end := h.sorted()[len(h.Tensors)-1].Offsets[1]
			h.Tensors["section1.a.logits"] = line{"F32", []int64{}, []int64{end, end + 4}}
		}, []string{"section1.a.logits: unknown tensor"}},
		{"scale without offset", func(h *header) {
			end := h.sorted()[len(h.Tensors)-1].Offsets[1]
			h.Tensors["encoder.scale"] = line{"F32", []int64{}, []int64{end, end + 4}}
		}, []string{"encoder.scale: unknown tensor"}},
		{"offset without scale", func(h *header) {
			end := h.sorted()[len(h.Tensors)-1].Offsets[1]
			h.Tensors["encoder.offset"] = line{"F32", []int64{}, []int64{end, end + 4}}
		}, []string{"encoder.offset: type F32, want F64"}},
		{"type", set("section1.ops", func(e *line) { e.DType = "U32" }), []string{"section1.ops: type U32, want F32"}},
		{"unknown type", set("section1.ops", func(e *line) { e.DType = "BF16" }), []string{`section1.ops: type "BF16"`}},
		{
			"order of shape", set("section1.ops", func(e *line) { e.Shape = []int64{4, 30, 16} }),
			[]string{"section1.ops: shape [4 30 16], want [30 4 16]"},
		},
		{
			"flat shape", set("section1.ops", func(e *line) { e.Shape = []int64{4 * 30 * 16} }),
			[]string{"section1.ops: shape [1920], want [30 4 16]"},
		},
		{
			"large shape", set("section1.ops", func(e *line) { e.Shape = []int64{1 << 62, 1 << 62, 16} }),
			[]string{"section1.ops: shape", "does not fit the file"},
		},
		{
			"negative shape", set("section1.ops", func(e *line) { e.Shape = []int64{-30, -4, 16} }),
			[]string{"section1.ops: shape", "does not fit the file"},
		},
		{
			"empty shape", set("section1.ops", func(e *line) { e.Shape = []int64{0, 4, 16} }),
			[]string{"section1.ops: shape", "does not fit the file"},
		},
		{
			"overlap", set("section1.ops", func(e *line) { e.Offsets[0] -= 4; e.Offsets[1] -= 4 }),
			[]string{"section1.ops: begins at byte"},
		},
		{
			"negative offset", set("section1.ops", func(e *line) { e.Offsets[0] = -4 }),
			[]string{"section1.ops: begins at byte -4"},
		},
		{"short", set("section1.ops", func(e *line) { e.Offsets[1] -= 4 }), []string{"section1.ops: ends at byte"}},
		{"hole", func(h *header) { delete(h.Tensors, "section0.ops") }, []string{"begins at byte"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, data := split(t, fileOf(t, netgen.Model(netgen.ModelOptions{}), model.Extra{}))
			test.harm(&h)
			if strings.Contains(test.name, "unknown tensor") || strings.Contains(test.name, "without") {
				data = append(data, 0, 0, 0, 0)
			}
			expectRefusal(t, testkit.ResignModel(h.join(t, data)), test.want...)
		})
	}
}

// TestValueErrors changes elements of a valid file.
func TestValueErrors(t *testing.T) {
	put16 := func(v uint16) func([]byte) { return func(b []byte) { binary.LittleEndian.PutUint16(b, v) } }
	putFloat := func(v float64) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b, math.Float32bits(float32(v))) }
	}
	for _, test := range []struct {
		name, tensor string
		element      int64
		put          func([]byte)
		want         string
	}{
		{"NaN", "section1.ops", 700, putFloat(math.NaN()), "section1.ops: NaN among"},
		{"infinity", "section1.b.logits", 3, putFloat(math.Inf(1)), "section1.b.logits: +Inf among"},
		{"minus infinity", "section0.a.logits", 0, putFloat(math.Inf(-1)), "section0.a.logits: -Inf among"},
		{"index", "section1.b.wires", 479, put16(18), "section1.b.wires: index 18, want below 18"},
		{"first index", "section0.a.wires", 0, put16(65535), "section0.a.wires: index 65535, want below 18"},
		{"threshold order", "encoder.thresholds", 1, put16(0), "threshold"},
		{"threshold size", "encoder.thresholds", 2, put16(256), "threshold"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, data := split(t, fileOf(t, netgen.Model(netgen.ModelOptions{}), model.Extra{}))
			e := h.Tensors[test.tensor]
			size := map[string]int64{"U16": 2, "F32": 4}[e.DType]
			test.put(data[e.Offsets[0]+test.element*size:])
			expectRefusal(t, testkit.ResignModel(h.join(t, data)), test.want, "take a fresh copy")
		})
	}
}

// TestCutsErrors changes a valid file of a model whose features become words by cuts.
func TestCutsErrors(t *testing.T) {
	const name = "encoder.cuts"
	put := func(element int, x float64) func(*header, []byte) {
		return func(h *header, data []byte) {
			at := h.Tensors[name].Offsets[0] + int64(8*element)
			binary.LittleEndian.PutUint64(data[at:], math.Float64bits(x))
		}
	}
	change := func(c func(*line)) func(*header, []byte) {
		return func(h *header, _ []byte) {
			e := h.Tensors[name]
			c(&e)
			h.Tensors[name] = e
		}
	}
	rename := func(to string) func(*header, []byte) {
		return func(h *header, _ []byte) {
			h.Tensors[to] = h.Tensors[name]
			delete(h.Tensors, name)
		}
	}
	for _, test := range []struct {
		name string
		harm func(*header, []byte)
		want string
	}{
		{"descending", put(1, -1e9), "feature 0: cut 2 (-1e+09) is below the one before it"},
		{"NaN", put(0, math.NaN()), "feature 0: cut 1 is NaN, want a finite number"},
		{"infinite", put(29, math.Inf(1)), "feature 5: cut 5 is +Inf, want a finite number"},
		{"shape", change(func(e *line) { e.Shape = []int64{5, 6} }), "encoder.cuts: shape [5 6], want [6 5]"},
		{"flat", change(func(e *line) { e.Shape = []int64{30} }), "encoder.cuts: shape [30], want [6 5]"},
		{"type", change(func(e *line) { e.DType, e.Shape = "F32", []int64{6, 10} }), "encoder.cuts: type F32, want F64"},
		{"missing", rename("encoder.cut"), "encoder.cut: unknown tensor"},
		{"as offsets", rename("encoder.offset"), "encoder.offset: shape [6 5], want [6]"},
		{"both ways", func(h *header, _ []byte) {
			end := h.sorted()[len(h.Tensors)-1].Offsets[1]
			h.Tensors["encoder.offset"] = line{"F32", []int64{}, []int64{end, end + 4}}
		}, "both encoder.cuts and encoder.offset, want only one"},
		{"a scale, too", func(h *header, _ []byte) {
			end := h.sorted()[len(h.Tensors)-1].Offsets[1]
			h.Tensors["encoder.scale"] = line{"F32", []int64{}, []int64{end, end + 4}}
		}, "encoder.scale: unknown tensor"},
		{"largest word", func(h *header, _ []byte) {
			h.Meta["encoder"] = strings.Replace(h.Meta["encoder"], `"max":5`, `"max":6`, 1)
		}, "feature words of 3 bits up to 6, but 5 cuts give words of 3 bits up to 5"},
		{"threshold", func(h *header, data []byte) {
			binary.LittleEndian.PutUint16(data[h.Tensors["encoder.thresholds"].Offsets[0]:], 1)
		}, "feature 0: threshold 1 is 1, want 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, data := split(t, fileOf(t, netgen.Model(netgen.ModelOptions{Cuts: true, Bits: 6}), model.Extra{}))
			test.harm(&h, data)
			if strings.Contains(test.name, "too") || strings.Contains(test.name, "both") {
				data = append(data, 0, 0, 0, 0)
			}
			expectRefusal(t, testkit.ResignModel(h.join(t, data)), test.want, "take a fresh copy")
		})
	}
}

// TestBytesErrors changes the raw bytes of a valid file. It changes the file's lengths, the header's text and the
// data.
func TestBytesErrors(t *testing.T) {
	good := fileOf(t, netgen.Model(netgen.ModelOptions{}), model.Extra{})
	replace := func(old, text string) []byte { return bytes.Replace(good, []byte(old), []byte(text), 1) }
	claim := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), good[8:]...) }
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty", nil, "0 bytes are too few"},
		{"seven bytes", good[:7], "7 bytes are too few"},
		{"only a length", good[:8], "header: length"},
		{"huge header", claim(1 << 63), "header: length 9223372036854775808, but the file has"},
		{"header beyond the end", claim(uint64(len(good))), "header: length"},
		{"header too long to be true", append(claim(17<<20), make([]byte, 17<<20)...), "want at most 16777216"},
		{"no header", claim(0), "not a JSON object"},
		{"half a header", claim(80), "header: "},
		{"cut data", good[:len(good)-1], "but the file has only"},
		{"more data", append(bytes.Clone(good), 0), "which has"},
		{"not an object", replace(`{"__metadata__":`, `["__metadata__",`), "not a JSON object"},
		{"doubled tensor", replace(`"section0.a.wires":`, `"section0.b.wires":`), "section0.b.wires occurs twice"},
		{"doubled metadata", replace(`"section0.ops":`, `"__metadata__":`), "__metadata__ occurs twice"},
		{"metadata not strings", replace(`"version":"1"`, `"version":001`), "header: "},
	} {
		t.Run(test.name, func(t *testing.T) { expectRefusal(t, test.file, test.want) })
	}
}

func TestWriteErrors(t *testing.T) {
	tensor := func(name string, n int, shape ...int) model.Extra {
		return model.Extra{Tensors: []model.Tensor{{Name: name, Shape: shape, Data: make([]float32, n)}}}
	}
	for _, test := range []struct {
		name  string
		harm  func(*model.Model)
		extra model.Extra
		want  string
	}{
		{"NaN", func(m *model.Model) { m.Sections[0].Ops[0] = float32(math.NaN()) }, model.Extra{}, "section0.ops: NaN"},
		{"index", func(m *model.Model) { m.Sections[1].Pins[1].Wires.Set(5, 18) }, model.Extra{}, "section1.b.wires: index 18"},
		{
			"short logits", func(m *model.Model) { m.Sections[1].Pins[1].Logits = nil },
			model.Extra{},
			"section1.b.logits: 0 elements, want 480",
		},
		{"loss", func(m *model.Model) { m.Record.Epochs[0].Loss = math.Inf(1) }, model.Extra{}, "record"},
		{"metadata name", nil, model.Extra{Metadata: map[string]string{"config": ""}}, `"checkpoint."`},
		{"tensor name", nil, tensor("section0.ops", 1, 1), `"adam."`},
		{"tensor shape", nil, tensor("adam.m", 5, 2, 3), "5 elements for shape [2 3]"},
		{"empty tensor", nil, tensor("adam.m", 0, 0), "0 elements"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := netgen.Model(netgen.ModelOptions{})
			if test.harm != nil {
				test.harm(m)
			}
			var b bytes.Buffer
			if err := m.Write(&b, test.extra); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
			if b.Len() > 0 {
				t.Errorf("%d bytes were written before the error", b.Len())
			}
		})
	}
}
