package wrapper

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// Board is a circuit board with pins for wrappers.
type Board struct {
	Name    string
	Device  string // name of the device, as an option of nextpnr-ice40
	Package string
	ClockHz int // frequency of the board's oscillator

	title string
	pins  map[string][]pin // pins by kind of wrapper
}

// pin is a line of a pin file.
type pin struct{ port, pin, what string }

// boards lists the known boards. [Board.WritePins] says where the pins come from.
var boards = []Board{
	{
		Name: "hx8k-breakout", Device: "hx8k", Package: "ct256", ClockHz: 12_000_000,
		title: "Lattice iCE40HX-8K Breakout Board (iCE40-HX8K, ct256)",
		pins: map[string][]pin{
			"uart": {
				{"clk", "J3", "oscillator, 12 MHz"},
				{"-pullup yes rst_n", "T2", "on a header, beside a ground: connected to it, a reset"},
				{"rx", "B10", "from channel B of the FTDI chip"},
				{"tx", "B12", "to channel B of the FTDI chip"},
				{"error", "B5", "LED0"},
				{"frame_error", "B4", "LED1"},
			},
			"spi": {
				{"clk", "J3", "oscillator, 12 MHz"},
				{"-pullup yes rst_n", "T2", "on a header, beside a ground: connected to it, a reset"},
				{"-pullup yes cs_n", "T5", "on the same header, as all below"},
				{"mosi", "T6", ""},
				{"miso", "T7", ""},
				{"sck", "T9", ""},
				{"ready", "T1", ""},
				{"error", "B5", "LED0"},
			},
		},
	},
	{
		Name: "icebreaker", Device: "up5k", Package: "sg48", ClockHz: 12_000_000,
		title: "1BitSquared iCEBreaker (iCE40-UP5K, sg48)",
		pins: map[string][]pin{
			"uart": {
				{"clk", "35", "oscillator, 12 MHz"},
				{"rst_n", "10", "button, BTN_N"},
				{"rx", "6", "from channel B of the FTDI chip"},
				{"tx", "9", "to channel B of the FTDI chip"},
				{"error", "26", "LED1, on PMOD 2"},
				{"frame_error", "27", "LED2, on PMOD 2"},
			},
			"spi": {
				{"clk", "35", "oscillator, 12 MHz"},
				{"rst_n", "10", "button, BTN_N"},
				{"-pullup yes cs_n", "4", "PMOD 1A, pin 1; all on it as the Pmod standard has SPI"},
				{"mosi", "2", "PMOD 1A, pin 2"},
				{"miso", "47", "PMOD 1A, pin 3"},
				{"sck", "45", "PMOD 1A, pin 4"},
				{"ready", "3", "PMOD 1A, pin 7"},
				{"error", "26", "LED1, on PMOD 2"},
			},
		},
	},
}

// Boards returns the names of all boards.
func Boards() []string {
	var names []string
	for _, b := range boards {
		names = append(names, b.Name)
	}
	return names
}

// ParseBoard returns the board with the given name.
func ParseBoard(name string) (*Board, error) {
	for i := range boards {
		if boards[i].Name == name {
			return &boards[i], nil
		}
	}
	return nil, message.NoSuch("board", name, Boards())
}

// CheckPins returns an error if a wrapper has no pins on the board. Wrappers whose ports are for logic on the same
// device have no pins.
func (b *Board) CheckPins(kind string) error {
	if _, ok := b.pins[kind]; !ok {
		others := slices.DeleteFunc(Kinds(), func(k string) bool { return b.pins[k] == nil })
		return fmt.Errorf("board %s: a wrapper %s has no pins there, give %s", b.Name, kind, message.Or(others))
	}
	return nil
}

// Boarded reports whether some board has pins for a kind of wrapper.
func Boarded(kind string) bool {
	return slices.ContainsFunc(boards, func(b Board) bool { return b.CheckPins(kind) == nil })
}

// MHz returns the frequency of the board's oscillator.
func (b *Board) MHz() float64 { return float64(b.ClockHz) / 1e6 }

// CheckClock returns an error if mhz is neither 0 nor the board's clock.
func (b *Board) CheckClock(mhz float64) error {
	if mhz != 0 && mhz != b.MHz() {
		return fmt.Errorf("%v: the clock of the board %s has %v MHz", mhz, b.Name, b.MHz())
	}
	return nil
}

// WritePins writes the pins of a wrapper (uart or spi), with the clock's frequency, as a .pcf file for nextpnr-ice40
// and arachne-pnr.
//
// The pins come from public pin files of the boards. The pins of the iCEBreaker are from icebreaker/icebreaker.pcf in
// the Verilog examples of the board's makers. For the HX8K breakout board, the pins of the clock and the LEDs are
// from examples/hx8kboard of Project IceStorm. The pins of the serial line are from several files that agree. Only
// one of these files says that T1 to T9 are on one header, with T2 next to a ground. The comment in the written pin
// file repeats this statement. nextpnr accepts all these pins for the package. The pins have not been tested on a
// board.
func (b *Board) WritePins(w io.Writer, kind, module string) error {
	if err := b.CheckPins(kind); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# Pins of %s on the %s\n#\n", module, b.title)
	fmt.Fprintf(&text, "# nextpnr-ice40 --%s --package %s --pcf this file\n#\n", b.Device, b.Package)
	if b.Device == "hx8k" {
		text.WriteString("# Pins from public pin files: clock and LEDs from Project IceStorm (examples/hx8kboard), the\n" +
			"# serial line from several that agree. The header of T1 to T9 is from one alone: look at the\n" +
			"# board's schematic before anything is connected to it.\n\n")
	} else {
		text.WriteString("# Pins from icebreaker.pcf of the board's own Verilog examples.\n\n")
	}
	fmt.Fprintf(&text, "set_frequency clk %d\n", b.ClockHz/1_000_000)
	for _, p := range b.pins[kind] {
		line := fmt.Sprintf("set_io %s %s", p.port, p.pin)
		if p.what != "" {
			line = fmt.Sprintf("%-28s # %s", line, p.what)
		}
		text.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}
