package target

import (
	"slices"

	"ialgn/internal/message"
)

// Device is something that a design can be synthesised for: an FPGA in a package, a family without a specific
// device, or look-up tables alone. A capacity of 0 means unknown or unlimited.
//
// The table names the source of every figure. Tests compare the figures of iCE40 with the reports of nextpnr-ice40
// and the pins with icestorm's data base.
type Device struct {
	Name    string `json:"name"`              // name such as ice40-hx8k
	Family  string `json:"family"`            // name of the family
	Part    string `json:"part,omitempty"`    // the vendor's name
	Package string `json:"package,omitempty"` // the placer's name; empty: no specific device, or look-up tables alone
	Die     string `json:"-"`                 // the placer's name of the die; empty: it follows from Part

	LUTInputs int `json:"lut_inputs"`
	LUTs      int `json:"luts,omitempty"`
	Carries   int `json:"carries,omitempty"` // bits of carry chains
	FlipFlops int `json:"flip_flops,omitempty"`
	Pins      int `json:"pins,omitempty"`           // usable pins in this package
	BlockRAM  int `json:"block_ram_bits,omitempty"` // bits, without large single-port RAM

	Source string `json:"source,omitempty"` // source of the figures
}

// Placeable reports whether there is a specific device, in a package, on which a design can be placed.
func (d Device) Placeable() bool { return d.Package != "" }

// Of returns the family of the device, or [Generic] for a device without a family.
func (d Device) Of() *Family {
	i := slices.IndexFunc(families, func(f *Family) bool { return f.Name == d.Family })
	return families[max(0, i)]
}

// Placement describes how a design is placed on the device, or returns nil if it cannot be placed.
func (d Device) Placement() *Placement {
	if !d.Placeable() {
		return nil
	}
	return d.Of().Placement
}

// Icestorm reports whether icestorm's programs pack and read back the device's bitstreams.
func (d Device) Icestorm() bool {
	p := d.Of().Placement
	return p != nil && p.Icestorm
}

// Devices returns all devices: the devices of each family in the order of the table, and look-up tables alone at
// the end.
func Devices() []Device {
	var all []Device
	for _, f := range append(families[1:len(families):len(families)], families[0]) {
		all = append(all, f.Devices...)
	}
	return all
}

// DeviceNames returns the names of all devices.
func DeviceNames() []string {
	var names []string
	for _, d := range Devices() {
		names = append(names, d.Name)
	}
	return names
}

// FindDevice returns the device with a given name. The error for an unknown name lists all names.
func FindDevice(name string) (Device, error) {
	all := Devices()
	i := slices.IndexFunc(all, func(d Device) bool { return d.Name == name })
	if i < 0 {
		return Device{}, message.NoSuch("target", name, DeviceNames())
	}
	return all[i], nil
}
