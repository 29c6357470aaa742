package target

import (
	"slices"

	"ialgn/internal/message"
)

// Device is a target for which a design can be synthesised. It is an FPGA in a package, a family without a specific
// device, or look-up tables without a family. A capacity of 0 means unknown or unlimited.
//
// The table names the source of every figure. Tests compare the figures of iCE40 with the reports of nextpnr-ice40
// and the pins with icestorm's data base.
type Device struct {
	Name    string `json:"name"`              // name such as ice40-hx8k
	Family  string `json:"family"`            // name of the family
	Part    string `json:"part,omitempty"`    // the vendor's name
	Package string `json:"package,omitempty"` // the placer's name of the package; empty without a specific device
	Die     string `json:"-"`                 // the placer's name of the die; if empty, it follows from Part

	LUTInputs int `json:"lut_inputs"`
	LUTs      int `json:"luts,omitempty"`
	Carries   int `json:"carries,omitempty"` // bits of carry chains
	FlipFlops int `json:"flip_flops,omitempty"`
	Pins      int `json:"pins,omitempty"`           // usable pins in this package
	BlockRAM  int `json:"block_ram_bits,omitempty"` // bits of block RAM, without large single-port RAM

	Source string `json:"source,omitempty"` // source of the figures
}

// Placeable reports whether there is a specific device, in a package, on which a design can be placed.
func (d Device) Placeable() bool { return d.Package != "" }

// Of returns the family of the device, or [Generic] for a device without a family.
func (d Device) Of() *Family {
	i := slices.IndexFunc(families, func(f *Family) bool { return f.Name == d.Family })
	return families[max(0, i)]
}

// Placement returns a description of how a design is placed on the device, or nil if designs cannot be placed.
func (d Device) Placement() *Placement {
	if !d.Placeable() {
		return nil
	}
	return d.Of().Placement
}

// Icestorm reports whether the programs of Project IceStorm pack and read back the device's bitstreams.
func (d Device) Icestorm() bool {
	p := d.Of().Placement
	return p != nil && p.Icestorm
}

// Devices returns the devices of each family in the order of the table, and then look-up tables without a family.
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
