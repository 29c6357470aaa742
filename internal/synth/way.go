package synth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/flow"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// placer is a program that places and routes.
type placer struct {
	name  string // name in notes
	place func(context.Context, flow.PlaceOptions) (*flow.Result, error)
	// prepare writes the files that place reads in addition to the netlist, and returns the command that place runs.
	// The field is nil if there are no such files.
	prepare func(flow.PlaceOptions) (command string, err error)
}

var placers = map[target.Placer]placer{
	target.Nextpnr: {"nextpnr", flow.Nextpnr, nil},
	target.Vivado:  {"vivado", flow.Vivado, flow.PrepareVivado},
}

// unplaceable returns the reason why a design cannot be placed, so that the results include only yosys's netlist. It
// returns "" if all programs for making a bitstream, and the files that these programs need, are available.
func unplaceable(o Options) string {
	p := o.Device.Placement()
	switch {
	case p != nil:
	case o.Device.Placeable():
		return "no program is known that places it"
	case o.Device.Of().Unplaced != "":
		return o.Device.Of().Unplaced
	default:
		return "there is no device to place it on"
	}
	programs := slices.Concat([]string{p.Program}, p.Others)
	if p.Icestorm && len(o.Memories) > 0 {
		programs = append(programs, "icebram")
	}
	for _, name := range programs {
		if _, err := tool.Find(name); err != nil {
			return err.Error()
		}
	}
	if p.AllPins && o.Pins == "" {
		return p.Program + " needs a pin for every port: give a file with all pins"
	}
	return ""
}

// packBits makes the bitstream of a routed design, and the files that accompany the bitstream.
func (o Options) packBits(ctx context.Context, r *flow.Result, bitstream string) error {
	p := o.Device.Placement()
	switch {
	case p.Icestorm:
		return o.packIcestorm(ctx, r, bitstream)
	case p.Pack != nil:
		return packWith(ctx, p.Others[len(p.Others)-1], bitstream, p.Pack(o.Device, r.Bits, bitstream)...)
	}
	return os.Rename(r.Bits, bitstream) // the placer has already written the bitstream
}

// packIcestorm runs icepack, which makes the bitstream. It also writes the positions of the pins.
func (o Options) packIcestorm(ctx context.Context, r *flow.Result, bitstream string) error {
	if err := o.pack(ctx, r.Bits, filepath.Dir(bitstream), bitstream); err != nil {
		return err
	}
	pins, err := os.Create(strings.TrimSuffix(bitstream, filepath.Ext(bitstream)) + ".pcf")
	if err != nil {
		return err
	}
	return errors.Join(flow.WritePins(pins, o.Device, r.Pads), pins.Close())
}

// packWith runs a program that makes the bitstream, and writes its log next to the bitstream.
func packWith(ctx context.Context, program, bitstream string, args ...string) error {
	t, err := tool.Find(program)
	if err != nil {
		return err
	}
	log := filepath.Join(filepath.Dir(bitstream), program+".log")
	_, err = t.Run(ctx, tool.Command{Args: args, Limit: packLimit, Log: log})
	return err
}
