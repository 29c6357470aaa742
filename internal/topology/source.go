package topology

import "fmt"

// Source says which bits a pin can read.
type Source uint8

// These are the sources of a pin.
const (
	Input    Source = iota // a bit of the encoded input
	Previous               // a node of the previous layer
	Spine                  // the node of the same index in the previous layer; no candidates are stored

	// Base has two meanings. For a node in a higher level of a kernel, it is the patch that the lowest level reads.
	// For a node after the convolutions, it is the output of the last convolution.
	Base
)

// sourceNames lists the names of the sources in files and messages.
var sourceNames = [...]string{Input: "input", Previous: "previous", Spine: "spine", Base: "base"}

// String returns the source's name: input, previous, spine or base.
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
