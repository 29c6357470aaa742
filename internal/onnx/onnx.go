// Package onnx reads and writes files of ONNX, the Open Neural Network Exchange. It supports only the messages
// that graphs of look-up tables need (onnx.proto of ONNX 1.12, https://github.com/onnx/onnx).
//
// A [Model] is decoded from a file ([Decode]), or built and written ([Write]). The ten messages are read field by
// field with protowire instead of generated code. Generated code for the whole schema has ten thousand lines. It
// would copy the whole file, including unknown fields, before it checks anything. Here a tensor remains a part of the
// file's bytes until its elements are needed. The memory of [Decode] is proportional to the size of the file, even if
// the file claims larger sizes.
//
// Decode ignores fields that this package does not know. But functions, training information and sparse tensors would
// change the meaning of a model. Decode counts them, so that callers can refuse the model.
package onnx

// DataType is the type of a tensor's elements, by its number in TensorProto.
type DataType int32

// These are the types of elements.
const (
	Undefined DataType = 0
	Float     DataType = 1
	Uint8     DataType = 2
	Int8      DataType = 3
	Uint16    DataType = 4
	Int16     DataType = 5
	Int32     DataType = 6
	Int64     DataType = 7
	Text      DataType = 8
	Bool      DataType = 9
	Float16   DataType = 10
	Double    DataType = 11
	Uint32    DataType = 12
	Uint64    DataType = 13
)

// kinds has the properties of each element type. The first is the number of bytes of an element in raw data, or 0 if
// the type is not supported. The second is the field for elements that are not in raw data.
var kinds = map[DataType]struct {
	name   string
	bytes  int
	field  int
	signed bool
}{
	Float: {"float32", 4, fieldFloats, true}, Double: {"double", 8, fieldDoubles, true},
	Bool:  {"bool", 1, fieldInt32s, false},
	Uint8: {"uint8", 1, fieldInt32s, false}, Uint16: {"uint16", 2, fieldInt32s, false},
	Uint32: {"uint32", 4, fieldUint64s, false}, Uint64: {"uint64", 8, fieldUint64s, false},
	Int8: {"int8", 1, fieldInt32s, true}, Int16: {"int16", 2, fieldInt32s, true},
	Int32: {"int32", 4, fieldInt32s, true}, Int64: {"int64", 8, fieldInt64s, true},
	Text: {"string", 0, 0, false}, Float16: {"float16", 0, 0, false},
}

// String returns the type's name in ONNX's documents.
func (t DataType) String() string {
	if k, ok := kinds[t]; ok {
		return k.name
	}
	return "of an unknown type"
}

// Whole reports whether elements of type t are whole numbers. Booleans count as whole numbers.
func (t DataType) Whole() bool {
	k, ok := kinds[t]
	return ok && k.bytes > 0 && t != Float && t != Double
}

// Bits returns the number of bits of an element that is a whole number (1 for bool), or 0 for other types.
func (t DataType) Bits() int {
	switch {
	case !t.Whole():
		return 0
	case t == Bool:
		return 1
	}
	return 8 * kinds[t].bytes
}

// Model is the content of an ONNX file.
type Model struct {
	IRVersion                 int64
	Producer, ProducerVersion string
	Doc                       string
	Opsets                    []Opset
	Graph                     Graph

	Functions, Training int // numbers of functions and of training infos in a decoded file
}

// Opset is the version of a set of operators in a model.
type Opset struct {
	Domain  string // empty means ONNX's own operators
	Version int64
}

// Graph is a computation. Its nodes are in topological order.
type Graph struct {
	Name            string
	Nodes           []Node
	Initializers    []Tensor // constants; each name is the name of a value
	Inputs, Outputs []Value

	Sparse int // number of sparse constants in a decoded file
}

// Node is an operator with its operands. An operand is the name of a value. An empty name means that the operand is
// omitted.
type Node struct {
	Name, Op, Domain string
	Inputs, Outputs  []string
	Attributes       []Attribute
}

// Attribute returns the attribute with the given name, or nil.
func (n *Node) Attribute(name string) *Attribute {
	for i := range n.Attributes {
		if n.Attributes[i].Name == name {
			return &n.Attributes[i]
		}
	}
	return nil
}

// AttributeType is the type of an attribute, by its number in AttributeProto.
type AttributeType int32

// These are the attribute types that are supported. For other attributes, only the number of the type is read.
const (
	AttributeFloat  AttributeType = 1
	AttributeInt    AttributeType = 2
	AttributeText   AttributeType = 3
	AttributeTensor AttributeType = 4
	AttributeFloats AttributeType = 6
	AttributeInts   AttributeType = 7
)

// Attribute is a constant of a node.
type Attribute struct {
	Name   string
	Type   AttributeType
	Int    int64
	Ints   []int64
	Float  float32
	Floats []float32
	Text   string
	Tensor *Tensor
}

// Value is an input or output of a graph.
type Value struct {
	Name  string
	Type  DataType // type of a tensor's elements; Undefined if it is not known, or if the value is not a tensor
	Shape []Dim
	Known bool // the file has a shape
}

// Dim is a dimension of a shape. It has a number or, for a variable dimension, a name. If the file gives neither, the
// number is 0 and the name is empty.
type Dim struct {
	Size int64 // 0 if the size is not a number; see Name
	Name string
}
