// Package onnx reads and writes files of ONNX, the Open Neural Network Exchange: the part of its messages that graphs
// of look-up tables are made of (onnx.proto of ONNX 1.12, https://github.com/onnx/onnx).
//
// A [Model] is either decoded from a file ([Decode]) or put together and written ([Write]). The messages are read
// field by field with protowire, not by generated code: there are ten of them, generated code for the whole schema
// has ten thousand lines, and it would copy what a file holds, unknown fields included, before anything is known
// about it. Here a tensor is a part of the file's bytes until its elements are asked for, and [Decode] takes memory
// in proportion to the file, whatever its fields claim.
//
// What is in a file that this package has no field for is left out, but for what would change the meaning of what is
// read: functions, training information, sparse tensors and subgraphs are counted, so that readers can refuse them.
package onnx

// DataType is the type of a tensor's elements, by its number in TensorProto.
type DataType int32

// The types of elements.
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

// kinds says what elements are like: their bytes in raw data, 0 where they are not read, and the field that holds them
// otherwise.
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

// String returns the type's name as ONNX's documents have it.
func (t DataType) String() string {
	if k, ok := kinds[t]; ok {
		return k.name
	}
	return "of an unknown type"
}

// Whole reports whether elements are whole numbers; bool is among them.
func (t DataType) Whole() bool {
	k, ok := kinds[t]
	return ok && k.bytes > 0 && t != Float && t != Double
}

// Bits returns how many bits an element of whole numbers has, 1 of bool; 0 for other types.
func (t DataType) Bits() int {
	switch {
	case !t.Whole():
		return 0
	case t == Bool:
		return 1
	}
	return 8 * kinds[t].bytes
}

// Model is a file.
type Model struct {
	IRVersion                 int64
	Producer, ProducerVersion string
	Doc                       string
	Opsets                    []Opset
	Graph                     Graph

	Functions, Training int // how many there are, of a file that was read
}

// Opset is the version of a set of operators that a model uses.
type Opset struct {
	Domain  string // empty: ONNX's own
	Version int64
}

// Graph is what a model computes: nodes in topological order.
type Graph struct {
	Name            string
	Nodes           []Node
	Initializers    []Tensor // constants, by their names
	Inputs, Outputs []Value

	Sparse int // how many sparse constants there are, of a file that was read
}

// Node is an operator with its operands, which are names of values. An empty name stands for an operand that is left
// out.
type Node struct {
	Name, Op, Domain string
	Inputs, Outputs  []string
	Attributes       []Attribute
}

// Attribute returns the attribute of a name, nil if there is none.
func (n *Node) Attribute(name string) *Attribute {
	for i := range n.Attributes {
		if n.Attributes[i].Name == name {
			return &n.Attributes[i]
		}
	}
	return nil
}

// AttributeType says what an attribute holds, by its number in AttributeProto.
type AttributeType int32

// The types of attributes that are read; of others there is the number alone.
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
	Type  DataType // of a tensor's elements; Undefined: it is no tensor, or the file does not say
	Shape []Dim
	Known bool // whether the file has a shape
}

// Dim is a dimension of a shape: a number, or the name of one that is open. Both are empty where nothing is said.
type Dim struct {
	Size int64 // 0: see Name
	Name string
}
