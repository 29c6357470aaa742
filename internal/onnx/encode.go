package onnx

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxFile is the size of the largest file that Write writes. Readers of protobuf messages refuse larger files.
const MaxFile = math.MaxInt32

// Write writes a model. The tensors must have their elements in Raw. The same model always gives the same bytes.
// Write allocates memory for a copy of everything in m except the elements. If the file would be larger than
// [MaxFile], it returns an error before it writes anything. Other errors come from w.
func Write(w io.Writer, m *Model) error {
	graph := graphParts(&m.Graph)
	head := append(number(nil, 1, m.IRVersion), text(nil, 2, m.Producer)...)
	head = text(text(head, 3, m.ProducerVersion), 6, m.Doc)
	head = protowire.AppendVarint(protowire.AppendTag(head, 7, protowire.BytesType), uint64(length(graph)))
	var tail []byte
	for _, o := range m.Opsets {
		tail = message(tail, 8, number(text(nil, 1, o.Domain), 2, o.Version))
	}
	if total := len(head) + length(graph) + len(tail); total > MaxFile {
		return fmt.Errorf("the file would have %d bytes, more than the %d that a reader takes", total, MaxFile)
	}
	for _, part := range append(append([][]byte{head}, graph...), tail) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func length(parts [][]byte) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// graphParts returns the message of a graph in parts. The tensors' elements are not copied.
func graphParts(g *Graph) [][]byte {
	var b []byte
	for i := range g.Nodes {
		b = message(b, 1, node(&g.Nodes[i]))
	}
	parts := [][]byte{text(b, 2, g.Name)}
	for i := range g.Initializers {
		t := &g.Initializers[i]
		head := protowire.AppendVarint(protowire.AppendTag(tensorHead(t), 9, protowire.BytesType), uint64(len(t.Raw)))
		b := protowire.AppendVarint(protowire.AppendTag(nil, 5, protowire.BytesType), uint64(len(head)+len(t.Raw)))
		parts = append(parts, append(b, head...), t.Raw)
	}
	b = nil
	for i := range g.Inputs {
		b = message(b, 11, value(&g.Inputs[i]))
	}
	for i := range g.Outputs {
		b = message(b, 12, value(&g.Outputs[i]))
	}
	return append(parts, b)
}

// number appends a number, text appends a string, and message appends a message. An empty string is omitted.

func number(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func text(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func message(b []byte, field protowire.Number, inner []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), inner)
}

func node(n *Node) []byte {
	var b []byte
	for _, s := range n.Inputs {
		b = message(b, 1, []byte(s)) // an empty name is written too, because it marks an omitted operand
	}
	for _, s := range n.Outputs {
		b = message(b, 2, []byte(s))
	}
	b = text(text(b, 3, n.Name), 4, n.Op)
	for i := range n.Attributes {
		b = message(b, 5, attribute(&n.Attributes[i]))
	}
	return text(b, 7, n.Domain)
}

func attribute(a *Attribute) []byte {
	b := text(nil, 1, a.Name)
	switch a.Type {
	case AttributeInt:
		b = number(b, 3, a.Int)
	case AttributeInts:
		for _, v := range a.Ints {
			b = number(b, 8, v)
		}
	case AttributeFloat:
		b = protowire.AppendFixed32(protowire.AppendTag(b, 2, protowire.Fixed32Type), math.Float32bits(a.Float))
	case AttributeFloats:
		for _, v := range a.Floats {
			b = protowire.AppendFixed32(protowire.AppendTag(b, 7, protowire.Fixed32Type), math.Float32bits(v))
		}
	case AttributeText:
		b = text(b, 4, a.Text)
	case AttributeTensor:
		b = message(b, 5, message(tensorHead(a.Tensor), 9, a.Tensor.Raw))
	}
	return number(b, 20, int64(a.Type))
}

// tensorHead returns the part of a tensor's message before its elements.
func tensorHead(t *Tensor) (b []byte) {
	for _, d := range t.Dims {
		b = number(b, 1, d)
	}
	return text(number(b, 2, int64(t.Type)), 8, t.Name)
}

func value(v *Value) []byte {
	var shape []byte
	for _, d := range v.Shape {
		if d.Name != "" {
			shape = message(shape, 1, text(nil, 2, d.Name))
		} else {
			shape = message(shape, 1, number(nil, 1, d.Size))
		}
	}
	tensor := number(nil, 1, int64(v.Type))
	if v.Known {
		tensor = message(tensor, 2, shape)
	}
	return message(text(nil, 1, v.Name), 2, message(nil, 1, tensor))
}

// Ints returns an attribute of whole numbers.
func Ints(name string, v ...int64) Attribute {
	return Attribute{Name: name, Type: AttributeInts, Ints: v}
}

// Int returns an attribute that is a whole number.
func Int(name string, v int64) Attribute { return Attribute{Name: name, Type: AttributeInt, Int: v} }

// Int64s returns a tensor of whole numbers.
func Int64s(name string, dims []int64, v []int64) Tensor {
	raw := make([]byte, 0, 8*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	return Tensor{Name: name, Type: Int64, Dims: dims, Raw: raw}
}

// Float32s returns a tensor of real numbers.
func Float32s(name string, dims []int64, v []float32) Tensor {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return Tensor{Name: name, Type: Float, Dims: dims, Raw: raw}
}

// Bytes returns a tensor of numbers below 256.
func Bytes(name string, dims []int64, v []byte) Tensor {
	return Tensor{Name: name, Type: Uint8, Dims: dims, Raw: v}
}
