package aiger

import (
	"fmt"
	"slices"
	"strings"
)

// Match returns f with its inputs and outputs in the order of ref, matched by name, so that the two
// can be compared by position. Neither file is changed.
//
// Match returns an error if f lacks a name of ref, if f has a name that ref lacks, or if one of the files has a name
// twice. For each of these faults, the error gives up to three names.
func Match(ref, f *File) (*File, error) {
	inputs, err := permutation("input", ref.Inputs, f.Inputs)
	if err != nil {
		return nil, err
	}
	outputs, err := permutation("output", outputNames(ref), outputNames(f))
	if err != nil {
		return nil, err
	}
	place := make([]uint32, len(inputs)) // [input of f]: its position in the result
	for i, j := range inputs {
		place[j] = uint32(i)
	}
	move := func(l uint32) uint32 {
		if v := l >> 1; v > 0 && int(v) <= len(place) {
			return 2*(place[v-1]+1) | l&1
		}
		return l
	}
	m := &File{Inputs: slices.Clone(ref.Inputs), Gates: make([][2]uint32, len(f.Gates))}
	for i, g := range f.Gates {
		m.Gates[i] = [2]uint32{move(g[0]), move(g[1])}
	}
	for _, j := range outputs {
		m.Outputs = append(m.Outputs, Output{f.Outputs[j].Name, move(f.Outputs[j].Literal)})
	}
	return m, nil
}

func outputNames(f *File) []string {
	names := make([]string, len(f.Outputs))
	for i, o := range f.Outputs {
		names[i] = o.Name
	}
	return names
}

// permutation returns, for each name of ref, its index in names.
func permutation(what string, ref, names []string) ([]int, error) {
	var wrong mismatch
	at := map[string]int{}
	for i, s := range names {
		if _, ok := at[s]; ok {
			wrong.doubled = append(wrong.doubled, s)
		}
		at[s] = i
	}
	wanted := map[string]bool{}
	order := make([]int, len(ref))
	for i, s := range ref {
		j, ok := at[s]
		if !ok {
			wrong.missing = append(wrong.missing, s)
		}
		if wanted[s] {
			wrong.doubled = append(wrong.doubled, s)
		}
		wanted[s] = true
		order[i] = j
	}
	for _, s := range names {
		if !wanted[s] {
			wrong.extra = append(wrong.extra, s)
		}
	}
	return order, wrong.err(what)
}

// mismatch holds the names that prevent the comparison of two files.
type mismatch struct{ missing, extra, doubled []string }

// err returns an error with the first names from each list, or nil if there are no names.
func (m mismatch) err(what string) error {
	var parts []string
	for _, list := range []struct {
		sort  string
		names []string
	}{{"missing", m.missing}, {"extra", m.extra}, {"doubled", m.doubled}} {
		if n := len(list.names); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", n, list.sort, strings.Join(list.names[:min(n, 3)], ", ")))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return fmt.Errorf("aiger: %ss of the two files do not match: %s, compare files of one model and scope",
		what, strings.Join(parts, ", "))
}
