package torchfile

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"
)

// These are the opcodes that other code uses by name.
const (
	opProto = 0x80
	opStop  = '.'
)

// opcode is a row of the table of opcodes.
type opcode struct {
	name string
	do   func(m *machine) error
}

// opcodes holds the opcodes of the protocols 2 to 5, except the opcodes in [refused].
var opcodes = [256]opcode{
	opProto: {"PROTO", doProto},
	0x95:    {"FRAME", doFrame},

	'(': {"MARK", doMark},
	'0': {"POP", doPop},
	'1': {"POP_MARK", func(m *machine) error { _, err := m.popMark(); return err }},
	'2': {"DUP", doDup},

	'N':  {"NONE", func(m *machine) error { return m.push(nil) }},
	0x88: {"NEWTRUE", func(m *machine) error { return m.push(true) }},
	0x89: {"NEWFALSE", func(m *machine) error { return m.push(false) }},
	'K':  {"BININT1", func(m *machine) error { return doInt(m, 1) }},
	'M':  {"BININT2", func(m *machine) error { return doInt(m, 2) }},
	'J':  {"BININT", func(m *machine) error { return doInt(m, 4) }},
	0x8a: {"LONG1", func(m *machine) error { return doLong(m, 1) }},
	0x8b: {"LONG4", func(m *machine) error { return doLong(m, 4) }},
	'G':  {"BINFLOAT", doFloat},

	'X':  {"BINUNICODE", func(m *machine) error { return doString(m, 4) }},
	0x8c: {"SHORT_BINUNICODE", func(m *machine) error { return doString(m, 1) }},
	0x8d: {"BINUNICODE8", func(m *machine) error { return doString(m, 8) }},
	'T':  {"BINSTRING", func(m *machine) error { return doString(m, 4) }},
	'U':  {"SHORT_BINSTRING", func(m *machine) error { return doString(m, 1) }},
	'B':  {"BINBYTES", func(m *machine) error { return doBytes(m, 4) }},
	'C':  {"SHORT_BINBYTES", func(m *machine) error { return doBytes(m, 1) }},
	0x8e: {"BINBYTES8", func(m *machine) error { return doBytes(m, 8) }},
	0x96: {"BYTEARRAY8", func(m *machine) error { return doBytes(m, 8) }},

	')':  {"EMPTY_TUPLE", func(m *machine) error { return m.push(Tuple(nil)) }},
	0x85: {"TUPLE1", func(m *machine) error { return doTuple(m, 1) }},
	0x86: {"TUPLE2", func(m *machine) error { return doTuple(m, 2) }},
	0x87: {"TUPLE3", func(m *machine) error { return doTuple(m, 3) }},
	't':  {"TUPLE", doTupleMark},
	']':  {"EMPTY_LIST", func(m *machine) error { return m.pushNew(&List{}, sizeBox) }},
	0x8f: {"EMPTY_SET", func(m *machine) error { return m.pushNew(&List{}, sizeBox) }},
	0x91: {"FROZENSET", doFrozenSet},
	'}':  {"EMPTY_DICT", func(m *machine) error { return m.pushNew(newDict(), sizeObject) }},
	'a':  {"APPEND", doAppend},
	'e':  {"APPENDS", doAppends},
	0x90: {"ADDITEMS", doAppends},
	's':  {"SETITEM", doSet},
	'u':  {"SETITEMS", doSets},

	'q':  {"BINPUT", func(m *machine) error { return withNumber(m, 1, m.remember) }},
	'r':  {"LONG_BINPUT", func(m *machine) error { return withNumber(m, 4, m.remember) }},
	0x94: {"MEMOIZE", func(m *machine) error { return m.remember(uint64(len(m.memo))) }},
	'h':  {"BINGET", func(m *machine) error { return withNumber(m, 1, m.recall) }},
	'j':  {"LONG_BINGET", func(m *machine) error { return withNumber(m, 4, m.recall) }},

	'c':  {"GLOBAL", doGlobal},
	0x93: {"STACK_GLOBAL", doStackGlobal},
	'R':  {"REDUCE", doReduce},
	0x81: {"NEWOBJ", doReduce},
	0x92: {"NEWOBJ_EX", doNewKeywords},
	'b':  {"BUILD", doBuild},
	'Q':  {"BINPERSID", doPersistent},
}

// refused holds opcodes that torch.save does not write. Some belong to the protocols 0 and 1. Others refer to names
// by a number in a registry of the reading program, or to buffers outside the pickle.
var refused = map[byte]string{
	'F': "FLOAT", 'I': "INT", 'L': "LONG", 'S': "STRING", 'V': "UNICODE", 'P': "PERSID", 'd': "DICT", 'l': "LIST",
	'g': "GET", 'p': "PUT", 'i': "INST", 'o': "OBJ", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4",
	0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
}

