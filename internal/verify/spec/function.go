package spec

// function is a Boolean function of two pins. Its elements are f(0,0), f(0,1), f(1,0) and f(1,1), where the first
// argument is pin A.
type function [4]bool

// operations are the paper's sixteen operations, indexed by their numbers in the paper.
var operations = [16]function{
	0:  {false, false, false, false}, // FALSE
	1:  {false, false, false, true},  // A AND B
	2:  {false, false, true, false},  // A AND NOT B
	3:  {false, false, true, true},   // A
	4:  {false, true, false, false},  // NOT A AND B
	5:  {false, true, false, true},   // B
	6:  {false, true, true, false},   // A XOR B
	7:  {false, true, true, true},    // A OR B
	8:  {true, false, false, false},  // NOT (A OR B)
	9:  {true, false, false, true},   // NOT (A XOR B)
	10: {true, false, true, false},   // NOT B
	11: {true, false, true, true},    // A OR NOT B
	12: {true, true, false, false},   // NOT A
	13: {true, true, false, true},    // NOT A OR B
	14: {true, true, true, false},    // NOT (A AND B)
	15: {true, true, true, true},     // TRUE
}

// selected returns the function that a gate's logits select. With 16 logits, it is the operation with the largest
// logit. A light gate has 4 logits, for the inputs 00, 01, 10 and 11. The function is 1 for the inputs whose logit
// is above 0.
func selected(logits []float32) function {
	if len(logits) == 16 {
		return operations[winner(logits)]
	}
	var f function
	for i := range f {
		f[i] = logits[i] > 0
	}
	return f
}

// table is a Boolean function of any number of pins. Bit i is the value in line i of the truth table. The pins are
// the binary digits of i, and pin A is the highest digit.
type table uint64

// tableOf returns the table that has 1 in the lines whose logit is above 0.
func tableOf(logits []float32) (t table) {
	for i, w := range logits {
		if w > 0 {
			t += 1 << i
		}
	}
	return t
}

// winner returns the index of the largest logit. If logits are equal, the first one wins.
func winner(logits []float32) int {
	best := len(logits) - 1
	for i := best - 1; i >= 0; i-- {
		if logits[i] >= logits[best] {
			best = i
		}
	}
	return best
}
