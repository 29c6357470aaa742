package readback

import (
	"slices"
	"strings"
)

// elaboration turns a hierarchy of modules into one graph.
type elaboration struct {
	g         *graph
	modules   map[string]*module
	instances []*inside
	// These slices hold the output, the data input and the clock of each register.
	q, data, clocks []pin
	scratch         []pin
}

// inside is an instance of a module. The first instance is the top module.
type inside struct {
	*module
	parent   int
	outer    map[int32]int32 // maps the net of each input port to the parent's net at the port
	children map[int32]pin   // maps each net that an instance drives to the instance's output port
	value    []literal       // by net: the literal of the net, unknownValue or visited
}

// pin is a net of an instance.
type pin struct {
	instance int
	net      int32
}

// These are the values of a net that has no literal yet, and the value of a net that yosys leaves undefined.
const (
	unknownValue literal = 1<<32 - 1
	visited      literal = 1<<32 - 2
	undefined    literal = 1<<32 - 3
)

// maxNesting bounds how deeply instances may be nested.
const maxNesting = 100

// elaborate returns the graph of the module whose name is top.
func elaborate(modules map[string]*module, top string) (*graph, error) {
	m := modules[top]
	if m == nil {
		return nil, mismatch("yosys reads no module %s", top)
	}
	e := &elaboration{modules: modules}
	if _, err := e.instantiate(m, -1, 0); err != nil {
		return nil, err
	}
	e.number()
	if err := e.evaluateRegisters(); err != nil {
		return nil, err
	}
	return e.g, e.evaluateWires()
}

// instantiate adds an instance of m and all instances inside it, and returns its number.
func (e *elaboration) instantiate(m *module, parent, depth int) (int, error) {
	if depth > maxNesting {
		return 0, mismatch("more than %d nested instances at %s", maxNesting, m.name)
	}
	number := len(e.instances)
	in := &inside{
		module: m, parent: parent, outer: map[int32]int32{}, children: map[int32]pin{},
		value: make([]literal, len(m.names)),
	}
	for v, by := range m.driver {
		if in.value[v] = unknownValue; by == noDigit {
			in.value[v] = undefined
		}
	}
	e.instances = append(e.instances, in)
	for _, p := range m.parts {
		if p.kind != instance {
			continue
		}
		of := e.modules[p.of]
		if of == nil {
			return 0, mismatch("yosys reads a cell that is neither a gate nor a plain register: %s", p.of)
		}
		i, err := e.instantiate(of, number, depth+1)
		if err != nil {
			return 0, err
		}
		if err := e.connect(in, p, i); err != nil {
			return 0, err
		}
	}
	return number, nil
}

// connect connects the ports of an instance that was just added.
func (e *elaboration) connect(in *inside, p part, number int) error {
	of := e.instances[number]
	output := map[int32]bool{}
	for _, v := range of.outputs {
		output[v] = true
	}
	for i, port := range p.ports {
		v, ok := of.nets[port]
		switch {
		case ok && of.driver[v] == inputPort:
			of.outer[v] = p.in[i]
		case !ok || !output[v]:
			return mismatch("%s has no port %s", p.of, port)
		case in.driver[p.in[i]] == noDigit: // this output is not connected
		default:
			if _, twice := in.children[p.in[i]]; twice || in.driver[p.in[i]] != noDriver {
				return mismatch("%s has more than one driver", in.names[p.in[i]])
			}
			in.children[p.in[i]] = pin{number, v}
		}
	}
	return nil
}

// number assigns variables to the inputs and the registers.
func (e *elaboration) number() {
	for i, in := range e.instances {
		for _, p := range in.parts {
			if p.kind == register {
				e.q = append(e.q, pin{i, p.out[0]})
				e.data, e.clocks = append(e.data, pin{i, p.in[0]}), append(e.clocks, pin{i, p.in[1]})
			}
		}
	}
	top := e.instances[0]
	names := make([]string, len(top.inputs))
	for i, v := range top.inputs {
		names[i] = top.names[v]
		top.value[v] = literal(2 * (1 + i))
	}
	e.g = newGraph(names, len(e.q))
	for i, q := range e.q {
		e.instances[q.instance].value[q.net] = literal(2 * (e.g.firstRegister + i))
	}
}

// evaluateRegisters makes the gates in front of the registers.
func (e *elaboration) evaluateRegisters() error {
	for i := range e.q {
		data, err := e.defined(e.data[i])
		if err != nil {
			return err
		}
		clock, err := e.defined(e.clocks[i])
		if err != nil {
			return err
		}
		e.g.registers, e.g.clocks = append(e.g.registers, data), append(e.g.clocks, clock)
	}
	return nil
}

