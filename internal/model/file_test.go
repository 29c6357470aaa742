package model_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// fileForms returns a model for each form of network, encoder and indices.
func fileForms() map[string]*model.Model {
	models := map[string]*model.Model{}
	for _, form := range netgen.Forms() {
		models[form.Name] = form.Model()
	}
	quantised := netgen.Model(netgen.ModelOptions{Features: 3})
	quantised.Encoder.Names = []string{"lengd (cm)", "breidd", `"<hæð>"`}
	quantised.Encoder.Quantiser = &encoding.Quantiser{Offset: []float64{-1.5, 0, 1e300}, Scale: []float64{25.5, 0, 1e-300}}
	quantised.Classes = []string{"", "sömu", "sömu"}
	models["quantised"] = quantised
	table := netgen.Model(netgen.ModelOptions{Features: 3})
	table.Encoder.Quantiser = &encoding.Quantiser{Offset: []float64{-1.5, 0, 0}, Scale: []float64{25.5, 255, 255}}
	table.Encoder.Columns = []encoding.Column{
		{Name: "x", Kind: encoding.NumberColumn, Missing: true, Fill: 0.25},
		{Name: "id, old", Kind: encoding.DroppedColumn},
		{Name: "colour", Kind: encoding.CategoryColumn, Categories: []string{"<blue>", "rød"}, Missing: true},
		{Kind: encoding.LabelColumn},
	}
	models["table"] = table
	cuts := netgen.Model(netgen.ModelOptions{Cuts: true, Features: 3})
	cuts.Encoder.Columns = table.Encoder.Columns
	cuts.Encoder.Quantiser.Cuts = [][]float64{{-1.5, 0, 1e300}, {0, 0, 0.5}, {0.5, 0.5, 0.5}}
	models["cuts-of-a-table"] = cuts
	models["wide-inputs"] = netgen.Model(netgen.ModelOptions{Features: 4400, Bits: 16})
	models["odd"] = netgen.Model(netgen.ModelOptions{Width: 9, Depth: 4, Features: 7, Anchors: 3, Bits: 6})
	return models
}

func fileOf(t testing.TB, m *model.Model, extra model.Extra) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b, extra); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readBytes(b []byte) (*model.Model, error) {
	return model.OpenBytes("model.safetensors", b).Load()
}

