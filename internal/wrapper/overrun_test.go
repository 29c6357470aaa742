package wrapper

import (
	"fmt"
	"testing"

	"ialgn/netlist"
)

// longAnswers returns a netlist whose samples are one byte. The result repeats this byte eight times.
func longAnswers() *netlist.Netlist {
	b := netlist.NewBuilder("long")
	x := b.Input("x", 8, 8, nil)
	var all []netlist.Net
	for range 8 {
		all = append(all, x...)
	}
	b.Output("copies", 8, nil, all)
	return b.Netlist()
}

// TestOverrun sends samples faster than the wrapper can send their results. There is no room for the third sample,
// so the wrapper drops this sample and reports an error. The samples before and after it must be answered correctly.
// A wrapper that does not check for room fails.
func TestOverrun(t *testing.T) {
	line := &uartProgram{reply: 8}
	line.do(uartPause, uartIdleBits+3)
	frames := &spiProgram{reply: 8}
	for _, v := range []uint64{0x11, 0xa2, 0x53, 0x94} {
		answer := []uint64{v, v, v, v, v, v, v, v}
		if v == 0x53 {
			line.do(uartByte, int(v))
			line.do(uartPause, 250)
			line.do(uartErrors, 1)
			frames.frame(1, []uint64{v}, 0)
			frames.do(spiError, 1)
			frames.read()
			frames.do(spiReady, 1)
			frames.read()
			frames.do(spiReady, 0)
			continue
		}
		line.sample([]uint64{v}, answer)
		frames.frame(1, []uint64{v}, 0)
		for _, b := range answer {
			fmt.Fprintf(&frames.expected, "%02x\n", b)
		}
		frames.results++
	}
	frames.do(spiReady, 1)
	frames.read()
	dir, wrapper := emitWith(t, longAnswers(), 0, WriteUART, Options{})
	clocksOf(t, line.run(t, dir, wrapper, 8), line.answers)
	untold := fault{"errors are wrong", "overrun = received & ~in_ready", "overrun = 1'b0"}
	untold.found(t, line.run(t, dir, untold.broken(t, wrapper), 8))
	dir, wrapper = emitWith(t, longAnswers(), 0, WriteSPI, Options{})
	clocksOf(t, frames.run(t, dir, wrapper, 0), frames.results)
	untold = fault{"the error is wrong", "bits == 3'd0) & in_ready;", "bits == 3'd0);"}
	untold.found(t, frames.run(t, dir, untold.broken(t, wrapper), 0))
}
