package synth

import (
	"encoding/json"
	"fmt"
	"os"
)

// wire is a wire of a netlist. It is yosys's number for the wire, or negative for a constant.
type wire int

// constant is the wire of the constant 0, and of pins without a wire.
const constant wire = -1

// ConstantOne is the wire of the constant 1.
const ConstantOne = -2

// UnmarshalJSON reads a number, or a constant, which is a JSON string.
func (w *wire) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		if *w = constant; string(text) == `"1"` {
			*w = ConstantOne
		}
		return nil
	}
	var n int
	err := json.Unmarshal(text, &n)
	*w = wire(n)
	return err
}

// cell is a cell of a netlist.
type cell struct {
	Type        string            `json:"type"`
	Connections map[string][]wire `json:"connections"`
}

// pin returns the wire at a one-bit pin, or -1 if the pin is not connected.
func (c cell) pin(name string) wire {
	if bits := c.Connections[name]; len(bits) == 1 {
		return bits[0]
	}
	return constant
}

// module is a module of a netlist.
type module struct {
	Ports map[string]struct {
		Direction string `json:"direction"`
		Bits      []wire `json:"bits"`
	} `json:"ports"`
	Cells map[string]cell `json:"cells"`
}

// readModule reads a module of a netlist that yosys wrote as JSON.
func readModule(path, name string) (*module, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var netlist struct {
		Modules map[string]*module `json:"modules"`
	}
	if err := json.Unmarshal(text, &netlist); err != nil {
		return nil, fmt.Errorf("synth: yosys's netlist: %w", err)
	}
	if netlist.Modules[name] == nil {
		return nil, fmt.Errorf("synth: yosys's netlist has no module %s", name)
	}
	return netlist.Modules[name], nil
}

// pins returns the number of bits of all ports.
func (m *module) pins() (n int) {
	for _, p := range m.Ports {
		n += len(p.Bits)
	}
	return n
}