func doProto(m *machine) error {
	version, err := m.next()
	if err == nil && (version < 2 || version > 5) {
		return fmt.Errorf("a pickle of protocol %d, where 2 to 5 are read: is the file damaged?", version)
	}
	return err
}

// doFrame reads the length of a frame. The length only says how far a reader may read ahead.
func doFrame(m *machine) error {
	n, err := m.number(8)
	if err == nil && n > uint64(m.left()) {
		return fmt.Errorf("%d bytes should follow, and %d are left: was the file cut short?", n, m.left())
	}
	return err
}

func doMark(m *machine) error {
	if err := m.budget.take(sizeValue); err != nil {
		return err
	}
	m.marks = append(m.marks, len(m.stack))
	return nil
}

// doPop pops a value or a mark.
func doPop(m *machine) error {
	if n := len(m.marks); n > 0 && m.marks[n-1] == len(m.stack) {
		m.marks = m.marks[:n-1]
		return nil
	}
	_, err := m.pop()
	return err
}

func doDup(m *machine) error {
	v, err := m.top()
	if err != nil {
		return err
	}
	return m.push(v)
}

// withNumber reads a number of n bytes and passes the number to the function do.
func withNumber(m *machine, n int, do func(v uint64) error) error {
	v, err := m.number(n)
	if err != nil {
		return err
	}
	return do(v)
}

// doInt reads an integer of n bytes. An integer of four bytes is signed. Shorter integers are unsigned.
func doInt(m *machine, n int) error {
	return withNumber(m, n, func(v uint64) error {
		if n == 4 {
			return m.pushNew(int64(int32(v)), 0)
		}
		return m.pushNew(int64(v), 0)
	})
}

// maxInteger is the greatest length of an integer in bytes.
const maxInteger = 1024

// doLong reads an integer in two's complement. The integer is preceded by its length, a number of n bytes.
func doLong(m *machine, n int) error {
	length, err := m.number(n)
	if err != nil {
		return err
	}
	if length > maxInteger {
		return fmt.Errorf("an integer of %d bytes, where up to %d are read", length, maxInteger)
	}
	b, err := m.take(length)
	if err != nil {
		return err
	}
	slices.Reverse(b)
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if v.IsInt64() {
		return m.pushNew(v.Int64(), 0)
	}
	return m.pushNew(v, 4*len(b)+sizeObject)
}

func doFloat(m *machine) error {
	return withNumber(m, 8, func(v uint64) error {
		var big uint64 // big.Int takes big-endian bytes
		for range 8 {
			big = big<<8 | v&255
			v >>= 8
		}
		return m.pushNew(math.Float64frombits(big), 0)
	})
}

// counted reads a sequence of bytes. The sequence is preceded by its length, a number of n bytes.
func counted(m *machine, n int) ([]byte, error) {
	length, err := m.number(n)
	if err != nil {
		return nil, err
	}
	if length <= uint64(m.left()) {
		if err := m.budget.take(int64(length)); err != nil {
			return nil, err
		}
	}
	return m.take(length)
}

func doString(m *machine, n int) error {
	b, err := counted(m, n)
	if err != nil {
		return err
	}
	if !utf8.Valid(b) {
		return fmt.Errorf("a string is not UTF-8: is the file damaged?")
	}
	return m.pushNew(string(b), len(b))
}

func doBytes(m *machine, n int) error {
	b, err := counted(m, n)
	if err != nil {
		return err
	}
	return m.pushNew(b, 0)
}

// doTuple makes a tuple of the top n values.
func doTuple(m *machine, n int) error {
	t := make(Tuple, n)
	for i := range t {
		v, err := m.pop()
		if err != nil {
			return err
		}
		t[n-1-i] = v
	}
	return m.pushNew(t, 16*n)
}

func doTupleMark(m *machine) error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	if err := m.budget.take(16 * int64(len(values))); err != nil {
		return err
	}
	return m.pushNew(Tuple(slices.Clone(values)), 0)
}

func doFrozenSet(m *machine) error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	list := &List{}
	if err := m.appendTo(list, values); err != nil {
		return err
	}
	return m.pushNew(list, sizeBox)
}

func doAppend(m *machine) error {
	v, err := m.pop()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	return m.appendTo(target, []any{v})
}

func doAppends(m *machine) error {
	values, err := m.popMark()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	// The values are above the target on the stack. The call of top does not overwrite them.
	return m.appendTo(target, values)
}

func doSet(m *machine) error {
	value, err := m.pop()
	if err != nil {
		return err
	}
	key, err := m.pop()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	return m.set(target, []any{key, value})
}

func doSets(m *machine) error {
	pairs, err := m.popMark()
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	return m.set(target, pairs)
}
