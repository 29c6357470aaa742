// Command architecture draws the rooms of the module and which of them import which, from the import policy, as an SVG:
//
//	go run ./tools/architecture > docs/architecture.svg
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ialgn/internal/archtest"
)

func main() {
	if err := draw(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "architecture:", err)
		os.Exit(1)
	}
}

// Sizes in pixels.
const (
	boxWidth, boxHeight = 250, 44
	gapX, gapY          = 26, 46
	margin              = 16
)

// box is a room with its place.
type box struct {
	archtest.Room
	level, column int
}

func (b box) x(columns []int) int {
	widest := slices.Max(columns)
	return margin + (widest-columns[b.level])*(boxWidth+gapX)/2 + b.column*(boxWidth+gapX)
}

func (b box) y() int { return margin + b.level*(boxHeight+gapY) }

// draw writes the drawing: what imports stands above what it imports, as far below it as the longest way there.
func draw(w io.Writer) error {
	doors := archtest.Doors()
	boxes, columns := layout(doors)
	width := 2*margin + slices.Max(columns)*(boxWidth+gapX) - gapX
	height := 2*margin + len(columns)*(boxHeight+gapY) - gapY
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="Liberation Sans, Arial, Helvetica, sans-serif">
<title>The rooms of ialgn: arrows lead from a room to those that it imports</title>
<!-- made by go run ./tools/architecture from the import policy -->
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>
<rect width="100%%" height="100%%" fill="white"/>
`, width, height, width, height)
	for _, from := range boxes {
		for _, name := range doors[from.Name] {
			to := boxes[slices.IndexFunc(boxes, func(b box) bool { return b.Name == name })]
			if !direct(doors, from.Name, name) {
				continue // the path leads through another room, which is drawn
			}
			arrow(&b, from, to, columns)
		}
	}
	for _, r := range boxes {
		x, y := r.x(columns), r.y()
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#eef3fa" stroke="#345"/>`+"\n", x, y,
			boxWidth, boxHeight)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-size="14" font-weight="bold" fill="#123">%s</text>`+
			"\n", x+boxWidth/2, y+18, r.Name)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-size="11" fill="#333">%s</text>`+"\n", x+boxWidth/2,
			y+34, r.Holds)
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// arrow draws the door from one room to another: from the lower edge to the upper one, or between rooms of one level
// from side to side.
func arrow(b *strings.Builder, from, to box, columns []int) {
	x1, y1 := from.x(columns)+boxWidth/2, from.y()+boxHeight
	x2, y2 := to.x(columns)+boxWidth/2, to.y()
	if shift := (x2 - x1) / 8; from.level < to.level {
		x1, x2 = x1+min(boxWidth/3, max(-boxWidth/3, shift)), x2-min(boxWidth/3, max(-boxWidth/3, shift))
	}
	if from.level >= to.level {
		y1, y2 = from.y()+boxHeight/2, to.y()+boxHeight/2
		x1, x2 = from.x(columns), to.x(columns)+boxWidth
		if from.column < to.column {
			x1, x2 = from.x(columns)+boxWidth, to.x(columns)
		}
	}
	bend := gapY / 2
	if from.level >= to.level {
		bend = 0
	}
	fmt.Fprintf(b, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#555" marker-end="url(#tip)"/>`+"\n",
		x1, y1, x1, y1+bend, x2, y2-bend, x2, y2)
}

// direct reports whether no third room leads from one room to another.
func direct(doors map[string][]string, from, to string) bool {
	for _, by := range doors[from] {
		mutual := reaches(doors, to, by, map[string]bool{}) // the two rooms import each other
		if by != to && !mutual && reaches(doors, by, to, map[string]bool{from: true}) {
			return false
		}
	}
	return true
}

// reaches reports whether doors lead from one room to another, but for those that were seen.
func reaches(doors map[string][]string, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	seen[from] = true
	for _, next := range doors[from] {
		if !seen[next] && reaches(doors, next, to, seen) {
			return true
		}
	}
	return false
}

// layout gives each room a level, one more than the deepest of those that import it, and a column in the order of the
// rooms. Rooms that import each other stand side by side.
func layout(doors map[string][]string) (boxes []box, columns []int) {
	level := map[string]int{}
	for range archtest.Rooms { // enough rounds for the longest path
		for _, from := range archtest.Rooms {
			for _, to := range doors[from.Name] {
				if !reaches(doors, to, from.Name, map[string]bool{}) {
					level[to] = max(level[to], level[from.Name]+1)
				}
			}
		}
	}
	for _, r := range archtest.Rooms {
		l := level[r.Name]
		for len(columns) <= l {
			columns = append(columns, 0)
		}
		boxes = append(boxes, box{r, l, columns[l]})
		columns[l]++
	}
	return boxes, columns
}
