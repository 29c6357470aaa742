package torchfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// unread says why a value was not read. Only the name of the value's class is kept. The arguments and contents of the
// value are dropped. A file may therefore contain values of unknown classes if the reader does not need these values.
type unread struct {
	where place
	name  string // name of the class or function
	why   string // the reason; {} is replaced with the name
}

// err returns the reason as an error, or nil if the value was read.
func (u *unread) err() error {
	if u == nil {
		return nil
	}
	return message.WithHint(fmt.Errorf("%s: %s", u.where, strings.ReplaceAll(u.why, "{}", u.name)),
		"save the state_dict() of the model instead of the model; if the file is not yours, do not load it with PyTorch")
}

// These are the reasons why a class or function is not read.
const (
	unknownName  = "it would run {}, which reading does not do"
	notCallable  = "it would call {}, which reading does not do"
	callInstance = "it would call {}, which is no class"
)

// unread returns the reason why a value is not read.
func (m *machine) unread(name, why string) (*unread, error) {
	if err := m.budget.take(sizeUnread); err != nil {
		return nil, err
	}
	return &unread{m.here(), name, why}, nil
}

// object returns an object of which only the class is known.
func (m *machine) object(class, why string) (any, error) {
	u, err := m.unread(class, why)
	return &Object{Class: class, unread: u}, err
}

// place is a position in a part of the file.
type place struct {
	part string
	at   int64 // -1 means the whole part
}

func (p place) String() string {
	if p.at < 0 {
		return p.part
	}
	return fmt.Sprintf("%s: byte %d", p.part, p.at)
}

// here returns the position of the current opcode.
func (m *machine) here() place { return place{m.part, m.opcode} }

// unreadOf returns the reason why a value was not read, or nil if the value was read.
func unreadOf(value any) *unread {
	switch v := value.(type) {
	case *Object:
		return v.unread
	case *Tensor:
		return v.unread
	}
	return nil
}

// isUnread reports whether only the class of a value is known.
func isUnread(value any) bool { return unreadOf(value) != nil }

// unreadAmong returns the reason of the first unread value, or nil if all values were read.
func unreadAmong(values []any) *unread {
	for _, v := range values {
		if why := unreadOf(v); why != nil {
			return why
		}
	}
	return nil
}

// Unread returns the names of the unknown classes and functions that kept parts of a value from being read. The names
// are in ascending order.
func Unread(value any) []string {
	seen := map[any]bool{}
	classes := map[string]bool{}
	var look func(v any)
	look = func(v any) {
		if why := unreadOf(v); why != nil {
			classes[why.name] = true
		}
		key, parts := partsOf(v)
		if key == nil || seen[key] {
			return
		}
		seen[key] = true
		for _, part := range parts {
			for _, v := range part {
				look(v)
			}
		}
	}
	look(value)
	return slices.Sorted(maps.Keys(classes))
}
