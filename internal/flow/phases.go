package flow

import (
	"context"
	"regexp"

	"ialgn/internal/progress"
)

// phases lists regular expressions for the lines of nextpnr's log that show progress. Each expression has a text to
// report. In this text, %s is replaced by the part of the line that matches the parentheses in the expression.
var phases = []struct {
	line *regexp.Regexp
	say  string
}{
	{regexp.MustCompile(`^Info: Packing `), "packing"},
	{regexp.MustCompile(`^Info: +at initial placer iter `), "placing"},
	{regexp.MustCompile(`^Info: +at iteration #(\d+), type `), "placing, iteration %s"},
	{regexp.MustCompile(`^Info: Running simulated annealing placer`), "placing, by annealing"},
	{regexp.MustCompile(`^Info: +at iteration #(\d+): temp = `), "placing, by annealing, iteration %s"},
	{regexp.MustCompile(`^Info: Routing\.\.`), "routing"},
	{regexp.MustCompile(`^Info: Routing (\d+) arcs`), "routing, %s arcs left"},
	{regexp.MustCompile(`^Info: +\d+ \|[\d ]+\|[\d ]+\| +(\d+)\|`), "routing, %s arcs left"},
	{regexp.MustCompile(`^Info: +iter=\d+ wires=\d+ overused=(\d+) `), "routing, %s wires overused"},
	{regexp.MustCompile(`^Info: Routing complete`), "reporting"},
}

// follow returns a function that takes each line of nextpnr's log and reports its progress.
func follow(ctx context.Context) func(line string) {
	return func(line string) {
		for _, p := range phases {
			switch m := p.line.FindStringSubmatch(line); len(m) {
			case 1:
				progress.Say(ctx, "%s", p.say)
			case 2:
				progress.Say(ctx, p.say, m[1])
			}
		}
	}
}
