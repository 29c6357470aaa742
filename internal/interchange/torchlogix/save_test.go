package torchlogix_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
)

// These are types of values that tests save as torch.save does. Tests also save int, float64, bool, string and nil.
type (
	dict  []entry
	entry struct {
		key   string
		value any
	}
	tuple  []any
	object struct {
		class string
		state dict
	}
	tensor struct {
		shape, stride []int // without a stride, elements are in C order
		data          any   // the whole storage: []float32, []float64 or []int64
	}
)

// get returns the value of a key.
func (d dict) get(key string) any {
	for _, e := range d {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// with returns the dictionary with a new value for a key.
func (d dict) with(key string, value any) dict {
	out, there := dict{}, false
	for _, e := range d {
		if e.key == key {
			e.value, there = value, true
		}
		out = append(out, e)
	}
	if !there {
		out = append(out, entry{key, value})
	}
	return out
}

// without returns the dictionary without the given keys.
func (d dict) without(keys ...string) dict {
	out := dict{}
next:
	for _, e := range d {
		for _, k := range keys {
			if e.key == k {
				continue next
			}
		}
		out = append(out, e)
	}
	return out
}

// saver writes a pickle and collects the storages of its tensors.
type saver struct {
	bytes.Buffer
	storages [][]byte
}

func (s *saver) op(text string) { s.WriteString(text) }

func (s *saver) text(v string) {
	s.op("X")
	binary.Write(s, binary.LittleEndian, uint32(len(v)))
	s.op(v)
}

func (s *saver) value(v any) {
	switch v := v.(type) {
	case nil:
		s.op("N")
	case bool:
		s.op(map[bool]string{true: "\x88", false: "\x89"}[v])
	case int:
		s.op("J")
		binary.Write(s, binary.LittleEndian, int32(v))
	case float64:
		s.op("G")
		binary.Write(s, binary.BigEndian, math.Float64bits(v))
	case string:
		s.text(v)
	case tuple:
		s.op("(")
		for _, e := range v {
			s.value(e)
		}
		s.op("t")
	case []int:
		s.op("(")
		for _, e := range v {
			s.value(e)
		}
		s.op("t")
	case dict:
		s.op("}(")
		for _, e := range v {
			s.text(e.key)
			s.value(e.value)
		}
		s.op("u")
	case object:
		i := bytes.LastIndexByte([]byte(v.class), '.')
		s.op("c" + v.class[:i] + "\n" + v.class[i+1:] + "\n)\x81")
		s.value(v.state)
		s.op("b")
	case tensor:
		s.tensor(v)
	default:
		panic(fmt.Sprintf("a %T", v))
	}
}

func (s *saver) tensor(t tensor) {
	var raw bytes.Buffer
	binary.Write(&raw, binary.LittleEndian, t.data)
	class, n := "", 0
	switch d := t.data.(type) {
	case []float32:
		class, n = "FloatStorage", len(d)
	case []float64:
		class, n = "DoubleStorage", len(d)
	case []int64:
		class, n = "LongStorage", len(d)
	}
	if t.stride == nil {
		t.stride = make([]int, len(t.shape))
		for i, step := len(t.shape)-1, 1; i >= 0; i-- {
			t.stride[i] = step
			step *= t.shape[i]
		}
	}
	s.op("ctorch._utils\n_rebuild_tensor_v2\n((")
	s.text("storage")
	s.op("ctorch\n" + class + "\n")
	s.text(fmt.Sprint(len(s.storages)))
	s.text("cpu")
	s.value(n)
	s.op("tQ")
	s.value(0)
	s.value(t.shape)
	s.value(t.stride)
	s.op("\x89ccollections\nOrderedDict\n)RtR")
	s.storages = append(s.storages, raw.Bytes())
}

// saved returns the file that torch.save would write for a value.
func saved(v any) []byte {
	s := &saver{}
	s.op("\x80\x02")
	s.value(v)
	s.op(".")
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	add := func(name string, data []byte) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			panic(err)
		}
	}
	add("archive/data.pkl", s.Bytes())
	for i, raw := range s.storages {
		add(fmt.Sprintf("archive/data/%d", i), raw)
	}
	add("archive/version", []byte("3\n"))
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// loaded saves a value and reads the file with package torchfile. It returns the result, and the file as a source.
func loaded(t testing.TB, v any, f *given.Facts) (any, *given.Source) {
	t.Helper()
	data := saved(v)
	src := &given.Source{Name: "net.pt", File: bytes.NewReader(data), Size: int64(len(data)), Facts: f}
	value, err := torchfile.Read(src.File, src.Size)
	if err != nil {
		t.Fatal(err)
	}
	return value, src
}

// floats and ints return tensors in C order.
func floats(shape []int, values ...float32) tensor { return tensor{shape: shape, data: values} }
func ints(shape []int, values ...int64) tensor     { return tensor{shape: shape, data: values} }

// counted returns a tensor of the given shape. Element i is i*7%modulo - less.
func counted(modulo, less int, shape ...int) tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(i*7%modulo - less)
	}
	return floats(shape, values...)
}
