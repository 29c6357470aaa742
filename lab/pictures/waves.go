package main

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
)

// These are the sizes of a waveform, in pixels.
const (
	tick   = 24 // half a clock
	row    = 34 // distance from one signal to the next
	height = 20 // distance between the levels 0 and 1
	left   = 100
)

// wave holds the values of a signal as binary numbers. There is one value for each time step.
type wave struct {
	bits   int
	values []string
}

// draw returns the named signals of a value change dump (IEEE 1364-2005, clause 18) as SVG. The signals must belong
// to the outermost module. A time step of the dump is half a clock.
func draw(vcd []byte, names []string) ([]byte, error) {
	waves, steps, err := readWaves(string(vcd), names)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" role="img" `+
		`font-family="Liberation Sans, Arial, Helvetica, sans-serif" font-size="13">
<title>Waveform: %s</title>
<rect width="100%%" height="100%%" fill="#fff"/>
`, left+steps*tick+20, len(names)*row+20, strings.Join(names, ", "))
	for t := 1; t < steps; t += 2 { // the rising edges of the clock
		fmt.Fprintf(&b, `<path d="M%d 10V%d" stroke="#ddd"/>`+"\n", left+t*tick, len(names)*row+10)
	}
	for i, name := range names {
		base := 20 + i*row + height
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", left-10, base-5, html.EscapeString(name))
		if w := waves[name]; w.bits == 1 {
			w.drawLine(&b, base)
		} else {
			w.drawBus(&b, base)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// drawLine draws a signal of one bit above the line y = base.
func (w *wave) drawLine(b *bytes.Buffer, base int) {
	fmt.Fprintf(b, `<path fill="none" stroke="#1f4e79" stroke-width="2" d="`)
	for t, v := range w.values {
		y := base
		if v == "1" {
			y -= height
		}
		command := "L"
		if t == 0 {
			command = "M"
		}
		fmt.Fprintf(b, "%s%d %dH%d", command, left+t*tick, y, left+(t+1)*tick)
	}
	b.WriteString("\"/>\n")
}

// drawBus draws a signal of several bits as boxes with its values in decimal.
func (w *wave) drawBus(b *bytes.Buffer, base int) {
	for t := 0; t < len(w.values); {
		end := t + 1
		for end < len(w.values) && w.values[end] == w.values[t] {
			end++
		}
		text := w.values[t]
		if n, err := strconv.ParseUint(text, 2, 64); err == nil {
			text = strconv.FormatUint(n, 10)
		}
		x := left + t*tick
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#eef4fa" stroke="#1f4e79" stroke-width="2"/>`,
			x, base-height, (end-t)*tick, height)
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", x+(end-t)*tick/2, base-5, text)
		t = end
	}
}

// readWaves returns the named signals of a dump, and its number of time steps.
func readWaves(vcd string, names []string) (map[string]*wave, int, error) {
	declarations, changes, ok := strings.Cut(vcd, "$enddefinitions $end")
	if !ok {
		return nil, 0, fmt.Errorf("value change dump: no $enddefinitions")
	}
	waves, byID := map[string]*wave{}, map[string]*wave{}
	fields := strings.Fields(declarations)
	for i, f := range fields {
		if f != "$var" || i+4 >= len(fields) || !slices.Contains(names, fields[i+4]) || waves[fields[i+4]] != nil {
			continue
		}
		bits, err := strconv.Atoi(fields[i+2])
		if err != nil {
			return nil, 0, fmt.Errorf("value change dump: %s: %w", fields[i+4], err)
		}
		w := &wave{bits: bits}
		waves[fields[i+4]], byID[fields[i+3]] = w, w
	}
	for _, name := range names {
		if waves[name] == nil {
			return nil, 0, fmt.Errorf("value change dump: no signal %s", name)
		}
	}
	steps, now := 0, map[*wave]string{}
	for line := range strings.Lines(changes) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
			t, err := strconv.Atoi(line[1:])
			if err != nil {
				return nil, 0, fmt.Errorf("value change dump: time %q", line)
			}
			for ; steps < t; steps++ {
				for w, v := range now {
					w.values = append(w.values, v)
				}
			}
		case strings.HasPrefix(line, "b"):
			if value, id, _ := strings.Cut(line[1:], " "); byID[id] != nil {
				now[byID[id]] = value
			}
		case line != "" && byID[line[1:]] != nil:
			now[byID[line[1:]]] = line[:1]
		}
	}
	return waves, steps, nil
}