// evaluateWires makes the gates in front of the outputs, and in front of the top module's wires with a name
// from the file.
func (e *elaboration) evaluateWires() error {
	top := e.instances[0]
	for _, v := range top.outputs {
		l, err := e.defined(pin{0, v})
		if err != nil {
			return err
		}
		e.g.outputs[newBit(top.names[v])] = l
	}
	for i, name := range top.names {
		v := int32(i)
		if _, child := top.children[v]; strings.HasPrefix(name, "$") || top.driver[v] == noDriver && !child {
			continue
		}
		l, err := e.defined(pin{0, v})
		if err != nil {
			return err
		}
		e.g.wires[newBit(name)] = l
	}
	return nil
}

// defined returns the literal of a net, or an error if the net is undefined.
func (e *elaboration) defined(at pin) (literal, error) {
	l, err := e.literal(at)
	if err == nil && l == undefined {
		err = mismatch("an unknown value is used")
	}
	return l, err
}

// literal returns the literal of a net. It uses a stack of nets instead of recursion, because the logic of a net may
// be deep.
func (e *elaboration) literal(at pin) (literal, error) {
	stack := []pin{at}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		in := e.instances[at.instance]
		if known(in.value[at.net]) {
			stack = stack[:len(stack)-1]
			continue
		}
		needs, err := e.needs(at)
		if err != nil {
			return 0, err
		}
		before := len(stack)
		for _, need := range needs {
			switch e.value(need) {
			case visited:
				return 0, mismatch("%s depends on itself", in.names[at.net])
			case unknownValue:
				stack = append(stack, need)
			}
		}
		if in.value[at.net] = visited; len(stack) == before {
			e.define(at, needs)
		}
	}
	return e.value(at), nil
}

func known(v literal) bool { return v != unknownValue && v != visited }

func (e *elaboration) value(at pin) literal { return e.instances[at.instance].value[at.net] }

// needs returns the nets that define a net. The result is valid until the next call.
func (e *elaboration) needs(at pin) ([]pin, error) {
	in := e.instances[at.instance]
	e.scratch = e.scratch[:0]
	if c, ok := in.children[at.net]; ok {
		return append(e.scratch, c), nil
	}
	switch by := in.driver[at.net]; by {
	case noDriver:
		return nil, mismatch("%s has no driver", in.names[at.net])
	case inputPort:
		v, ok := in.outer[at.net]
		if !ok {
			return nil, mismatch("input %s of an instance of %s is not connected", in.names[at.net], in.name)
		}
		return append(e.scratch, pin{in.parent, v}), nil
	default:
		for _, v := range in.parts[by].in {
			e.scratch = append(e.scratch, pin{at.instance, v})
		}
		return e.scratch, nil
	}
}

// define sets the value of a net from the values of the nets that define it.
func (e *elaboration) define(at pin, needs []pin) {
	in := e.instances[at.instance]
	by := in.driver[at.net]
	if by < 0 {
		in.value[at.net] = e.value(needs[0])
		return
	}
	values := make([]literal, len(needs))
	for i, need := range needs {
		values[i] = e.value(need)
	}
	p := &in.parts[by]
	if p.kind == cover {
		in.value[at.net] = e.cover(p.table, values)
		return
	}
	if slices.Contains(values, undefined) {
		for _, v := range p.out {
			in.value[v] = undefined
		}
		return
	}
	a, b := values[:p.a], values[p.a:]
	if p.kind == greater {
		for _, v := range p.out[1:] {
			in.value[v] = 0
		}
		in.value[p.out[0]] = e.g.greater(a, b)
		return
	}
	carry := literal(0)
	for i, v := range p.out {
		in.value[v], carry = e.g.addDigit(digit(a, i), digit(b, i), carry)
	}
}

// cover returns the literal of a function. It is undefined if it depends on an undefined input. A model of a look-up
// table may have an undefined bit of the table as an input that a constant input does not select.
func (e *elaboration) cover(table uint16, in []literal) literal {
	j := slices.Index(in, undefined)
	if j < 0 {
		return e.g.function(table, in)
	}
	in = slices.Clone(in)
	in[j] = 0
	low := e.cover(table, in)
	if in[j] = 1; low != e.cover(table, in) {
		return undefined
	}
	return low
}

// digit returns digit i of a number, or 0 beyond its last digit.
func digit(number []literal, i int) literal {
	if i < len(number) {
		return number[i]
	}
	return 0
}
