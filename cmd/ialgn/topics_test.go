package main

import (
	"io"
	"strings"
	"testing"
)

// TestTopics checks that `ialgn help` lists every topic. The text of a topic must fit a terminal, except for its
// examples.
func TestTopics(t *testing.T) {
	list := must(t, "help")
	if !strings.HasPrefix(list, must(t, "-h")) {
		t.Error("`ialgn help` does not begin with the help")
	}
	for _, topic := range topics {
		text := must(t, "help", topic.name)
		if len(text) < 200 || !strings.Contains(list, "\n  "+topic.name+" ") {
			t.Errorf("%s:\n%s", topic.name, text)
		}
		for _, mark := range []string{"](", "|---", "```"} {
			if strings.Contains(text, mark) {
				t.Errorf("%s: the Markdown mark %q was not removed", topic.name, mark)
			}
		}
	}
	for topic, part := range map[string]string{
		"exit-status": "\n3\n    an external tool is missing", "targets": "\n`ice40-hx1k`\n    iCE40HX1K-TQ144\n",
		"formats": "\n`manifest.json`\n", "config": "\n`model.width`\n", "environment": "\n`NO_COLOR`\n",
		"wrappers": "AXI4-Stream", "tools": "\n`yosys`\n",
	} {
		if text := must(t, "help", topic); !strings.Contains("\n"+text, part) {
			t.Errorf("%s: no %q in\n%s", topic, part, text)
		}
	}
}

// TestHelpOfCommands checks that `ialgn help COMMAND`, and -h anywhere among the arguments, show the help of the
// command.
func TestHelpOfCommands(t *testing.T) {
	for _, c := range newApp(io.Discard, io.Discard).Commands {
		want := must(t, c.Name, "-h")
		for _, args := range [][]string{
			{"help", c.Name},
			{c.Name, "FILE", "-h"},
			{c.Name, "--help", "FILE"},
			{c.Name, "FILE", "OTHER", "--quiet", "--threads", "2", "-h"},
		} {
			if got := must(t, args...); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", args, got, want)
			}
		}
	}
	if code, _, _ := runProgram(t, "eval", "--", "-h"); code != exitUsage {
		t.Errorf("a file -h: exit status %d, want %d", code, exitUsage)
	}
	code, _, stderr := runProgram(t, "help", "exit-statsu")
	if code != exitUsage || !strings.Contains(stderr, "did you mean exit-status; `ialgn help` lists them") {
		t.Errorf("exit status %d, %s", code, stderr)
	}
}
