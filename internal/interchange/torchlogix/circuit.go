package torchlogix

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
)

// operation is the operation of a gate in torchlogix's circuits.
type operation struct {
	name  string
	pins  []int  // the inputs that the operation reads: 0 for in0, 1 for in1
	table uint64 // truth table of these inputs
}

// operations lists all operations. torchlogix reads the last two, but it never writes them.
var operations = []operation{
	{"CONST_FALSE", nil, 0b0},
	{"CONST_TRUE", nil, 0b1},
	{"WIRE", []int{0}, 0b10},
	{"NOT", []int{0}, 0b01},
	{"AND", []int{0, 1}, 0b1000},
	{"OR", []int{0, 1}, 0b1110},
	{"XOR", []int{0, 1}, 0b0110},
	{"NAND", []int{0, 1}, 0b0111},
	{"NOR", []int{0, 1}, 0b0001},
	{"XNOR", []int{0, 1}, 0b1001},
	{"AND_NOT_B", []int{0, 1}, 0b0100},
	{"AND_NOT_A", []int{0, 1}, 0b0010},
	{"OR_NOT_B", []int{0, 1}, 0b1101},
	{"OR_NOT_A", []int{0, 1}, 0b1011},
	{"NOT_A", []int{0}, 0b01},
	{"NOT_B", []int{1}, 0b01},
}

// These are the keys of a circuit's objects.
var (
	circuitKeys = []string{"n_inputs", "input_shape", "outputs", "output_shape", "gates", "sum_nodes"}
	gateKeys    = []string{"gate_id", "op", "in0", "in1", "node_idx"}
	sumKeys     = []string{"node_id", "input_ids", "tau", "beta"}
)

// These are indices into circuitKeys.
const (
	keyInputs = iota
	keyInputShape
	keyOutputs
	keyOutputShape
	keyGates
	keySums
)

// maxInputs is the largest number of features of a sample, and of input bits.
const maxInputs = 1 << 21

// circuitReader reads the JSON of a circuit. Its memory is proportional to the number of gates that were read.
type circuitReader struct {
	src *given.Source
	at  [6]int64 // position of the value of each key; 0 if the key is missing
	net *graph.Network
	ids map[int32]graph.Ref // for each id, the bit of the gate

	shape       []int
	outputs     map[int32]int // for each id, the index of the output
	sums        map[int32]bool
	taus, betas []float64
}

// ReadCircuit reads a network from the JSON of torchlogix's class Circuit. Its method write_json writes this form,
// before or after a call of its method simplify. The circuit does not contain the thermometer, and begins after it.
// If src.Thresholds is set, ReadCircuit adds a thermometer. Otherwise the features are bits.
//
// The file's size limits the memory, and no number in the file is trusted. An error gives the line and column.
func ReadCircuit(src *given.Source) (*graph.Network, error) {
	r := &circuitReader{
		src: src, net: &graph.Network{Format: Format}, ids: map[int32]graph.Ref{}, outputs: map[int32]int{},
		sums: map[int32]bool{},
	}
	for _, step := range []func() error{r.index, r.inputs, r.readOutputs, r.gates, r.readSums, r.sum, r.front} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.report()
	return r.net, nil
}

// RecogniseCircuit reports whether a file is JSON and has a key of torchlogix's circuits among its first bytes.
func RecogniseCircuit(head []byte) bool {
	i := slices.IndexFunc(head, func(b byte) bool { return b > ' ' })
	if i < 0 || head[i] != '{' {
		return false
	}
	for _, key := range []string{`"n_inputs"`, `"sum_nodes"`, `"gate_id"`} {
		if bytes.Contains(head, []byte(key)) {
			return true
		}
	}
	return false
}

// index finds the position of each key's value. It checks that the file is JSON with these keys. Nothing may follow
// the JSON value.
func (r *circuitReader) index() error {
	s := newStream(r.src.File, 0, r.src.Size)
	there, err := s.object(circuitKeys, func(i int) error {
		r.at[i] = s.offset()
		return s.skip(0)
	})
	if err != nil {
		return err
	}
	for _, i := range []int{keyInputs, keyOutputs, keyGates, keySums} {
		if there>>i&1 == 0 {
			return fmt.Errorf("key %q is missing", circuitKeys[i])
		}
	}
	if !s.ended() {
		return s.failf("unexpected text after the circuit")
	}
	return nil
}

// value returns a stream that begins at the value of a key.
func (r *circuitReader) value(key int) *stream { return newStream(r.src.File, r.at[key], r.src.Size) }

