package torchfile

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"ialgn/internal/message"
)

// machine runs a pickle. It has a stack, on which marks stand between values, and a memo of values that come again.
type machine struct {
	*source
	budget *budget
	part   string // of the file, for errors
	opcode int64  // place of the opcode that is run

	stack []any
	marks []int // heights of the stack
	high  int   // the most values that stood on the stack
	memo  map[uint64]any

	// persistent returns the value that stands outside the pickle under a name.
	persistent func(id Tuple) (any, error)
}

func newMachine(src *source, b *budget, part string, persistent func(id Tuple) (any, error)) *machine {
	return &machine{source: src, budget: b, part: part, memo: map[uint64]any{}, persistent: persistent}
}

// run runs the pickle up to its end and returns the value it makes.
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

// unknown is the error of an opcode that is not run.
func unknown(code byte) error {
	if name, ok := refused[code]; ok {
		return message.WithHint(fmt.Errorf("the opcode %s, which torch.save does not write, is not read", name),
			"load the file with PyTorch, if you trust it, and save a state_dict() with torch.save")
	}
	return fmt.Errorf("no opcode of a pickle: 0x%02x: is the file damaged?", code)
}

// What values take in memory, in bytes; slices and maps that grow are copied on the way.
const (
	sizeValue  = 64  // a value in a slice that grows, see grown
	sizeEntry  = 200 // an entry of a Dict
	sizeMemo   = 80
	sizeBox    = 32 // a string, a number, a slice's head
	sizeObject = 160
	sizeUnread = 256 // with a text
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

// grown returns a slice with room for n more values. It doubles a slice that is full: all the copies that were made of
// it take at most four times the values.
func grown(s []any, n int) []any {
	if len(s)+n > cap(s) {
		return slices.Grow(s, max(n, len(s)))
	}
	return s
}

// pushNew puts a value on the stack that takes n bytes itself.
func (m *machine) pushNew(v any, n int) error {
	if err := m.budget.take(int64(n) + sizeBox); err != nil {
		return err
	}
	return m.push(v)
}

// pop takes a value from the stack, down to the mark.
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

// popMark takes the mark and returns the values above it, which stay valid until the next push.
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

// top returns the value on top, which stays.
func (m *machine) top() (any, error) {
	v, err := m.pop()
	if err == nil {
		m.stack = append(m.stack, v)
	}
	return v, err
}

// remember puts the value on top into the memo.
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

// recall puts a value of the memo on the stack.
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

// set puts keys and values in turn into a dictionary.
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

// add adds an entry. Keys that are numbers, strings or objects must be new; tuples, bytes and large integers are not
// looked at.
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

// describe returns what a value is, for errors.
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
