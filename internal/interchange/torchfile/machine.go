package torchfile

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"ialgn/internal/message"
)

// machine runs a pickle. It has a stack with marks between the values. It also has a memo, which keeps values for
// later use.
type machine struct {
	*source
	budget *budget
	part   string // name of the part of the file, for errors
	opcode int64  // position of the current opcode in the part

	stack []any
	marks []int // heights of the stack at the marks
	high  int   // the largest number of values on the stack so far
	memo  map[uint64]any

	// persistent returns the value outside the pickle with the given identifier.
	persistent func(id Tuple) (any, error)
}

func newMachine(src *source, b *budget, part string, persistent func(id Tuple) (any, error)) *machine {
	return &machine{source: src, budget: b, part: part, memo: map[uint64]any{}, persistent: persistent}
}

// run runs the pickle to its end and returns its value.
func (m *machine) run() (any, error) {
	for {
		m.opcode = m.place()
		code, err := m.next()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.here(), err)
		}
		if code == opStop {
			if len(m.stack) != 1 || len(m.marks) != 0 {
				return nil, fmt.Errorf("%s: the pickle ends with %d values, not 1", m.here(), len(m.stack))
			}
			return m.stack[0], nil
		}
		op := opcodes[code]
		if op.do == nil {
			err = unknown(code)
		} else {
			err = op.do(m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.here(), err)
		}
	}
}

// unknown returns the error for an opcode that is not supported.
func unknown(code byte) error {
	if name, ok := refused[code]; ok {
		return message.WithHint(fmt.Errorf("the opcode %s, which torch.save does not write, is not read", name),
			"load the file with PyTorch, if you trust it, and save a state_dict() with torch.save")
	}
	return fmt.Errorf("no opcode of a pickle: 0x%02x: is the file damaged?", code)
}

// These are the sizes of values in memory, in bytes. They include the copies that are made when slices and maps grow.
const (
	sizeValue  = 64  // a value in a growing slice; see grown
	sizeEntry  = 200 // an entry of a Dict
	sizeMemo   = 80
	sizeBox    = 32 // a string, a number or the header of a slice
	sizeObject = 160
	sizeUnread = 256 // an unread value and the reason
)

// push puts a value on the stack.
func (m *machine) push(v any) error {
	if len(m.stack) == m.high {
		m.high++
		if err := m.budget.take(sizeValue); err != nil {
			return err
		}
	}
	m.stack = append(grown(m.stack, 1), v)
	return nil
}

// grown returns a slice with room for n more values. It doubles a full slice, so all copies together have room for at
// most four times the number of values.
func grown(s []any, n int) []any {
	if len(s)+n > cap(s) {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// pushNew pushes a value that takes n bytes of memory.
func (m *machine) pushNew(v any, n int) error {
	if err := m.budget.take(int64(n) + sizeBox); err != nil {
		return err
	}
	return m.push(v)
}

// pop pops a value. It does not pop a mark.
func (m *machine) pop() (any, error) {
	floor := 0
	if n := len(m.marks); n > 0 {
		floor = m.marks[n-1]
	}
	if len(m.stack) == floor {
		return nil, fmt.Errorf("a value is missing on the stack: is the file damaged?")
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

// popMark pops a mark and the values above the mark. It returns these values. They are valid until the next push.
func (m *machine) popMark() ([]any, error) {
	n := len(m.marks)
	if n == 0 {
		return nil, fmt.Errorf("a mark is missing on the stack: is the file damaged?")
	}
	values := m.stack[m.marks[n-1]:]
	m.stack = m.stack[:m.marks[n-1]]
	m.marks = m.marks[:n-1]
	return values, nil
}

// top returns the top value without popping it.
func (m *machine) top() (any, error) {
	v, err := m.pop()
	if err == nil {
		m.stack = append(m.stack, v)
	}
	return v, err
}

// remember stores the top value in the memo.
func (m *machine) remember(key uint64) error {
	v, err := m.top()
	if err != nil {
		return err
	}
	if err := m.budget.take(sizeMemo); err != nil {
		return err
	}
	m.memo[key] = v
	return nil
}

// recall pushes a value of the memo.
func (m *machine) recall(key uint64) error {
	v, ok := m.memo[key]
	if !ok {
		return fmt.Errorf("the memo has no value %d: is the file damaged?", key)
	}
	return m.push(v)
}

// appendTo appends values to a list or set.
func (m *machine) appendTo(target any, values []any) error {
	if isUnread(target) {
		return nil
	}
	list, ok := target.(*List)
	if !ok {
		return fmt.Errorf("values are appended to %s, which is no list", describe(target))
	}
	if err := m.budget.take(int64(len(values)) * sizeValue); err != nil {
		return err
	}
	list.Items = append(grown(list.Items, len(values)), values...)
	return nil
}

// set adds entries to a dictionary. The slice pairs holds keys and values in turn.
func (m *machine) set(target any, pairs []any) error {
	if len(pairs)%2 != 0 {
		return fmt.Errorf("a key without a value: is the file damaged?")
	}
	if isUnread(target) {
		return nil
	}
	dict, ok := target.(*Dict)
	if !ok {
		return fmt.Errorf("entries are put into %s, which is no dictionary", describe(target))
	}
	for i := 0; i < len(pairs); i += 2 {
		if err := m.budget.take(sizeEntry); err != nil {
			return err
		}
		if err := dict.add(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// add adds an entry. If the key is a number, string or object, it must be new. Tuples, bytes and large integers are
// not compared with earlier keys.
func (d *Dict) add(key, value any) error {
	switch k := key.(type) {
	case nil, bool, int64, float64, string, *Object, *Tensor, DType, Device:
		if _, ok := d.index[key]; ok {
			return fmt.Errorf("the key %s is in a dictionary twice", describe(k))
		}
		if f, ok := key.(float64); ok && math.IsNaN(f) {
			return fmt.Errorf("a key of a dictionary is NaN")
		}
		d.index[key] = len(d.Keys)
	case Tuple, []byte, *big.Int:
	default:
		return fmt.Errorf("%s is a key of a dictionary", describe(k))
	}
	d.Keys = append(d.Keys, key)
	d.Values = append(d.Values, value)
	return nil
}

func newDict() *Dict { return &Dict{index: map[any]int{}} }

// describe describes a value for error messages.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case string:
		if len(v) > 60 {
			v = v[:60] + "..."
		}
		return fmt.Sprintf("%q", v)
	case bool, int64, float64, DType, Device:
		return fmt.Sprint(v)
	case *List:
		return "a list"
	case Tuple:
		return "a tuple"
	case *Dict:
		return "a dictionary"
	case *Tensor:
		return "a tensor"
	case *Object:
		return v.Class
	}
	return fmt.Sprintf("a %T", v)
}
