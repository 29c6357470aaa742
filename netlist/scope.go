package netlist

import (
	"fmt"

	"ialgn/internal/message"
)

// Scope says which parts of the classifier a netlist contains.
type Scope uint8

// These are the scopes, from the smallest to the largest.
const (
	Gates Scope = iota // from port x (thermometer bits) to port h (the last layer)
	Core               // from port x (thermometer bits) to class_index; has gates, popcounts and argmax
	Full               // from port x (feature words) to class_index; also has the comparators
)

var scopeNames = [...]string{Gates: "gates", Core: "core", Full: "full"}

// ParseScope returns the scope with the given name: gates, core or full.
func ParseScope(s string) (Scope, error) {
	for i, name := range scopeNames {
		if s == name {
			return Scope(i), nil
		}
	}
	return 0, message.NoSuch("scope", s, scopeNames[:])
}

// String returns the scope's name.
func (s Scope) String() string {
	if int(s) < len(scopeNames) {
		return scopeNames[s]
	}
	return fmt.Sprintf("scope %d", uint8(s))
}
