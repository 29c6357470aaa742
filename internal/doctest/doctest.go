// Package doctest checks the documents against the program. The program must accept the command lines that the
// documents show, and the command lines must work in the order in which they are shown.
//
// A document's fenced blocks are read in the same way as a shell reads them. A block of kind `sh` holds commands. A
// block of kind `console` holds commands after "$ ", with their output below. [Checker.Check] follows the commands
// from first to last. Commands and options must exist in the program. Files must be in the repository, or made by an
// earlier command. [Reference] compares the reference page with the program's commands and options. [Keys] compares
// the reference page with the JSON that the program prints with --json.
package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// Step is one command line of a document.
type Step struct {
	Line    int    // line in the document, from 1
	Command string // the command; may have several lines
	Output  []string
	Console bool   // whether the lines below the command are its output
	Status  string // exit status that the `echo $?` after the command shows, or "" if there is none
}

// Steps returns the command lines in the blocks of a document, in order. It returns an error for a block that does
// not end, or for a console block that begins with output.
func Steps(markdown string) ([]Step, error) {
	var steps []Step
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); i++ {
		kind, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		begin := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		if i == len(lines) {
			return nil, fmt.Errorf("%d: the block does not end: close it with ```", begin)
		}
		block, err := blockSteps(kind, lines[begin:i], begin+1)
		if err != nil {
			return nil, err
		}
		steps = append(steps, block...)
	}
	return steps, nil
}

func blockSteps(kind string, lines []string, first int) ([]Step, error) {
	switch kind {
	case "sh":
		return scriptSteps(lines, first), nil
	case "console":
		return consoleSteps(lines, first)
	}
	return nil, nil
}

// scriptSteps returns the commands of a block. It joins lines while a quote is open, and skips comments.
func scriptSteps(lines []string, first int) []Step {
	var steps []Step
	for i := 0; i < len(lines); i++ {
		begin, command := i, lines[i]
		for open(command) && i+1 < len(lines) {
			i++
			command += "\n" + lines[i]
		}
		if text := strings.TrimSpace(command); text != "" && text[0] != '#' {
			steps = append(steps, Step{Line: first + begin, Command: command})
		}
	}
	return steps
}

func consoleSteps(lines []string, first int) ([]Step, error) {
	var steps []Step
	for i, line := range lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, Step{Line: first + i, Command: command, Console: true})
			continue
		}
		if len(steps) == 0 {
			return nil, fmt.Errorf("%d: a console block begins with output: begin with a command after \"$ \"", first+i)
		}
		last := &steps[len(steps)-1]
		last.Output = append(last.Output, line)
	}
	for i := 1; i < len(steps); i++ {
		if steps[i].Command == "echo $?" && len(steps[i].Output) == 1 {
			steps[i-1].Status = steps[i].Output[0]
		}
	}
	return steps, nil
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(?:#[^)]*)?\)`)

// Links returns the targets of a document's links to files of the repository.
func Links(markdown string) []string {
	var targets []string
	for _, m := range link.FindAllStringSubmatch(markdown, -1) {
		if !strings.Contains(m[1], "://") {
			targets = append(targets, m[1])
		}
	}
	return targets
}
