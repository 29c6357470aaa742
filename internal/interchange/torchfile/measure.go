package torchfile

import (
	"errors"
	"fmt"

	"ialgn/internal/message"
)

// These limits on the size of a result apply in addition to the file's size in bytes.
const (
	maxDepth    = 1000
	maxElements = 8 << 20 // greatest number of elements in all tensors together
	maxValues   = 4 << 20
)

// extent is the size of a value. It counts the values and the tensor elements inside the value. A shared value counts
// each time that it occurs.
type extent struct{ values, elements int64 }

// measurer computes extents. It computes the extent of a shared value only once.
type measurer struct {
	f     *file
	known map[any]extent // by pointer; the field values is -1 while the extent is being computed
	limit extent
}

// measure returns an error for a result that contains itself. It also returns an error if the number of values is
// much larger than the file's size. For this number, a value counts each time that it occurs. measure marks tensors
// that are too large by themselves.
func (f *file) measure(value any) error {
	size := min(f.size, 1<<60)
	m := measurer{f, map[any]extent{}, extent{size + maxValues, size + maxElements}}
	if d, ok := value.(*Dict); ok {
		if err := m.leaveOut(d); err != nil {
			return err
		}
	}
	_, err := m.extent(value, 0)
	return err
}

// These are the reasons why a value cannot be measured. They do not depend on the rest of the file.
var (
	errEndless = errors.New("a value that holds itself")
	errDeep    = fmt.Errorf("its values are nested more than %d deep", maxDepth)
)

// leaveOut looks at each entry of the outermost dictionary. If an entry cannot be measured, for example a trainer
// that contains itself, leaveOut replaces it with an object that gives the reason.
func (m *measurer) leaveOut(d *Dict) error {
	for i, v := range d.Values {
		_, err := m.extent(v, 1)
		if err == nil {
			continue
		}
		if !errors.Is(err, errEndless) && !errors.Is(err, errDeep) {
			return err
		}
		if err := m.f.budget.take(2 * sizeUnread); err != nil {
			return err
		}
		where := fmt.Sprintf("the entry %s", describe(d.Keys[i]))
		d.Values[i] = &Object{Class: describe(v), unread: &unread{place{where, -1}, where, err.Error()}}
	}
	return nil
}

func (m *measurer) extent(value any, depth int) (extent, error) {
	if depth > maxDepth {
		return extent{}, errDeep
	}
	if t, ok := value.(*Tensor); ok {
		return m.tensor(t), nil
	}
	key, parts := partsOf(value)
	if key == nil {
		return extent{values: 1}, nil
	}
	return m.container(key, parts, depth)
}

// partsOf returns the values inside a value. It also returns a pointer, key, which identifies the value. The key is
// nil if there are no values inside the value.
func partsOf(value any) (key any, parts [3][]any) {
	switch v := value.(type) {
	case *List:
		key, parts[0] = v, v.Items
	case Tuple:
		if len(v) > 0 {
			key, parts[0] = &v[0], v
		}
	case *Dict:
		key, parts = v, [3][]any{v.Keys, v.Values, {v.State}}
	case *Object:
		key, parts = v, [3][]any{v.Args, {v.State}}
	}
	return key, parts
}

// container returns the extent of a value with parts. key identifies the value.
func (m *measurer) container(key any, parts [3][]any, depth int) (extent, error) {
	if e, ok := m.known[key]; ok {
		if e.values < 0 {
			return e, message.WithHint(errEndless, "save a state_dict() instead of the model")
		}
		return e, nil
	}
	if err := m.f.budget.take(sizeEntry); err != nil {
		return extent{}, err
	}
	m.known[key] = extent{values: -1}
	sum := extent{values: 1}
	for _, part := range parts {
		for _, v := range part {
			e, err := m.extent(v, depth+1)
			if err != nil {
				return extent{}, err
			}
			sum.values += e.values
			sum.elements += e.elements
			if sum.values > m.limit.values || sum.elements > m.limit.elements {
				return extent{}, message.WithHint(fmt.Errorf("a few values that are met very often: more than %d values or "+
					"%d elements of tensors in all", m.limit.values, m.limit.elements),
					"save each tensor once, before it is expanded")
			}
		}
	}
	m.known[key] = sum
	return sum, nil
}

func (m *measurer) tensor(t *Tensor) extent {
	n := int64(t.Elements())
	if n > m.limit.elements {
		t.large = true
		n = 0
	}
	return extent{1, n}
}
