package onnx

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
)

// sample returns a model that sets every field that Write writes.
func sample() *Model {
	t := Bytes("constant", []int64{2}, []byte{3, 4})
	return &Model{
		IRVersion: 8, Producer: "p", ProducerVersion: "1", Doc: "two\nlines",
		Opsets: []Opset{{Version: 13}, {"some.domain", 3}},
		Graph: Graph{
			Name: "g",
			Nodes: []Node{
				{Name: "n", Op: "Op", Domain: "d", Inputs: []string{"a", "", "b"}, Outputs: []string{"c"}, Attributes: []Attribute{
					Int("i", -1), Ints("is", 1, -2, 3),
					{Name: "f", Type: AttributeFloat, Float: 1.5},
					{Name: "fs", Type: AttributeFloats, Floats: []float32{1, -2}},
					{Name: "s", Type: AttributeText, Text: "NOTSET"},
					{Name: "t", Type: AttributeTensor, Tensor: &t},
				}},
				{Op: "Other", Outputs: []string{"d"}},
			},
			Initializers: []Tensor{Int64s("a", []int64{1, 2}, []int64{-5, math.MaxInt64}), Float32s("b", nil, []float32{0.1})},
			Inputs:       []Value{{Name: "x", Type: Bool, Known: true, Shape: []Dim{{Name: "N"}, {Size: 64}}}},
			Outputs:      []Value{{Name: "d", Type: Float}},
		},
	}
}

func encode(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWrite(t *testing.T) {
	m, err := Decode(encode(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), m, cmpopts.IgnoreUnexported(Tensor{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

// tensor returns a tensor as decoded from a file that holds the elements in the field for their type instead of raw
// data.
func tensor(t testing.TB, kind DataType, dims []int64, field protowire.Number, elements []byte) *Tensor {
	t.Helper()
	x := &Tensor{Name: "t", Type: kind, Dims: dims}
	b := message(tensorHead(x), field, elements)
	d := decoder{left: 1 << 20}
	x = &Tensor{}
	if err := d.tensor(b, x); err != nil {
		t.Fatal(err)
	}
	return x
}

func varints(list ...int64) (b []byte) {
	for _, v := range list {
		b = protowire.AppendVarint(b, uint64(v))
	}
	return b
}

// TestElements reads elements of all types, both from raw data and from the field for their type.
func TestElements(t *testing.T) {
	raw := func(kind DataType, b ...byte) *Tensor {
		return &Tensor{Type: kind, Dims: []int64{int64(len(b) / kinds[kind].bytes)}, Raw: b}
	}
	three := []int64{3}
	for _, c := range []struct {
		name string
		t    *Tensor
		want []int64
	}{
		{"uint8", raw(Uint8, 1, 255), []int64{1, 255}},
		{"int8", raw(Int8, 1, 255), []int64{1, -1}},
		{"bool", raw(Bool, 1, 0), []int64{1, 0}},
		{"uint16", raw(Uint16, 1, 255), []int64{65281}},
		{"int16", raw(Int16, 1, 255), []int64{-255}},
		{"uint32", raw(Uint32, 1, 0, 0, 128), []int64{1<<31 + 1}},
		{"int32", raw(Int32, 255, 255, 255, 255), []int64{-1}},
		{"int64", raw(Int64, 254, 255, 255, 255, 255, 255, 255, 255), []int64{-2}},
		{"uint64", raw(Uint64, 254, 0, 0, 0, 0, 0, 0, 0), []int64{254}},
		{"field of int32", tensor(t, Int32, three, fieldInt32s, varints(1, -1, 7)), []int64{1, -1, 7}},
		{"field of bool", tensor(t, Bool, three, fieldInt32s, varints(1, 0, 1)), []int64{1, 0, 1}},
		{"field of int64", tensor(t, Int64, three, fieldInt64s, varints(1, -1, 7)), []int64{1, -1, 7}},
		{"field of uint32", tensor(t, Uint32, three, fieldUint64s, varints(1, 1<<32-1, 7)), []int64{1, 1<<32 - 1, 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int64
			if err := c.t.Integers(func(_ int, v int64) error { got = append(got, v); return nil }); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	floats := protowire.AppendFixed32(nil, math.Float32bits(0.1))
	doubles := protowire.AppendFixed64(nil, math.Float64bits(0.1))
	for name, c := range map[string]struct {
		t    *Tensor
		want float64
	}{
		"field of float32": {tensor(t, Float, nil, fieldFloats, floats), float64(float32(0.1))},
		"float32":          {&Tensor{Type: Float, Raw: floats}, float64(float32(0.1))},
		"field of double":  {tensor(t, Double, nil, fieldDoubles, doubles), 0.1},
		"double":           {&Tensor{Type: Double, Raw: doubles}, 0.1},
		"uint8":            {&Tensor{Type: Uint8, Raw: []byte{7}}, 7},
	} {
		err := c.t.Numbers(func(_ int, v float64) error {
			if v != c.want {
				t.Errorf("%s: %v, want %v", name, v, c.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestValuesRefusesBadTensors checks that a tensor is refused if its elements do not fit its type or shape.
func TestValuesRefusesBadTensors(t *testing.T) {
	for _, c := range []struct {
		name, want string
		t          Tensor
	}{
		{"too few", "shape [1000000 2000] has 2000000000 elements, 1 are there", Tensor{
			Type: Uint8, Dims: []int64{1_000_000, 2000}, Raw: []byte{1},
		}},
		{"too large", "shape [1000000 1000000] is too large", Tensor{Type: Uint8, Dims: []int64{1_000_000, 1_000_000}}},
		{"negative", "-1 is no dimension", Tensor{Type: Uint8, Dims: []int64{-1}}},
		{"half", "3 bytes are no whole number of elements", Tensor{Type: Uint16, Raw: []byte{1, 2, 3}}},
		{"text", "elements are string", Tensor{Type: Text}},
		{"unknown", "elements are of an unknown type", Tensor{Type: 99}},
		{"elsewhere", "in another file", Tensor{Type: Uint8, External: true}},
		{"bool", "2 is no bool", Tensor{Type: Bool, Raw: []byte{2}}},
		{"float", "not whole numbers", Tensor{Type: Float, Raw: make([]byte, 4)}},
		{"field", "-3 is no uint8", *tensor(t, Uint8, nil, fieldInt32s, varints(-3))},
	} {
		err := c.t.Integers(func(int, int64) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestBounded checks that decoding a file with many empty parts takes no more memory than [Decode] promises.
func TestBounded(t *testing.T) {
	data := message(nil, 7, bytes.Repeat([]byte{1<<3 | 2, 0}, 8<<20)) // 8 million nodes
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(data)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "more parts") {
		t.Errorf("error %v", err)
	}
	if took := after.Sys - before.Sys; took > uint64(4*len(data)+64<<20) {
		t.Errorf("decoding took %d bytes of memory for a file of %d", took, len(data))
	}
}

// FuzzDecode decodes arbitrary bytes. It then decodes the tensors of each model that was accepted.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sample()))
	files, _ := filepath.Glob("../../../shared/reference/import/qonnx-*/model.onnx")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		for i := range m.Graph.Initializers {
			_ = m.Graph.Initializers[i].Integers(func(int, int64) error { return nil })
			_ = m.Graph.Initializers[i].Numbers(func(int, float64) error { return nil })
		}
	})
}
