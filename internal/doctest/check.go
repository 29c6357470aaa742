package doctest

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"ialgn/backend"
	"ialgn/internal/manual"
)

// Checker checks documents of a repository.
type Checker struct {
	Program *manual.Program
	Files   fs.FS    // the repository
	Targets []string // names of the targets in the Makefile
}

// Check returns the errors in the command lines of a document, one line for each error. A line begins with the
// document's name and the line number.
func (c *Checker) Check(name, markdown string) []string {
	steps, err := Steps(markdown)
	if err != nil {
		return []string{fmt.Sprintf("%s:%v", name, err)}
	}
	d := &document{Checker: c, made: map[string]bool{}}
	var wrong []string
	for _, s := range steps {
		if s.Status == "1" {
			continue // the document shows how this command is refused
		}
		for _, err := range d.step(s.Command) {
			wrong = append(wrong, fmt.Sprintf("%s:%d: %v", name, s.Line, err))
		}
	}
	return wrong
}

// document is a document that is being checked. It records the files that its commands have made so far.
type document struct {
	*Checker
	made map[string]bool
}

func (d *document) step(command string) (wrong []error) {
	list, err := split(command)
	if err != nil {
		return []error{err}
	}
	for _, s := range list {
		if len(s.words) > 0 {
			wrong = append(wrong, d.simple(s)...)
		}
		if s.out != "" {
			d.make(s.out)
		}
	}
	return wrong
}

func (d *document) simple(s simple) []error {
	switch name, args := s.words[0], s.words[1:]; {
	case name == "ialgn":
		return d.ialgn(args)
	case name == "make":
		return d.makefile(args)
	case name == "cp":
		return d.copied(args)
	case name == "gcc":
		return d.gcc(args)
	case slices.Contains(known, name), d.made[path.Clean(name)]:
		return d.needFiles(args)
	default:
		return []error{fmt.Errorf("%s: not a program that documents use: choose another, or add it to package doctest", name)}
	}
}

// known lists the other programs that documents may use.
var known = []string{
	"cat", "cmp", "curl", "cut", "diff", "echo", "export", "go", "grep", "gzip", "head", "printf", "python3", "sed",
	"sort", "tail", "uniq",
}

func (d *document) make(files ...string) {
	for _, f := range files {
		d.made[path.Clean(f)] = true
	}
}

// need returns an error for each file that is not in the repository and was not made by an earlier command.
func (d *document) need(files ...string) (wrong []error) {
	for _, f := range files {
		f = path.Clean(f)
		if d.made[f] {
			continue
		}
		if _, err := fs.Stat(d.Files, f); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: neither in the repository nor made by a command above", f))
		}
	}
	return wrong
}

var plainPath = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_./-]*$`)

// needFiles calls need with the arguments that look like files.
func (d *document) needFiles(args []string) (wrong []error) {
	for _, a := range args {
		if plainPath.MatchString(a) && strings.ContainsAny(a, "./") && strings.Trim(a, "0123456789.") != "" {
			wrong = append(wrong, d.need(a)...)
		}
	}
	return wrong
}

// gcc checks a command of the form gcc ... -o PROGRAM FILE...
func (d *document) gcc(args []string) []error {
	at := slices.Index(args, "-o")
	if at < 0 || at+1 == len(args) {
		return []error{fmt.Errorf("gcc: name the program with -o")}
	}
	wrong := d.needFiles(slices.Concat(args[:at], args[at+2:]))
	d.make(args[at+1])
	return wrong
}

// copied checks a command of the form cp [-r] FROM TO.
func (d *document) copied(args []string) []error {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-r" })
	if len(args) != 2 {
		return []error{fmt.Errorf("cp: give one source and one destination")}
	}
	wrong := d.need(args[0])
	for f := range d.made {
		if rest, ok := strings.CutPrefix(f, path.Clean(args[0])+"/"); ok {
			d.make(path.Join(args[1], rest))
		}
	}
	d.make(args[1])
	return wrong
}

// makefile checks a command of the form make TARGET.
func (d *document) makefile(args []string) (wrong []error) {
	for _, target := range args {
		switch {
		case assignment.MatchString(target):
		case !slices.Contains(d.Targets, target):
			wrong = append(wrong, fmt.Errorf("the Makefile has no target %s", target))
		case target == "build":
			d.make("bin", "bin/ialgn")
		case target == "demo":
			d.demo("demo")
		}
	}
	return wrong
}

// ialgn checks a call of the program.
func (d *document) ialgn(words []string) []error {
	c, err := parse(d.Program, words)
	if err != nil {
		return []error{err}
	}
	if _, help := c.flags["-h"]; help {
		return nil
	}
	out := c.flags["-o"]
	var wrong []error
	if len(c.command.Arguments.Words) == 0 && c.command.Name != "init" { // the files of init are the reader's own
		wrong = d.need(c.args...)
	}
	for _, name := range []string{"-o", "--log"} {
		if c.flags[name] != "" {
			d.make(c.flags[name])
		}
	}
	switch c.command.Name {
	case "init":
		for _, file := range c.args {
			d.make(file, strings.Replace(file, "-train", "-test", 1)) // init also finds the test samples
		}
	case "demo":
		d.demo(cmp.Or(out, "demo"))
	case "train":
		if _, resume := c.flags["--resume"]; resume {
			wrong = append(wrong, d.need(out+".checkpoint")...)
		}
		d.make(out + ".checkpoint")
	case "compile":
		d.design(out, moduleOf(c), c.flags["--emit"])
	}
	return wrong
}

// moduleOf returns the name of the compiled module. Without --module it is the name of the configuration. Documents
// also give this name to the model file.
func moduleOf(c call) string {
	if name := c.flags["--module"]; name != "" {
		return name
	}
	return strings.ReplaceAll(strings.TrimSuffix(path.Base(c.args[0]), ".safetensors"), "-", "_")
}

func (d *document) demo(dir string) {
	model := path.Join(dir, "digits.safetensors")
	d.make(dir, model, model+".checkpoint")
	d.design(path.Join(dir, "digits"), "digits", "")
}

// design records the files that compile makes.
func (d *document) design(dir, module, emit string) {
	d.make(dir)
	names := []string{"manifest.json", "report.json", module + ".json"}
	for format := range strings.SplitSeq("verilog,testbench,netlist,"+emit, ",") {
		for _, suffix := range backend.Suffixes(format) {
			names = append(names, module+suffix)
		}
	}
	for _, name := range names {
		d.make(path.Join(dir, name))
	}
}
