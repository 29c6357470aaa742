package dwn

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ialgn/internal/interchange/checkpoint"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/message"
)

// held holds the thresholds in the file.
type held struct {
	name string // the keys that lead to the thresholds
	rows [][]float32
}

// isThresholds reports whether a key names the thresholds of a thermometer.
func isThresholds(key any) bool {
	name, _ := key.(string)
	last := name[strings.LastIndexByte(name, '.')+1:]
	return last == "thresholds" || last == "thermometer_thresholds"
}

// thresholds takes the thresholds from the file, either from an entry next to the state dict or from the state dict.
// It takes no thresholds if the user says that there are none. It returns an error if the file has several different
// sets of thresholds, or if the user's thresholds differ from the file.
func (n *network) thresholds(value any) error {
	width, _, err := n.inputs()
	if err != nil {
		return err
	}
	s := search{src: n.src, content: checkpoint.Content(value), width: width}
	s.look("", value, 0)
	n.other = s.other
	switch {
	case n.src.Facts.Thermometer.None:
		if s.found != nil {
			n.graph.Found("thresholds", fmt.Sprintf("%q is left out: the network is given bits", s.found[0].name), n.src.Said())
		}
		return nil
	case s.found == nil && n.src.Thresholds == nil:
		return s.err
	case s.found == nil:
		return nil
	case n.src.Thresholds != nil:
		if !slices.ContainsFunc(s.found, func(h held) bool { return equal(h.rows, n.src.Thresholds) }) {
			return message.WithHint(fmt.Errorf("the thresholds that are given differ from %q of the file", s.found[0].name),
				"to use the thresholds of the file, omit {Thresholds FILE.npy} and thermometer.thresholds_file of the facts")
		}
		return nil
	}
	for _, other := range s.found[1:] {
		if !equal(s.found[0].rows, other.rows) {
			return message.WithHint(fmt.Errorf("the file holds two thermometers, %q and %q, whose thresholds differ",
				s.found[0].name,
				other.name), "save the thresholds of the network by numpy.save and name the file with {Thresholds FILE.npy}")
		}
	}
	n.held = &s.found[0]
	with := *n.src
	with.Thresholds = n.held.rows
	n.src = &with
	return nil
}

func equal(a, b [][]float32) bool {
	return slices.EqualFunc(a, b, func(a, b []float32) bool { return slices.Equal(a, b) })
}

// search is a search for thresholds in a file.
type search struct {
	src     *given.Source
	content any // the state dict or model
	width   int // number of bits that the first layer reads; 0 if it is not known
	found   []held
	err     error  // why the first numbers found are not thresholds
	other   string // a thermometer in the file, and why its thresholds were not used; empty if there is none
}

// thermometers matches keys that lead to a thermometer. Scripts also save other things with thresholds.
var thermometers = regexp.MustCompile(`(?i)therm|binari|encod`)

// maxNesting is the largest depth of the search. It is large enough for a thermometer in a dictionary in a
// checkpoint.
const maxNesting = 4

// look searches dictionaries and the attributes of objects for thresholds. name consists of the keys that lead to
// value.
func (s *search) look(name string, value any, depth int) {
	if o, ok := value.(*torchfile.Object); ok {
		if o.Unread() != nil && thermometers.MatchString(name) {
			s.other = cmp.Or(s.other, fmt.Sprintf("%q of the class %s was not read", name, o.Class))
		}
		value = o.State
	}
	d, ok := value.(*torchfile.Dict)
	if !ok || depth > maxNesting {
		return
	}
	for i, key := range d.Keys {
		word, ok := key.(string)
		if !ok || d.Values[i] == nil { // for example a thermometer that was not fitted
			continue
		}
		at := strings.TrimPrefix(name+"."+word, ".")
		if !isThresholds(key) {
			s.look(at, d.Values[i], depth+1)
			continue
		}
		named := thermometers.MatchString(at)
		if !named && depth > 0 && value != s.content {
			continue
		}
		shape, values, err := s.numbers(d.Values[i])
		var rows [][]float32
		if err == nil {
			rows, err = given.Rows(shape, values)
		}
		switch {
		case err == nil && s.fits(rows, named):
			s.found = append(s.found, held{at, rows})
		case err == nil && named:
			s.other = cmp.Or(s.other, fmt.Sprintf("%q is of %s of %d, and the first layer reads %s", at,
				message.Plural(len(rows), "row", "rows"), len(rows[0]), message.Plural(s.width, "bit", "bits")))
		case err != nil && s.err == nil:
			s.err = fmt.Errorf("%s: %w", at, err)
		}
	}
}

// fits reports whether thresholds give the number of bits that the first layer reads, if this number is known. A
// single row applies to all features, but only if the row is known to belong to a thermometer.
func (s *search) fits(rows [][]float32, named bool) bool {
	per := len(rows[0])
	if len(rows) == 1 {
		return named && s.width%per == 0
	}
	return s.width == 0 || len(rows)*per == s.width
}

// numbers returns the elements of a tensor or of lists of numbers. The result has one or two dimensions. All
// dimensions of a tensor except the last are merged into one dimension, whose elements are the features.
func (s *search) numbers(value any) (shape []int, values []float64, err error) {
	switch v := value.(type) {
	case *torchfile.Tensor:
		if err := checkpoint.Fits(s.src, v); err != nil {
			return nil, nil, err
		}
		shape = slices.Clone(v.Shape)
		for len(shape) > 2 {
			shape = append([]int{shape[0] * shape[1]}, shape[2:]...)
		}
		if values, err = v.Float64(); err != nil {
			whole, err := v.Int64()
			for _, w := range whole {
				values = append(values, float64(w))
			}
			return shape, values, err
		}
		return shape, values, nil
	case *torchfile.List:
		return rowsOf(v)
	}
	return nil, nil, fmt.Errorf("neither a tensor nor lists of numbers")
}

// rowsOf returns the numbers of a list, or of a list of lists of the same length.
func rowsOf(list *torchfile.List) (shape []int, values []float64, err error) {
	for i, item := range list.Items {
		switch v := item.(type) {
		case float64:
			values = append(values, v)
		case int64:
			values = append(values, float64(v))
		case *torchfile.List:
			inner, row, err := rowsOf(v)
			if err != nil || len(inner) != 1 || i > 0 && len(values) != i*len(row) {
				return nil, nil, fmt.Errorf("lists that are no rows of numbers of the same length")
			}
			values = append(values, row...)
			shape = []int{len(list.Items), len(row)}
		default:
			return nil, nil, fmt.Errorf("a list with something else than numbers")
		}
	}
	if shape == nil {
		shape = []int{len(list.Items)}
	}
	if product := shape[0] * shape[len(shape)-1]; len(shape) == 2 && product != len(values) {
		return nil, nil, fmt.Errorf("lists that are no rows of numbers of the same length")
	}
	return shape, values, nil
}
