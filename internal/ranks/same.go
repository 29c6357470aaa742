package ranks

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// Fact is a value that all ranks must have in common, such as a digest of the data.
type Fact struct {
	Name  string // name of the value, such as "configuration"
	Value string
}

// DifferError says which ranks were started with other facts than most ranks.
type DifferError struct{ text string }

func (e *DifferError) Error() string { return e.text }

// Same returns a [DifferError] that names ranks and facts unless all ranks have the same facts. All ranks must pass
// facts with the same names in the same order. All ranks get the same result.
func Same(c Comm, facts ...Fact) error {
	var own []string
	for _, f := range facts {
		own = append(own, f.Name, f.Value)
	}
	all, err := Agree(c, []byte(strings.Join(own, "\x00")), nil)
	if err != nil {
		return err
	}
	values := make([][]string, len(all)) // [rank]: names and values alternate
	for rank, text := range all {
		values[rank] = strings.Split(string(text), "\x00")
	}
	var differences []string
	for i := 1; i < len(own); i += 2 {
		of := make([]string, len(values))
		for rank, v := range values {
			if len(v) == len(own) && v[i-1] == own[i-1] {
				of[rank] = v[i]
			}
		}
		differences = append(differences, differing(own[i-1], of)...)
	}
	if differences == nil {
		return nil
	}
	return message.WithHint(&DifferError{"the ranks were not started alike: " + strings.Join(differences, "; ")},
		"all machines need the same program, files and arguments")
}

// differing lists the ranks whose value differs from the most frequent value. If several values are equally frequent,
// ranks are compared with the value of the lowest rank.
func differing(name string, of []string) (all []string) {
	counts := map[string]int{}
	for _, v := range of {
		counts[v]++
	}
	usual := 0
	for rank, v := range of {
		if counts[v] > counts[of[usual]] {
			usual = rank
		}
	}
	for rank, v := range of {
		if v != of[usual] {
			all = append(all, fmt.Sprintf("rank %d has another %s (%s) than rank %d (%s)", rank, name, short(v), usual,
				short(of[usual])))
		}
	}
	if more := len(all) - maxNamed; more > 0 {
		all = append(slices.Clip(all[:maxNamed]), fmt.Sprintf("and %d more ranks", more))
	}
	return all
}

// maxNamed limits the number of ranks that an error names for a fact.
const maxNamed = 8

// short returns the beginning of a long value, such as a digest. It returns other values unchanged.
func short(value string) string {
	const longest, head = 20, 12
	switch {
	case value == "":
		return "none"
	case len(value) > longest:
		return value[:head]
	}
	return value
}
