package difflogic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"ialgn/internal/message"
)

// operand is an element of a list, which is the number of a bit. null and fractions are not valid operands.
type operand int32

// UnmarshalJSON reads a whole number.
func (o *operand) UnmarshalJSON(text []byte) error {
	v, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil || v < None || v == math.MaxInt32 {
		return fmt.Errorf("%.40s is no operand: want the number of a bit, or -1", text)
	}
	*o = operand(v)
	return nil
}

// readLists reads lists of operands in the form [[a, ...], [b, ...]] for each layer.
func readLists(text []byte, ops [][]uint8) (*Wiring, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var lists [][][]operand
	if err := d.Decode(&lists); err != nil {
		return nil, message.ExplainJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the lists")
	}
	if len(lists) != len(ops) {
		return nil, fmt.Errorf("lists of %d layers, where the weights have %d", len(lists), len(ops))
	}
	w := &Wiring{Form: "lists"}
	for l, pair := range lists {
		if len(pair) != 2 {
			return nil, fmt.Errorf("layer %d has %d lists, want two: one for a and one for b", l, len(pair))
		}
		var sides [2][]int32
		for i, list := range pair {
			if len(list) != len(ops[l]) {
				return nil, fmt.Errorf("layer %d: a list of %d operands, where the weights have %d gates",
					l, len(list), len(ops[l]))
			}
			sides[i] = make([]int32, len(list))
			for g, v := range list {
				sides[i][g] = int32(v)
			}
		}
		w.Layers = append(w.Layers, WiredLayer{sides[0], sides[1]})
	}
	return w, nil
}