// shapeOf reads a shape and checks that its product is the given number. It returns nil if the key is missing.
func (r *circuitReader) shapeOf(key, product int) ([]int, error) {
	if r.at[key] == 0 {
		return nil, nil
	}
	s, n := r.value(key), 1
	var shape []int
	err := s.array(func() error {
		d, err := s.integer()
		if err != nil {
			return err
		}
		if d < 1 || d > maxInputs || int64(n)*d > maxInputs || len(shape) > maxDepth {
			return s.failf("%s: %d elements do not come to %d", circuitKeys[key], d, product)
		}
		shape, n = append(shape, int(d)), n*int(d)
		return nil
	})
	if err == nil && n != product {
		err = s.failf("%s: %v are %d, but there are %d", circuitKeys[key], shape, n, product)
	}
	return shape, err
}

// inputs reads the number of inputs and their shape.
func (r *circuitReader) inputs() error {
	s := r.value(keyInputs)
	n, err := s.integer()
	if err != nil {
		return err
	}
	if n < 1 || n > maxInputs {
		return s.failf("n_inputs: %d, want 1 to %d", n, maxInputs)
	}
	r.net.Circuit = graph.NewCircuit(int(n))
	r.shape, err = r.shapeOf(keyInputShape, int(n))
	if r.shape == nil {
		r.shape = []int{int(n)}
	}
	return err
}

// readOutputs reads the ids of the outputs.
func (r *circuitReader) readOutputs() error {
	s := r.value(keyOutputs)
	err := s.array(func() error {
		id, err := r.id(s)
		if err != nil {
			return err
		}
		if _, twice := r.outputs[id]; twice {
			return s.failf("outputs: %d occurs twice", id)
		}
		r.outputs[id] = len(r.outputs)
		return nil
	})
	if err != nil {
		return err
	}
	if len(r.outputs) == 0 {
		return s.failf("outputs: there are none")
	}
	_, err = r.shapeOf(keyOutputShape, len(r.outputs))
	return err
}

// id reads an id.
func (r *circuitReader) id(s *stream) (int32, error) {
	v, err := s.integer()
	if err == nil && (v < 0 || v > math.MaxInt32) {
		err = s.failf("id %d, want 0 to %d", v, math.MaxInt32)
	}
	return int32(v), err
}

// resolve returns the bit of the input or earlier gate with the given id. It returns false if there is no such bit.
func (r *circuitReader) resolve(id int64) (graph.Ref, bool) {
	if id < 0 || id > math.MaxInt32 {
		return 0, false
	}
	if id < int64(r.net.Circuit.Inputs) {
		return graph.Ref(id), true
	}
	ref, ok := r.ids[int32(id)]
	return ref, ok
}

// gates reads the gates.
func (r *circuitReader) gates() error {
	s := r.value(keyGates)
	var id int64
	var op int
	var operands [2]int64
	part := func(i int) (err error) {
		switch i {
		case 0:
			id, err = s.integer()
		case 1:
			op, err = readOperation(s)
		case 2, 3:
			operands[i-2], err = s.integer()
		case 4:
			_, err = s.integer()
		}
		return err
	}
	return s.array(func() error {
		operands = [2]int64{-1, -1}
		there, err := s.object(gateKeys, part)
		if err != nil {
			return err
		}
		if there&3 != 3 {
			return s.failf("a gate without %q or %q", gateKeys[0], gateKeys[1])
		}
		return r.gate(s, id, operations[op], operands)
	})
}

// readOperation reads the name of an operation and returns its index in operations.
func readOperation(s *stream) (int, error) {
	name, err := s.text()
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(operations, func(o operation) bool { return o.name == string(name) })
	if i < 0 {
		return 0, s.failf("op %.40q is none of torchlogix's", name)
	}
	return i, nil
}

// gate adds a gate.
func (r *circuitReader) gate(s *stream, id int64, op operation, operands [2]int64) error {
	c := r.net.Circuit
	if id < int64(c.Inputs) || id > math.MaxInt32 {
		return s.failf("gate_id %d, want %d to %d", id, c.Inputs, math.MaxInt32)
	}
	if _, twice := r.ids[int32(id)]; twice {
		return s.failf("gate_id %d occurs twice", id)
	}
	if c.Nodes() >= graph.MaxNodes {
		return s.failf("more than %d gates", graph.MaxNodes)
	}
	var pins [2]graph.Ref
	for k, operand := range op.pins {
		ref, ok := r.resolve(operands[operand])
		if !ok {
			return s.failf("gate %d: %s: in%d is %d, which neither an input nor a gate before it has as its id",
				id, op.name, operand, operands[operand])
		}
		pins[k] = ref
	}
	r.ids[int32(id)] = c.Add(op.table, pins[:len(op.pins)]...)
	return nil
}
