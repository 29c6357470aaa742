package netlist

import "fmt"

// kindNames are the names of the kinds in the text form and in messages.
var kindNames = [kinds]string{
	Function: "function", Compare: "compare", Popcount: "popcount", Counter: "counter",
	Argmax: "argmax", Carry: "carry", Register: "register", Primitive: "primitive",
}

// Kinds returns all kinds in the order of their constants.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String returns the name of the kind, for example function or compare.
func (k Kind) String() string {
	if int(k) < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// hasParam reports whether cells of kind k have a parameter. For other kinds the parameter is 0.
func (k Kind) hasParam() bool {
	switch k {
	case Function, Compare, Argmax, Primitive:
		return true
	default:
		return false
	}
}
