package onnx

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
)

// These are the numbers of the fields of TensorProto that hold elements.
const (
	fieldFloats  = 4
	fieldInt32s  = 5
	fieldInt64s  = 7
	fieldDoubles = 10
	fieldUint64s = 11
)

// Decode reads a model. The model's tensors share the memory of data. In addition, Decode allocates at most len(data)
// bytes plus 16 MB. It returns an error if data is not a model.
func Decode(data []byte) (*Model, error) {
	d := &decoder{left: int64(len(data)) + 16<<20}
	m := &Model{}
	if err := d.model(data, m); err != nil {
		return nil, fmt.Errorf("no model of ONNX: %w", err)
	}
	return m, nil
}

// decoder counts the bytes that may still be allocated.
type decoder struct{ left int64 }

func (d *decoder) take(bytes int) error {
	if d.left -= int64(bytes); d.left < 0 {
		return errors.New("it has more parts than a file of its size has in earnest")
	}
	return nil
}

// text copies a string of the file to the given place.
func (d *decoder) text(to *string, b []byte) error {
	*to = string(b)
	return d.take(len(b))
}

// add appends an element to a list and reads it. A growing list counts twice in the allocated memory.
func add[T any](d *decoder, list *[]T, read func(*T) error) error {
	if err := d.take(2 * int(reflect.TypeFor[T]().Size())); err != nil {
		return err
	}
	*list = append(*list, *new(T))
	return read(&(*list)[len(*list)-1])
}

// fields calls visit for each field of a message. For a field that is a number, v is its value. For a string or a
// message, b holds its bytes.
func fields(b []byte, visit func(number int, kind protowire.Type, v uint64, b []byte) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var v uint64
		var inner []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var x uint32
			x, n = protowire.ConsumeFixed32(b)
			v = uint64(x)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := visit(int(number), kind, v, inner); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// field says whether a field is read as a number or as bytes. A field with another wire type is an error.
type field struct {
	number func(uint64) error
	bytes  func([]byte) error
}

func (d *decoder) message(b []byte, rules map[int]field) error {
	return fields(b, func(number int, kind protowire.Type, v uint64, inner []byte) error {
		rule, ok := rules[number]
		switch {
		case !ok:
			return nil
		case kind == protowire.BytesType && rule.bytes != nil:
			return rule.bytes(inner)
		case kind != protowire.BytesType && kind != protowire.StartGroupType && rule.number != nil:
			return rule.number(v)
		}
		return fmt.Errorf("field %d has the wrong form", number)
	})
}

// These functions return the rules for most fields.

func (d *decoder) str(to *string) field {
	return field{bytes: func(b []byte) error { return d.text(to, b) }}
}

func integer[T ~int32 | ~int64](to *T) field {
	return field{number: func(v uint64) error { *to = T(v); return nil }}
}

func count(to *int) field { return field{bytes: func([]byte) error { *to++; return nil }} }

func (d *decoder) strs(to *[]string) field {
	return field{bytes: func(b []byte) error {
		return add(d, to, func(s *string) error { return d.text(s, b) })
	}}
}

func list[T any](d *decoder, to *[]T, read func([]byte, *T) error) field {
	return field{bytes: func(b []byte) error {
		return add(d, to, func(x *T) error { return read(b, x) })
	}}
}

// integers returns the rule for a list of numbers, which may be packed.
func (d *decoder) integers(to *[]int64) field {
	one := func(v uint64) error { return add(d, to, func(x *int64) error { *x = int64(v); return nil }) }
	return field{one, func(b []byte) error {
		for len(b) > 0 {
			v, n := protowire.ConsumeVarint(b)
			if n < 0 {
				return protowire.ParseError(n)
			}
			if err := one(v); err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	}}
}

func (d *decoder) floats(to *[]float32) field {
	one := func(v uint64) error {
		return add(d, to, func(x *float32) error { *x = math.Float32frombits(uint32(v)); return nil })
	}
	return field{one, func(b []byte) error {
		for len(b) > 0 {
			v, n := protowire.ConsumeFixed32(b)
			if n < 0 {
				return protowire.ParseError(n)
			}
			if err := one(uint64(v)); err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	}}
}

// These functions read the messages. They list the rules by field number.

func (d *decoder) model(b []byte, m *Model) error {
	return d.message(b, map[int]field{
		1: integer(&m.IRVersion), 2: d.str(&m.Producer), 3: d.str(&m.ProducerVersion), 6: d.str(&m.Doc),
		7:  {bytes: func(b []byte) error { return d.graph(b, &m.Graph) }},
		8:  list(d, &m.Opsets, d.opset),
		20: count(&m.Training), 25: count(&m.Functions),
	})
}

func (d *decoder) opset(b []byte, o *Opset) error {
	return d.message(b, map[int]field{1: d.str(&o.Domain), 2: integer(&o.Version)})
}

func (d *decoder) graph(b []byte, g *Graph) error {
	return d.message(b, map[int]field{
		1: list(d, &g.Nodes, d.node), 2: d.str(&g.Name), 5: list(d, &g.Initializers, d.tensor),
		11: list(d, &g.Inputs, d.value), 12: list(d, &g.Outputs, d.value), 15: count(&g.Sparse),
	})
}

func (d *decoder) node(b []byte, n *Node) error {
	return d.message(b, map[int]field{
		1: d.strs(&n.Inputs), 2: d.strs(&n.Outputs), 3: d.str(&n.Name), 4: d.str(&n.Op),
		5: list(d, &n.Attributes, d.attribute), 7: d.str(&n.Domain),
	})
}

func (d *decoder) attribute(b []byte, a *Attribute) error {
	return d.message(b, map[int]field{
		1:  d.str(&a.Name),
		2:  {number: func(v uint64) error { a.Float = math.Float32frombits(uint32(v)); return nil }},
		3:  integer(&a.Int),
		4:  d.str(&a.Text),
		5:  {bytes: func(b []byte) error { a.Tensor = &Tensor{}; return d.tensor(b, a.Tensor) }},
		7:  d.floats(&a.Floats),
		8:  d.integers(&a.Ints),
		20: integer(&a.Type),
	})
}

func (d *decoder) tensor(b []byte, t *Tensor) error {
	if err := d.take(int(reflect.TypeFor[Tensor]().Size())); err != nil {
		return err
	}
	t.message = b
	location := int64(0)
	err := d.message(b, map[int]field{
		1: d.integers(&t.Dims), 2: integer(&t.Type), 8: d.str(&t.Name),
		9:  {bytes: func(b []byte) error { t.Raw = b; return nil }},
		14: integer(&location),
	})
	t.External = location != 0
	return err
}

func (d *decoder) value(b []byte, v *Value) error {
	return d.message(b, map[int]field{
		1: d.str(&v.Name),
		2: {bytes: func(b []byte) error {
			return d.message(b, map[int]field{1: {bytes: func(b []byte) error { return d.tensorType(b, v) }}})
		}},
	})
}

func (d *decoder) tensorType(b []byte, v *Value) error {
	return d.message(b, map[int]field{
		1: integer(&v.Type),
		2: {bytes: func(b []byte) error {
			v.Known = true
			return d.message(b, map[int]field{1: list(d, &v.Shape, d.dim)})
		}},
	})
}

func (d *decoder) dim(b []byte, dim *Dim) error {
	return d.message(b, map[int]field{1: integer(&dim.Size), 2: d.str(&dim.Name)})
}
