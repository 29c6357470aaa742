// Package qonnx reads networks of look-up tables from QONNX files. QONNX is ONNX with the operators LookupTable and
// LookupTableConv of the domain qonnx.custom_op.lnn
// (https://github.com/fastmachinelearning/qonnx/tree/main/docs/qonnx-custom-ops). Operators of ONNX may come before
// these operators (to turn features into bits), between them (to rearrange bits) and after them (to count bits).
//
// [Read] computes the graph once, for one sample, with references to bits instead of numbers. A [value] holds
// features of the input, numbers made of bits, or sums of bits. An operator that permutes elements permutes
// references, LookupTable adds nodes to a [graph.Circuit], and ReduceSum collects the bits that count for each class.
// For any other operator, Read returns an error with the node's name. The first axis of every value is the batch. No
// operator may depend on the length of this axis.
//
// A number of b bits has b references, lowest bit first. Slot 0 of a LookupTable is the lowest digit of the address,
// but pin 0 of a node is the highest digit of a line. The pins are therefore the slots in reverse order, and the
// tables need no change. A table of more than six inputs becomes several nodes. Some of these nodes choose among
// parts of the table.
//
// In addition to the file, Read allocates at most three times the file's size plus 24 MB of memory. This limit
// includes garbage that was not yet collected. If one table is used at many positions of an image, its unrolled nodes
// take additional memory. The number of unrolled nodes is at most [maxUnrolled], even for a large file.
package qonnx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/message"
	"ialgn/internal/onnx"
)

// Domain is the domain of the operators. Newest is the newest known version of the domain.
const (
	Domain = "qonnx.custom_op.lnn"
	Newest = 3
)

// maxFile is the size of the largest file that is read. The limit is ONNX's own.
const maxFile = onnx.MaxFile