// TestRoundTrip writes and reads every form of network. It reads the file as a model and as a frozen network. The
// frozen network is read in chunks of one chain, of a few chains, and of all chains.
func TestRoundTrip(t *testing.T) {
	for name, m := range fileForms() {
		t.Run(name, func(t *testing.T) {
			b := fileOf(t, m, model.Extra{})
			got, err := readBytes(b)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, got); diff != "" {
				t.Errorf("model read back (-want +got):\n%s", diff)
			}
			if !bytes.Equal(b, fileOf(t, got, model.Extra{})) {
				t.Error("the model read back is written as other bytes")
			}
			for _, chunk := range []int{1, 3000, 1 << 20} {
				frozen, err := model.ReadFrozenChunks("m", bytes.NewReader(b), int64(len(b)), chunk)
				if diff := cmp.Diff(m.Freeze(), frozen); diff != "" || err != nil {
					t.Errorf("chunks of %d bytes: error %v, frozen network (-want +got):\n%s", chunk, err, diff)
				}
			}
			unrolled, err := m.Compact().Unroll()
			if diff := cmp.Diff(m.Freeze(), unrolled); diff != "" || err != nil {
				t.Errorf("unrolled: error %v, frozen network (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestSaveLoad(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	path := filepath.Join(t.TempDir(), "m.safetensors")
	sum, err := m.Save(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(b)
	if sum != hex.EncodeToString(want[:]) {
		t.Errorf("sum %s, want %x", sum, want)
	}
	got, err := model.Load(path)
	if diff := cmp.Diff(m, got); diff != "" || err != nil {
		t.Errorf("error %v, model (-want +got):\n%s", err, diff)
	}
	frozen, err := model.ReadFrozen(path)
	if diff := cmp.Diff(m.Freeze(), frozen); diff != "" || err != nil {
		t.Errorf("error %v, frozen network (-want +got):\n%s", err, diff)
	}
	info, err := model.ReadInfo(path)
	if err != nil {
		t.Fatal(err)
	}
	checkCompact(t, path, m)
	if diff := cmp.Diff(m.Record, info.Model.Record); diff != "" || info.Model.Parameters() != m.Parameters() {
		t.Errorf("%d parameters, want %d; record (-want +got):\n%s", info.Model.Parameters(), m.Parameters(), diff)
	}
	if got := info.Tensors[0].String(); got != "section0.ops F32 [30 1 16]" {
		t.Errorf("first tensor %q", got)
	}
}

// TestSaveKeepsOld checks that the old file is unchanged if a model cannot be saved.
func TestSaveKeepsOld(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	want := fileOf(t, m, model.Extra{})
	m.Sections[0].Ops = m.Sections[0].Ops[1:]
	_, err := m.Save(path)
	if err == nil || !strings.Contains(err.Error(), path+": section0.ops: 479 elements, want 480") {
		t.Errorf("error %v, want one with file and tensor", err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("error %v; the old file has %d bytes, want its %d", err, len(got), len(want))
	}
}

func TestOpenErrors(t *testing.T) {
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir()} {
		if _, err := model.Load(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Load(%q): error %v, want one that names it", path, err)
		}
		if _, err := model.ReadFrozen(path); err == nil {
			t.Errorf("ReadFrozen(%q): no error", path)
		}
		if _, err := model.ReadInfo(path); err == nil {
			t.Errorf("ReadInfo(%q): no error", path)
		}
	}
}

// TestLayout checks the promises of the format that other readers rely on. The data starts at a multiple of 8, and
// every tensor starts at a multiple of its element's size.
func TestLayout(t *testing.T) {
	for name, m := range fileForms() {
		h, data := split(t, fileOf(t, m, model.Extra{}))
		at := int64(0)
		for _, e := range h.sorted() {
			size := map[string]int64{"U16": 2, "U32": 4, "F32": 4, "F64": 8}[e.DType]
			if e.Offsets[0] != at || at%size != 0 {
				t.Errorf("%s: tensor of %s at byte %d, want %d, a multiple of %d", name, e.DType, e.Offsets[0], at, size)
			}
			at = e.Offsets[1]
		}
		if at != int64(len(data)) {
			t.Errorf("%s: tensors end at %d of %d bytes", name, at, len(data))
		}
	}
}

// moments returns the data that a checkpoint adds to a model.
func moments(n int) model.Extra {
	first, second := make([]float32, n), make([]float32, n)
	for i := range n {
		first[i], second[i] = float32(i)/7, float32(-i)
	}
	return model.Extra{
		Metadata: map[string]string{"checkpoint.step": "12"},
		Tensors: []model.Tensor{
			{Name: "adam.m", Shape: []int{n}, Data: first},
			{Name: "adam.v", Shape: []int{n, 1}, Data: second},
		},
	}
}

func TestCheckpoint(t *testing.T) {
	m, want := netgen.Model(netgen.ModelOptions{}), moments(100_000)
	path := filepath.Join(t.TempDir(), "c.safetensors")
	var file bytes.Buffer
	if err := errors.Join(m.Write(&file, want), os.WriteFile(path, file.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	got := model.Extra{Tensors: []model.Tensor{
		{Name: "adam.v", Shape: []int{100_000, 1}, Data: make([]float32, 100_000)},
		{Name: "adam.m", Shape: []int{100_000}, Data: make([]float32, 100_000)},
	}}
	again, err := model.LoadCheckpoint(path, func(info *model.Info) ([]model.Tensor, error) {
		got.Metadata = info.Checkpoint
		return got.Tensors, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got.Tensors[0], got.Tensors[1] = got.Tensors[1], got.Tensors[0]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	plain, err := model.Load(path)
	if diff := cmp.Diff(m, plain) + cmp.Diff(m, again); diff != "" || err != nil {
		t.Errorf("error %v, models (-want +got):\n%s", err, diff)
	}
	if _, err := model.ReadFrozen(path); err != nil {
		t.Error(err)
	}
	_, err = model.LoadCheckpoint(path, func(*model.Info) ([]model.Tensor, error) {
		return got.Tensors[:1], nil
	})
	if err == nil || !strings.Contains(err.Error(), "adam.v: unknown tensor of a checkpoint") {
		t.Errorf("a state without adam.v: error %v", err)
	}
	got.Tensors[0].Shape = []int{100, 1000}
	_, err = model.LoadCheckpoint(path, func(*model.Info) ([]model.Tensor, error) { return got.Tensors, nil })
	if err == nil || !strings.Contains(err.Error(), "adam.m: shape [100000], want [100 1000]") {
		t.Errorf("another shape: error %v", err)
	}
}

// TestIntegers stores 64-bit integers in a checkpoint. It checks that their shapes are known before the arrays are
// read.
func TestIntegers(t *testing.T) {
	numbers := []int64{math.MinInt64, -1, 0, 1, 1 << 40, math.MaxInt64}
	path := filepath.Join(t.TempDir(), "c.safetensors")
	var file bytes.Buffer
	extra := model.Extra{Tensors: []model.Tensor{{Name: "adam.sums", Shape: []int{2, 3}, Data: numbers}}}
	if err := errors.Join(netgen.Model(netgen.ModelOptions{}).Write(&file, extra), os.WriteFile(path, file.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	got := make([]int64, len(numbers))
	_, err := model.LoadCheckpoint(path, func(info *model.Info) ([]model.Tensor, error) {
		if shape := info.Shape("adam.sums"); !slices.Equal(shape, []int64{2, 3}) || info.Shape("adam.none") != nil {
			t.Errorf("shape %v, and %v for a tensor that does not exist", shape, info.Shape("adam.none"))
		}
		return []model.Tensor{{Name: "adam.sums", Shape: []int{2, 3}, Data: got}}, nil
	})
	if diff := cmp.Diff(numbers, got); diff != "" || err != nil {
		t.Errorf("error %v, numbers (-written +read):\n%s", err, diff)
	}
}

// header is a file's header, which tests parse and change.
type header struct {
	Meta    map[string]string
	Tensors map[string]line
}

type line struct {
	DType   string  `json:"dtype"`
	Shape   []int64 `json:"shape"`
	Offsets []int64 `json:"data_offsets"`
}

func (h *header) sorted() []line {
	var lines []line
	for len(lines) < len(h.Tensors) {
		at := int64(0)
		if len(lines) > 0 {
			at = lines[len(lines)-1].Offsets[1]
		}
		n := len(lines)
		for _, e := range h.Tensors {
			if e.Offsets[0] == at {
				lines = append(lines, e)
			}
		}
		if len(lines) != n+1 {
			return nil
		}
	}
	return lines
}

func split(t testing.TB, b []byte) (header, []byte) {
	t.Helper()
	n := binary.LittleEndian.Uint64(b)
	if n%8 != 0 {
		t.Errorf("header of %d bytes, want a multiple of 8", n)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b[8:8+n], &raw); err != nil {
		t.Fatal(err)
	}
	h := header{Tensors: map[string]line{}}
	for name, text := range raw {
		var err error
		if name == "__metadata__" {
			err = json.Unmarshal(text, &h.Meta)
		} else {
			var e line
			err = json.Unmarshal(text, &e)
			h.Tensors[name] = e
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return h, b[8+n:]
}

func (h *header) join(t testing.TB, data []byte) []byte {
	t.Helper()
	all := map[string]any{"__metadata__": h.Meta}
	for name, e := range h.Tensors {
		all[name] = e
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), append(text, data...)...)
}
