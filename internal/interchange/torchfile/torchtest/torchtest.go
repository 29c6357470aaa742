// Package torchtest writes small files in the format of PyTorch's torch.save, for tests of readers.
package torchtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

// Dict is a dictionary. Its elements are keys and values, in turn.
type Dict []any

// Pickle is a part of a pickle that makes one value. The value can be an instance of a class.
type Pickle string

// Instance returns an instance of a class. The instance is made without arguments and has the given state.
func Instance(module, class string, state any) Pickle {
	p := pickler{}
	fmt.Fprintf(&p.b, "c%s\n%s\n)\x81", module, class)
	p.put(state)
	if p.storages != nil {
		panic("torchtest: a tensor in an instance")
	}
	return Pickle(p.b.String() + "b")
}

// Tensor is a tensor. Its elements are a []float32, []float64 or []int32.
type Tensor struct {
	Shape    []int
	Elements any
}

// Archive returns a file with a value of type nil, bool, int, float64, string, []any, [Dict], [Pickle] or [Tensor].
func Archive(t testing.TB, value any) []byte {
	t.Helper()
	p := pickler{}
	p.b.WriteString("\x80\x02")
	p.put(value)
	p.b.WriteByte('.')
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	write := func(name string, data []byte) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("m/data.pkl", p.b.Bytes())
	for i, s := range p.storages {
		write(fmt.Sprint("m/data/", i), s)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// pickler writes values in protocol 2.
type pickler struct {
	b        bytes.Buffer
	storages [][]byte
}

func (p *pickler) put(value any) {
	switch v := value.(type) {
	case nil:
		p.b.WriteByte('N')
	case bool:
		p.b.WriteByte(map[bool]byte{false: 0x89, true: 0x88}[v])
	case int:
		p.b.Write(binary.LittleEndian.AppendUint32([]byte{'J'}, uint32(v)))
	case float64:
		p.b.Write(binary.BigEndian.AppendUint64([]byte{'G'}, math.Float64bits(v)))
	case string:
		p.b.Write(binary.LittleEndian.AppendUint32([]byte{'X'}, uint32(len(v))))
		p.b.WriteString(v)
	case []any:
		p.b.WriteString("](")
		p.all(v)
		p.b.WriteByte('e')
	case Dict:
		p.b.WriteString("}(")
		p.all(v)
		p.b.WriteByte('u')
	case Pickle:
		p.b.WriteString(string(v))
	case Tensor:
		p.tensor(v)
	default:
		panic(fmt.Sprintf("torchtest: a %T", value))
	}
}

func (p *pickler) all(values []any) {
	for _, v := range values {
		p.put(v)
	}
}

func (p *pickler) tensor(t Tensor) {
	var storage bytes.Buffer
	if err := binary.Write(&storage, binary.LittleEndian, t.Elements); err != nil {
		panic(err)
	}
	class, size := "FloatStorage", 4
	switch t.Elements.(type) {
	case []float64:
		class, size = "DoubleStorage", 8
	case []int32:
		class = "IntStorage"
	}
	p.b.WriteString("ctorch._utils\n_rebuild_tensor_v2\n((")
	p.put("storage")
	p.b.WriteString("ctorch\n" + class + "\n")
	p.all([]any{fmt.Sprint(len(p.storages)), "cpu", storage.Len() / size})
	p.b.WriteString("tQ")
	p.storages = append(p.storages, storage.Bytes())
	p.put(0)
	stride, strides := 1, make([]any, len(t.Shape))
	for i := range t.Shape {
		k := len(t.Shape) - 1 - i
		strides[k] = stride
		stride *= t.Shape[k]
	}
	p.b.WriteByte('(')
	for _, n := range t.Shape {
		p.put(n)
	}
	p.b.WriteString("t(")
	p.all(strides)
	p.b.WriteString("t\x89ccollections\nOrderedDict\n)RtR")
}