// Read reads a network. If the graph ends in the bits of its last layer, the user must say which bits belong to which
// class, and must give tau and beta. If some of this data is missing, Read returns a [*given.Missing].
func Read(src *given.Source) (*graph.Network, error) {
	net, err := read(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return net, nil
}

func read(src *given.Source) (*graph.Network, error) {
	data, err := src.Bytes(maxFile)
	if err != nil {
		return nil, err
	}
	m, err := onnx.Decode(data)
	if err != nil {
		return nil, err
	}
	if err := checkModel(m); err != nil {
		return nil, err
	}
	r := &reader{
		net: &graph.Network{Format: "qonnx"}, src: src, graph: &m.Graph,
		values: map[string]*value{}, constants: map[string]*onnx.Tensor{}, made: map[string]bool{},
		memory: 3*src.Size + 24<<20, unrolled: maxUnrolled, work: maxWork + 64*src.Size,
	}
	net, err := r.network()
	if err != nil && !slices.ContainsFunc(m.Graph.Nodes, isLookup) {
		return nil, noLookups(&m.Graph)
	}
	return net, err
}

// network computes the graph and makes the network from its outputs.
func (r *reader) network() (*graph.Network, error) {
	if err := r.run(); err != nil {
		return nil, err
	}
	return r.finish()
}

// isLookup reports whether a node is an operator of look-up tables.
func isLookup(n onnx.Node) bool { return operators[Domain][n.Op] != nil }

// noLookups returns the error for a graph without look-up tables, such as an ordinary neural network.
func noLookups(g *onnx.Graph) error {
	others := map[string]bool{}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; operators[n.Domain][n.Op] == nil {
			others[n.Op] = true
		}
	}
	err := fmt.Errorf("its graph has no LookupTable of %s", Domain)
	if len(others) > 0 {
		err = fmt.Errorf("%w, but %.80s", err, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	}
	return message.WithHint(err, "only networks of gates and look-up tables are read, not networks of sums of products: "+
		"docs/guides/frameworks.md; `ialgn train` trains one on the same data")
}

// checkModel returns an error for parts of a model that would change the meaning of its graph.
func checkModel(m *onnx.Model) error {
	switch {
	case m.Functions > 0:
		return fmt.Errorf("it has %d functions: save it with its functions inlined", m.Functions)
	case m.Training > 0:
		return fmt.Errorf("it has steps of training: save it for inference")
	case m.Graph.Sparse > 0:
		return fmt.Errorf("it has sparse constants: save them as dense ones")
	case len(m.Graph.Nodes) == 0:
		return fmt.Errorf("its graph has no nodes")
	}
	for _, o := range m.Opsets {
		if o.Domain == Domain && (o.Version < 1 || o.Version > Newest) {
			return fmt.Errorf("it uses version %d of the operators %s, but only versions 1 to %d are known: save it with one "+
				"of these", o.Version, Domain, Newest)
		}
	}
	return nil
}

// reader reads a graph.
type reader struct {
	src   *given.Source
	net   *graph.Network
	graph *onnx.Graph

	values    map[string]*value
	constants map[string]*onnx.Tensor
	made      map[string]bool // names of all values so far, including the values that were freed
	last      map[string]int  // for each value that matters, the last node that reads it

	circuit *graph.Circuit // nil until a node turns the input into bits
	layers  []layer        // the LookupTables so far; finish checks whether they form a chain
	lookups int            // number of look-up table operators in the graph

	memory   int64 // bytes that may still be allocated
	unrolled int64 // nodes that may still be unrolled
	work     int64 // elements that may still be processed
}

// These are the limits. The limits on work keep a small file from occupying the processor for a long time.
const (
	maxUnrolled = 1 << 24
	maxWork     = 1 << 28
	maxInputs   = 1 << 26
)

// take takes bytes from the memory limit, and free gives them back.
func (r *reader) take(bytes int64) error {
	if r.memory -= bytes; r.memory < 0 {
		return fmt.Errorf("the network takes more memory than a file of %d bytes may ask for", r.src.Size)
	}
	return nil
}

func (r *reader) free(bytes int64) { r.memory += bytes }

// room returns an error if there is no memory for the given number of references.
func (r *reader) room(references int) error {
	if err := r.take(4 * int64(references)); err != nil {
		return err
	}
	r.free(4 * int64(references))
	return nil
}

// look counts the given number of elements as processed. It returns an error if they exceed the limit.
func (r *reader) look(elements int) error {
	if r.work -= int64(elements); r.work < 0 {
		return fmt.Errorf("the graph takes more steps than a file of %d bytes may ask for", r.src.Size)
	}
	return nil
}

// run computes the nodes that the outputs depend on.
func (r *reader) run() error {
	for i := range r.graph.Initializers {
		t := &r.graph.Initializers[i]
		if r.made[t.Name] {
			return fmt.Errorf("there are two constants %.80q", t.Name)
		}
		r.made[t.Name], r.constants[t.Name] = true, t
	}
	if err := r.input(); err != nil {
		return err
	}
	r.uses()
	for i := range r.graph.Nodes {
		n := &r.graph.Nodes[i]
		if !r.matters(n) {
			continue
		}
		if err := r.node(n); err != nil {
			return fmt.Errorf("node %.80q (%.80s): %w", nodeName(n, i), n.Op, err)
		}
		for _, name := range n.Inputs {
			if v := r.values[name]; v != nil && r.last[name] == i {
				r.free(v.bytes())
				delete(r.values, name)
			}
		}
	}
	return nil
}

func nodeName(n *onnx.Node, i int) string {
	switch {
	case n.Name != "":
		return n.Name
	case len(n.Outputs) > 0:
		return n.Outputs[0]
	}
	return fmt.Sprint(i)
}

// uses finds the last node that reads each value on which an output depends.
func (r *reader) uses() {
	r.last = map[string]int{}
	for _, o := range r.graph.Outputs {
		r.last[o.Name] = len(r.graph.Nodes)
	}
	for i := len(r.graph.Nodes) - 1; i >= 0; i-- {
		n := &r.graph.Nodes[i]
		if !r.matters(n) {
			continue
		}
		for _, name := range n.Inputs {
			if _, ok := r.last[name]; !ok {
				r.last[name] = i
			}
		}
	}
}

func (r *reader) matters(n *onnx.Node) bool {
	return slices.ContainsFunc(n.Outputs, func(name string) bool { _, ok := r.last[name]; return ok })
}

// operator computes a node and returns the value of its output.
type operator func(r *reader, n *onnx.Node) (*value, error)

// operators holds the known operators, by domain and name.
var operators map[string]map[string]operator

func init() { // in init, because functions in the table refer to the table
	standard := map[string]operator{
		"Identity": identity, "Reshape": reshape, "Flatten": flatten, "Unsqueeze": unsqueeze, "Squeeze": squeeze,
		"Transpose": transpose, "Concat": concat, "Gather": gather, "Cast": cast, "Greater": compare, "Less": compare,
		"GreaterOrEqual": compare, "LessOrEqual": compare, "ReduceSum": reduceSum, "Add": add, "Sub": add, "Mul": multiply,
		"Div": divide, "ArgMax": argMax, "MaxPool": maxPool,
	}
	operators = map[string]map[string]operator{
		"": standard, "ai.onnx": standard,
		Domain: {"LookupTable": lookupTable, "LookupTableConv": lookupTableConv},
	}
}

// node computes a node and stores its value.
func (r *reader) node(n *onnx.Node) error {
	if len(n.Outputs) == 0 || r.made[n.Outputs[0]] {
		return fmt.Errorf("its output has no name of its own")
	}
	if used := slices.IndexFunc(n.Outputs[1:], func(name string) bool { _, ok := r.last[name]; return ok }); used >= 0 {
		return fmt.Errorf("its output %.80q is used, but is not supported", n.Outputs[used+1])
	}
	r.made[n.Outputs[0]] = true
	if done, err := r.constant(n); done || err != nil {
		return err
	}
	op, ok := operators[n.Domain][n.Op]
	if !ok {
		return unknownOperator(n)
	}
	for _, name := range n.Inputs {
		if name != "" && r.values[name] == nil && r.constants[name] == nil {
			return fmt.Errorf("it reads %.80q, which nothing before it makes", name)
		}
	}
	v, err := op(r, n)
	if err != nil {
		return err
	}
	if err := r.take(v.bytes()); err != nil {
		return err
	}
	r.values[n.Outputs[0]] = v
	return r.look(len(v.refs) + len(v.feature))
}

// unknownOperator returns an error that lists the known operators.
func unknownOperator(n *onnx.Node) error {
	for domain, ops := range operators {
		if _, ok := ops[n.Op]; ok && domain != "ai.onnx" {
			return fmt.Errorf("it is of the domain %.80q: the operator that is read is of %q", n.Domain, domain)
		}
	}
	known := slices.Sorted(maps.Keys(operators[""]))
	return fmt.Errorf("the operator is not read: save the network as LookupTable and LookupTableConv of %s, with %s "+
		"around them", Domain, strings.Join(known, ", "))
}

// constant stores the output of a node if the output is a constant.
func (r *reader) constant(n *onnx.Node) (done bool, err error) {
	if n.Domain != "" && n.Domain != "ai.onnx" {
		return false, nil
	}
	out := n.Outputs[0]
	switch {
	case n.Op == "Identity" && len(n.Inputs) == 1 && r.constants[n.Inputs[0]] != nil:
		r.constants[out] = r.constants[n.Inputs[0]]
		return true, nil
	case n.Op != "Constant" || len(n.Attributes) != 1:
		return false, nil
	}
	var t onnx.Tensor
	switch a := &n.Attributes[0]; a.Name {
	case "value":
		if a.Tensor == nil {
			return false, fmt.Errorf("it has no value")
		}
		t = *a.Tensor
	case "value_int":
		t = onnx.Int64s(out, nil, []int64{a.Int})
	case "value_ints":
		t = onnx.Int64s(out, []int64{int64(len(a.Ints))}, a.Ints)
	case "value_float":
		t = onnx.Float32s(out, nil, []float32{a.Float})
	case "value_floats":
		t = onnx.Float32s(out, []int64{int64(len(a.Floats))}, a.Floats)
	default:
		return false, nil
	}
	r.constants[out] = &t
	return true, r.take(int64(len(t.Raw)))
}
