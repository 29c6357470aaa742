package difflogic

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ialgn/internal/message"
)

// form is the language of generated code.
type form int

const (
	formC form = iota
	formVerilog
)

// entry is the name of the function in generated C that computes the gates.
const entry = "logic_gate_net"

// gateReader reads the gates of generated code.
type gateReader struct {
	form
	*tokens
	ops    [][]uint8
	starts []int // in C, the number of the first wire of each layer
	w      *Wiring
	seen   [][]bool
}

// readGates reads generated C or Verilog.
func readGates(text []byte, ops [][]uint8, r *gateReader) (*Wiring, error) {
	r.tokens, r.ops, r.w = newTokens(text), ops, &Wiring{Form: "generated Verilog"}
	if r.form == formC {
		r.w.Form = "generated C"
	}
	start := 0
	for _, layer := range ops {
		r.starts = append(r.starts, start)
		start += len(layer)
		r.w.Layers = append(r.w.Layers, WiredLayer{make([]int32, len(layer)), make([]int32, len(layer))})
		r.seen = append(r.seen, make([]bool, len(layer)))
	}
	read := r.verilog
	if r.form == formC {
		read = r.c
	}
	if err := read(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	for l := range r.seen {
		for g, seen := range r.seen[l] {
			if !seen {
				return nil, fmt.Errorf("layer %d, gate %d is not in the text, where the weights have %s in %s", l, g,
					message.Plural(start, "gate", "gates"), message.Plural(len(ops), "layer", "layers"))
			}
		}
	}
	return r.w, nil
}

// c reads the function that computes the gates. It also reads the numbers of inputs and classes from the function
// after it.
func (r *gateReader) c() error {
	named, inGates := false, false
	for previous := ""; r.next() != ""; previous = r.word {
		switch {
		case r.word == entry && previous == "void":
			named = true
		case named && r.word == "{":
			named, inGates = false, true
		case r.word == "}":
			inGates = false
		case inGates && (r.word == "out" || isWire(r.word)):
			if err := r.gate(); err != nil {
				return err
			}
		case !inGates && (r.word == "inp_temp" || r.word == "c"):
			if err := r.cNumbers(r.word); err != nil {
				return err
			}
		}
	}
	return nil
}

// cNumbers reads a number that follows a given word. The number of inputs is in "inp_temp = malloc(64*sizeof...", and
// the number of classes is in "c < 9". cNumbers ignores all other occurrences of the words inp_temp and c.
func (r *gateReader) cNumbers(word string) error {
	if word == "c" {
		if r.peek() != "<" {
			return nil
		}
		r.next()
		return r.said(&r.w.Classes, "classes")
	}
	if r.peek() != "=" {
		return nil
	}
	r.next()
	for _, want := range []string{"malloc", "("} {
		if err := r.want(want); err != nil {
			return err
		}
	}
	return r.said(&r.w.Inputs, "inputs")
}

// peek returns the token after the current token.
func (r *gateReader) peek() string {
	t := *r.tokens
	return t.next()
}

// said reads a number above 0 into n. If the text gives the number several times, all occurrences must be equal.
func (r *gateReader) said(n *int, what string) error {
	v, err := r.number()
	if err != nil {
		return err
	}
	if v == 0 || *n != 0 && *n != v {
		return fmt.Errorf("%d %s, after %d", v, what, *n)
	}
	*n = v
	return nil
}

// isWire reports whether a name in C is the name of a gate's wire.
func isWire(word string) bool {
	if !strings.HasPrefix(word, "v") {
		return false
	}
	_, err := number(word[1:])
	return err == nil
}

// layerOf returns the number N of Verilog's name layerN_out.
func layerOf(word string) (int, bool) {
	digits, ok := strings.CutPrefix(word, "layer")
	digits, end := strings.CutSuffix(digits, "_out")
	n, err := number(digits)
	return n, ok && end && err == nil
}

// declarations lists the words with which declarations begin.
var declarations = []string{"input", "output", "reg", "wire"}

// verilog reads the declarations and the gates of a module.
func (r *gateReader) verilog() error {
	declaration := false // the current token is inside a declaration
	high := 0
	for r.next() != "" {
		_, isLayer := layerOf(r.word)
		switch {
		case slices.Contains(declarations, r.word):
			declaration, high = true, 0
			if r.peek() != "[" {
				continue
			}
			r.next()
			var err error
			if high, err = r.number(); err != nil {
				return err
			}
		case declaration && r.word == "x":
			if r.w.Inputs != 0 {
				return errors.New("the input x is declared twice")
			}
			r.w.Inputs = high + 1
		case declaration && r.word == "result" && r.peek() == "[":
			r.next()
			v, err := r.number()
			if err != nil {
				return err
			}
			r.w.Classes = v + 1
		case r.word == ";" || r.word == ")":
			declaration = false
		case isLayer && !declaration && r.peek() == "[":
			if err := r.gate(); err != nil {
				return err
			}
		}
	}
	return nil
}

// gate reads "target = expression;", which begins with the current token. Verilog has "<=" instead of "=".
func (r *gateReader) gate() error {
	target, err := r.bit()
	if err != nil {
		return err
	}
	l, g, err := r.place(target)
	if err != nil {
		return err
	}
	if l == inputSpace {
		return fmt.Errorf("v%d is given a value, where the weights have one layer", g)
	}
	if r.next() == "<" && r.form == formVerilog {
		r.next()
	}
	if r.word != "=" {
		return r.unexpected(`"="`)
	}
	e := &expression{tokens: r.tokens, bit: r.bit}
	r.next()
	op, err := e.parse(0)
	if err == nil && r.word != ";" {
		err = r.unexpected(`";"`)
	}
	if err == nil {
		err = r.connect(l, g, op, e.bits)
	}
	if err != nil {
		return fmt.Errorf("layer %d, gate %d: %w", l, g, err)
	}
	return nil
}

// bit reads the name of a bit that begins with the current token.
func (r *gateReader) bit() (bitName, error) {
	if r.form == formC && isWire(r.word) {
		n, err := number(r.word[1:])
		return bitName{wireSpace, n}, err
	}
	layer, isLayer := layerOf(r.word)
	b := bitName{space: inputSpace}
	switch {
	case r.form == formC && r.word == "inp" || r.form == formVerilog && r.word == "x":
	case r.form == formC && r.word == "out":
		b.space = outSpace
	case r.form == formVerilog && isLayer:
		b.space = layer
	default:
		return b, r.unexpected("a bit")
	}
	if err := r.want("["); err != nil {
		return b, err
	}
	n, err := r.number()
	if err != nil {
		return b, err
	}
	b.index = n
	return b, r.want("]")
}

// place returns the layer and the number of the gate that computes bit b. The layer of an input is -1.
func (r *gateReader) place(b bitName) (layer, gate int, err error) {
	layer, gate = b.space, b.index
	last := len(r.ops) - 1
	switch b.space {
	case inputSpace:
		return inputSpace, gate, nil
	case outSpace:
		layer = last
	case wireSpace:
		if last == 0 { // in a network of one layer, the inputs have wire names, which difflogic does not declare
			return inputSpace, gate, nil
		}
		layer = sort.Search(last, func(l int) bool { return r.starts[l] > gate }) - 1
		gate -= r.starts[layer]
	}
	if layer > last || gate >= len(r.ops[layer]) {
		return 0, 0, fmt.Errorf("gate %d of layer %d, which the weights do not have", gate, layer)
	}
	return layer, gate, nil
}

// connect records the operands of gate g in layer l. According to the text, the gate computes operation op of the
// given bits.
func (r *gateReader) connect(l, g int, op uint8, bits []bitName) error {
	if r.seen[l][g] {
		return errors.New("it occurs twice in the text")
	}
	r.seen[l][g] = true
	operands := [2]int32{None, None}
	for i, b := range bits {
		from, n, err := r.place(b)
		if err != nil {
			return err
		}
		if from != l-1 {
			return fmt.Errorf("it reads layer %d", from)
		}
		operands[i] = int32(n)
	}
	layer := &r.w.Layers[l]
	switch want := r.ops[l][g]; want {
	case op:
		layer.A[g], layer.B[g] = operands[0], operands[1]
	case exchanged(op):
		layer.A[g], layer.B[g] = operands[1], operands[0]
	default:
		text := numbered(op)
		if other := exchanged(op); other != op {
			text += ", or " + numbered(other)
		}
		return fmt.Errorf("the text has operation %s, but operation %s has the largest weight",
			text, numbered(want))
	}
	return nil
}

// numbered describes an operation by its number and its expression.
func numbered(op uint8) string { return strconv.Itoa(int(op)) + " (" + wiringNames[op] + ")" }
