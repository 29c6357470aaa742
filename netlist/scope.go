package netlist

import (
	"fmt"

	"ialgn/internal/message"
)

// Scope says how much of the classifier a netlist holds.
type Scope uint8

// The scopes, from the smallest.
const (
	Gates Scope = iota // ports x (thermometer bits) and h (the last layer)
	Core               // x and class_index: gates, popcounts and argmax
	Full               // x is the raw feature bus: comparators too
)

var scopeNames = [...]string{Gates: "gates", Core: "core", Full: "full"}

// ParseScope returns the scope of that name: gates, core or full.
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
