package synth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"ialgn/flow/device"
	"ialgn/flow/icestorm"
	"ialgn/flow/nextpnr"
	"ialgn/flow/placement"
	"ialgn/flow/vivado"
	"ialgn/internal/tool"
)

// way is how the designs for a family come from yosys's netlist to a bitstream.
type way struct {
	placer   string   // what places, as notes call it
	programs []string // all that it takes, what places first
	place    func(context.Context, placement.Options) (*placement.Result, error)
	// prepare writes beside the netlist what place reads, and returns the command that place runs;
	// nil where that is nothing.
	prepare  func(placement.Options) (command string, err error)
	seedless bool   // there are no random numbers to seed
	suffix   string // of the bitstream
	// pack makes the bitstream of a routed design, and what stands beside it.
	pack func(ctx context.Context, o Options, r *placement.Result, bitstream string) error
}

// ways by family; there is none for look-up tables alone.
var ways = map[string]way{
	device.ICE40: {
		placer: "nextpnr", programs: []string{nextpnr.Program(device.ICE40), "icepack", "icetime"},
		place: nextpnr.Place, suffix: ".bin", pack: packICE40,
	},
	device.ECP5: {
		placer: "nextpnr", programs: []string{nextpnr.Program(device.ECP5), "ecppack"},
		place: nextpnr.Place, suffix: ".bit", pack: packECP5,
	},
	device.Gowin: {
		placer: "nextpnr", programs: []string{nextpnr.Program(device.Gowin), "gowin_pack"},
		place: nextpnr.Place, suffix: ".fs", pack: packGowin,
	},
	device.Xilinx7: {
		placer: "vivado", programs: []string{vivado.Program}, seedless: true,
		place: vivado.Place, prepare: vivado.Prepare, suffix: ".bit", pack: packXilinx7,
	},
}

// unplaceable returns why a design for a target ends with yosys's netlist, "" if all programs
// that lead to a bitstream are there, and what they need.
func unplaceable(o Options) string {
	switch {
	case !o.Device.Placeable() && o.Device.Family == device.Xilinx7:
		return "Debian has nothing that places it; the vendor's tool takes netlist.v, or the Verilog of compile"
	case !o.Device.Placeable():
		return "there is no device to place it on"
	}
	programs := ways[o.Device.Family].programs
	if o.Device.Family == device.ICE40 && len(o.Memories) > 0 {
		programs = append(programs[:len(programs):len(programs)], "icebram")
	}
	for _, name := range programs {
		if _, err := tool.Find(name); err != nil {
			return err.Error()
		}
	}
	if o.Device.Family == device.Gowin && o.Pins == "" {
		return programs[0] + " takes no port without a pin: give all of them by --pins"
	}
	return ""
}

// packICE40 has icepack make the bitstream, and writes where the pins are.
func packICE40(ctx context.Context, o Options, r *placement.Result, bitstream string) error {
	if err := o.pack(ctx, r.Bits, filepath.Dir(bitstream), bitstream); err != nil {
		return err
	}
	pins, err := os.Create(strings.TrimSuffix(bitstream, ".bin") + ".pcf")
	if err != nil {
		return err
	}
	return errors.Join(icestorm.WritePins(pins, o.Device, r.Pads), pins.Close())
}

func packECP5(ctx context.Context, _ Options, r *placement.Result, bitstream string) error {
	return packWith(ctx, "ecppack", bitstream, r.Bits, bitstream)
}

func packGowin(ctx context.Context, o Options, r *placement.Result, bitstream string) error {
	return packWith(ctx, "gowin_pack", bitstream, "-d", o.Device.Die, "-o", bitstream, r.Bits)
}

// packXilinx7 gives the bitstream its name: Vivado has made it.
func packXilinx7(_ context.Context, _ Options, r *placement.Result, bitstream string) error {
	return os.Rename(r.Bits, bitstream)
}

// packWith runs a program that makes a bitstream. Its log stays beside that.
func packWith(ctx context.Context, program, bitstream string, args ...string) error {
	t, err := tool.Find(program)
	if err != nil {
		return err
	}
	log := filepath.Join(filepath.Dir(bitstream), program+".log")
	_, err = t.Run(ctx, tool.Command{Args: args, Limit: packLimit, Log: log})
	return err
}
