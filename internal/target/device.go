package target

import (
	"slices"

	"ialgn/internal/message"
)

// Device is what a design can be synthesised for: an FPGA in a package, a family without a device,
// or look-up tables alone. A capacity of 0 is unknown or has no bound.
//
// The table says of each figure where it is from. Tests hold those of iCE40 to what nextpnr-ice40
// reports and to the pins that icestorm's data base has.
type Device struct {
	Name    string `json:"name"`              // name such as ice40-hx8k
	Family  string `json:"family"`            // name of the family
	Part    string `json:"part,omitempty"`    // the vendor's name
	Package string `json:"package,omitempty"` // the placer's name; empty: no device, or look-up tables alone
	Die     string `json:"-"`                 // die, by the name that placer and packer know; empty: the part number tells

	LUTInputs int `json:"lut_inputs"`
	LUTs      int `json:"luts,omitempty"`
	Carries   int `json:"carries,omitempty"` // bits of carry chains
	FlipFlops int `json:"flip_flops,omitempty"`
	Pins      int `json:"pins,omitempty"`           // pins that a design can use in this package
	BlockRAM  int `json:"block_ram_bits,omitempty"` // without large single-port RAM

	Source string `json:"source,omitempty"` // source of the figures
}

// Placeable reports whether there is a device, in a package, to place a design on.
func (d Device) Placeable() bool { return d.Package != "" }

// Of returns the family of the device, [Generic] for a device of no family.
func (d Device) Of() *Family {
	i := slices.IndexFunc(families, func(f *Family) bool { return f.Name == d.Family })
	return families[max(0, i)]
}

// Placement returns how a design is placed on the device; nil if it cannot be.
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

// Devices returns all devices: those of each family in the order of the table, then look-up tables
// alone.
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

// FindDevice returns a device by its name. The error for another lists all names.
func FindDevice(name string) (Device, error) {
	all := Devices()
	i := slices.IndexFunc(all, func(d Device) bool { return d.Name == name })
	if i < 0 {
		return Device{}, message.NoSuch("target", name, DeviceNames())
	}
	return all[i], nil
}
