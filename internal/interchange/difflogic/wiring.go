// This file reads the wiring of a difflogic network. The wiring says which bits each gate reads. A state dict has
// only weights.
//
// [ReadWiring] reads C or Verilog that difflogic generated from the network, or lists of operands. Generated code
// describes each gate by an expression. The expression names only the operands that it needs, in any order. The
// gate's weights determine its operation, and the operation shows which operand is a and which is b.
//
// Operations have difflogic's numbers. The four binary digits of a number are the outputs for ab = 00, 01, 10 and 11
// (difflogic/functional.py, commit ae27185 of Felix-Petersen/difflogic).

package difflogic

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"ialgn/internal/message"
)

// None is the number of an operand that the text does not name.
const None = -1

// WiredLayer holds the operands a and b of each gate of a layer. An operand is the number of a bit of the layer
// before, or None.
type WiredLayer struct{ A, B []int32 }

// Wiring is the wiring of a network.
type Wiring struct {
	Layers  []WiredLayer
	Inputs  int    // number of input bits; 0 if the text does not give this number
	Classes int    // number of classes; 0 if the text does not give this number
	Form    string // kind of the text: "generated C", "generated Verilog" or "lists"
}

// LeastInputs returns the smallest number of inputs that the gates allow. It is one more
// than the largest number of an input that a gate names.
func (w *Wiring) LeastInputs() int {
	return 1 + int(max(slices.Max(w.Layers[0].A), slices.Max(w.Layers[0].B)))
}

// ReadWiring returns the wiring in a text. ops holds the operations of each layer's gates according to the weights.
// The text must have every gate once, and the gate's expression must compute the gate's operation. An operand must be
// a bit of the layer before, or None. For the first layer, ReadWiring checks this only if the text gives the number
// of inputs.
//
// Time and memory are linear in the size of the text and the number of gates. Error messages begin with the line
// number.
func ReadWiring(text []byte, ops [][]uint8) (*Wiring, error) {
	if len(text) > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes are more than a wiring has", len(text))
	}
	var w *Wiring
	var err error
	switch {
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")):
		w, err = readLists(text, ops)
	case bytes.Contains(text, []byte(entry)):
		w, err = readGates(text, ops, &gateReader{form: formC})
	case bytes.Contains(text, []byte("module")):
		w, err = readGates(text, ops, &gateReader{form: formVerilog})
	default:
		return nil, message.WithHint(errors.New("neither generated C, nor generated Verilog, nor JSON lists of operands"),
			"give what CompiledLogicNet's get_c_code() or get_verilog_code() wrote of this network")
	}
	if err != nil {
		return nil, err
	}
	return w, w.check(ops)
}

// check returns an error if an operand is not a bit of the layer before.
func (w *Wiring) check(ops [][]uint8) error {
	before := w.Inputs
	for l, layer := range w.Layers {
		for g := range layer.A {
			for _, v := range []int32{layer.A[g], layer.B[g]} {
				if v < None || before > 0 && int(v) >= before {
					return fmt.Errorf("layer %d, gate %d reads bit %d, where there are %d before it", l, g, v, before)
				}
			}
		}
		before = len(ops[l])
	}
	return nil
}

// Fill replaces operands that are None with the operands of another wiring of the same network. It returns an error
// if the two wirings differ in an operand.
func (w *Wiring) Fill(from *Wiring) error {
	for l := range w.Layers {
		for g := range w.Layers[l].A {
			a, b := &w.Layers[l].A[g], &w.Layers[l].B[g]
			wantA, wantB := from.Layers[l].A[g], from.Layers[l].B[g]
			if *a != None && wantA != None && *a != wantA || *b != None && wantB != None && *b != wantB {
				return fmt.Errorf("layer %d, gate %d reads %s and %s here, but %s and %s there",
					l, g, bit(*a), bit(*b), bit(wantA), bit(wantB))
			}
			if *a == None {
				*a = wantA
			}
			if *b == None {
				*b = wantB
			}
		}
	}
	return nil
}

// bit describes an operand.
func bit(v int32) string {
	if v == None {
		return "a bit that has no name"
	}
	return fmt.Sprintf("bit %d", v)
}

// Complete replaces each operand that is None with the gate's other operand, or with bit 0. It returns the number of
// replaced operands. It returns an error if the gate depends on an operand that is None, or if an operand is not
// below the number of inputs.
func (w *Wiring) Complete(inputs int, ops [][]uint8) (filled int, err error) {
	w.Inputs = inputs
	if err := w.check(ops); err != nil {
		return 0, err
	}
	for l := range w.Layers {
		for g, op := range ops[l] {
			a, b := &w.Layers[l].A[g], &w.Layers[l].B[g]
			if *a == None && needsA(op) || *b == None && needsB(op) {
				return 0, fmt.Errorf("layer %d, gate %d: operation %d (%s) needs an operand that is not given",
					l, g, op, wiringNames[op])
			}
			for _, v := range []*int32{a, b} {
				if *v == None {
					*v, filled = max(*a, *b, 0), filled+1
				}
			}
		}
	}
	return filled, nil
}

// wiringNames lists the operations as expressions, by number.
var wiringNames = [16]string{
	"0", "a & b", "a & ~b", "a", "~a & b", "b", "a ^ b", "a | b",
	"~(a | b)", "~(a ^ b)", "~b", "a | ~b", "~a", "~a | b", "~(a & b)", "1",
}

// needsA reports whether the operation's output depends on the first operand.
func needsA(op uint8) bool { return op>>2 != op&3 }

// needsB reports whether the operation's output depends on the second operand.
func needsB(op uint8) bool { return needsA(exchanged(op)) }

// exchanged returns the operation f for which f(a, b) equals op(b, a).
func exchanged(op uint8) uint8 { return op&9 | op>>1&2 | op<<1&4 }
