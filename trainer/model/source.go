package model

import "fmt"

// sourceNames are the sources' names in files and messages.
var sourceNames = [...]string{Input: "input", Previous: "previous", Spine: "spine"}

// String returns the source's name: input, previous or spine.
func (s Source) String() string {
	if int(s) < len(sourceNames) {
		return sourceNames[s]
	}
	return fmt.Sprintf("source %d", uint8(s))
}

// MarshalText returns the source's name.
func (s Source) MarshalText() ([]byte, error) {
	if int(s) >= len(sourceNames) {
		return nil, fmt.Errorf("%v is none of %v", s, sourceNames)
	}
	return []byte(sourceNames[s]), nil
}

// UnmarshalText reads a source's name.
func (s *Source) UnmarshalText(text []byte) error {
	for i, name := range sourceNames {
		if name == string(text) {
			*s = Source(i)
			return nil
		}
	}
	return fmt.Errorf("source %q, want one of %v", text, sourceNames)
}

// frozen returns the source of a pin whose candidate is chosen: a spine is a gate of
// the previous layer like any other.
func (s Source) frozen() Source {
	if s == Spine {
		return Previous
	}
	return s
}

// sources returns how many bits a pin of this source can choose from.
func sources(s Source, width, inputs int) int {
	if s == Input {
		return inputs
	}
	return width
}
