// Package tool runs the external programs that the compiler and the verifier rely on:
// synthesis, simulators, equivalence checking, place and route; and the browser of tests.
//
// [Find] looks a program of the list up in PATH. A [Tool] tells its version and runs
// [Command]s: each with a time limit for the program and all that it starts, with its
// output captured and, where asked for, kept in a log. A program that is not installed
// is a [MissingError], which names its Debian package; one that did not do its work is
// a [FailedError], which names its log.
//
// An exit status of 0 is no proof of anything with some of these programs: callers read
// the output and report what it does not say by a FailedError of their own
// ([Result.Failed]).
package tool

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ialgn/internal/message"
)

// program is a known external program.
type program struct {
	name        string
	executables []string // names in order of preference
	debian      string   // package that holds it; empty: none does
	version     []string // arguments that make it tell its version; nil: it has none
	marker      string   // text that marks the line with the version
}

// programs lists what [Find] knows.
var programs = []program{
	{"yosys", []string{"yosys"}, "yosys", []string{"-V"}, "Yosys "},
	{"iverilog", []string{"iverilog"}, "iverilog", []string{"-V"}, "Icarus Verilog version "},
	{"vvp", []string{"vvp"}, "iverilog", []string{"-V"}, "Icarus Verilog runtime version "},
	{"verilator", []string{"verilator"}, "verilator", []string{"--version"}, "Verilator "},
	{
		"abc",
		[]string{"berkeley-abc", "abc", "yosys-abc"},
		"berkeley-abc",
		[]string{"-c", "version; quit"},
		"UC Berkeley, ABC ",
	},
	{
		"nextpnr-ice40",
		[]string{"nextpnr-ice40"},
		"nextpnr-ice40",
		[]string{"--version"},
		"Next Generation Place and Route",
	},
	{"icepack", []string{"icepack"}, "fpga-icestorm", nil, ""},
	{"icetime", []string{"icetime"}, "fpga-icestorm", nil, ""},
	{"icebram", []string{"icebram"}, "fpga-icestorm", nil, ""},
	{"iceunpack", []string{"iceunpack"}, "fpga-icestorm", nil, ""},
	{"icebox_vlog", []string{"icebox_vlog"}, "fpga-icestorm", nil, ""},
	{"nextpnr-ecp5", []string{"nextpnr-ecp5"}, "", []string{"--version"}, "Next Generation Place and Route"},
	{"ecppack", []string{"ecppack"}, "", []string{"--version"}, "Version"},
	{"nextpnr-himbaechel", []string{"nextpnr-himbaechel"}, "", []string{"--version"}, "Next Generation Place and Route"},
	{"gowin_pack", []string{"gowin_pack"}, "", nil, ""},
	{"vivado", []string{"vivado"}, "", []string{"-version"}, "ivado v"}, // before 2023: Vivado v
	{"mpirun", []string{"mpirun"}, "openmpi-bin", []string{"--version"}, "mpirun "},
	{"chromium", []string{"chromium"}, "chromium", []string{"--version"}, "Chromium "}, // tests look at pages with it
}

// vendors have the programs whose source is not open.
var vendors = map[string]string{"vivado": "AMD"}

// Names returns the names of all programs that [Find] knows.
func Names() []string {
	var names []string
	for _, p := range programs {
		names = append(names, p.name)
	}
	return names
}

// Tool is an installed external program.
type Tool struct {
	Name    string // name as given to Find
	Path    string // path of the executable
	Package string // Debian package that holds it; empty: none does

	program program
	asking  sync.Mutex
	version string // what the program told; empty: it was not asked, or did not tell
}

// found has the tools that [Find] returned, by path, so that a program tells its version once in a process.
var found sync.Map

// Find looks for a program of the list ([Names]) in PATH. It returns a [*MissingError] if it is not there, and panics
// if the name is none of these.
func Find(name string) (*Tool, error) {
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if i < 0 {
		panic("tool: unknown program " + name)
	}
	p := programs[i]
	for _, executable := range p.executables {
		if path, err := exec.LookPath(executable); err == nil {
			t, _ := found.LoadOrStore(path, &Tool{Name: name, Path: path, Package: p.debian, program: p})
			return t.(*Tool), nil
		}
	}
	return nil, &MissingError{Name: name, Package: p.debian}
}

// versionLimit bounds the time in which a program has to tell its version.
const versionLimit = 20 * time.Second

// Version returns the line in which the program tells its version, such as `Yosys 0.23
// (git sha1 7ce5011c24b)`. For one that cannot tell, it is the version of the Debian
// package, and "unknown" where there is none. It asks until it is told, and then no more.
func (t *Tool) Version(ctx context.Context) string {
	t.asking.Lock()
	defer t.asking.Unlock()
	if t.version == "" {
		t.version = t.findVersion(ctx)
	}
	return cmp.Or(t.version, "unknown")
}

// findVersion asks for the version. It is empty where there is no answer.
func (t *Tool) findVersion(ctx context.Context) string {
	if t.program.version != nil {
		out, _ := t.Run(ctx, Command{Args: t.program.version, Limit: versionLimit})
		if v := lineWith(out.Stdout+"\n"+out.Stderr, t.program.marker); v != "" {
			return strings.TrimSuffix(v, " ()") // a build without its revision prints empty parentheses
		}
	}
	query, err := exec.LookPath("dpkg-query")
	if err != nil || t.Package == "" {
		return ""
	}
	out, err := (&Tool{Name: "dpkg-query", Path: query}).Run(ctx, Command{
		Args: []string{"-W", "-f", "${Package} ${Version}", t.Package}, Limit: versionLimit,
	})
	if err != nil || out.Stdout == "" {
		return ""
	}
	return out.Stdout
}

// lineWith returns the first line of the text that holds the marker, "" if none does.
func lineWith(text, marker string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, marker) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// MissingError says that an external program is not installed.
type MissingError struct {
	Name    string // name of the program
	Package string // Debian package that holds it; empty: none does
}

// Error returns `yosys: not installed, it is in the Debian package yosys`.
func (e *MissingError) Error() string {
	if e.Package == "" {
		return e.Name + ": not installed, and not available as a Debian package"
	}
	return fmt.Sprintf("%s: not installed; it is in the Debian package %s", e.Name, e.Package)
}

// Hint returns how to install the program.
func (e *MissingError) Hint() string {
	if e.Package == "" {
		if vendor := vendors[e.Name]; vendor != "" {
			return "install " + e.Name + " of " + vendor + ", and put it on the PATH"
		}
		return "build " + e.Name + " from its source, and put it on the PATH"
	}
	if runtime.GOOS != "linux" {
		return "install " + e.Name + ", and put it on the PATH"
	}
	return "apt-get install " + e.Package + ", or make tools"
}

// FailedError says that an external program did not do its work.
type FailedError struct {
	Name   string // name of the program
	Reason string // `exit status 1`, `no proof in 10m0s` and so on
	Line   string // the most telling line of its output, if any
	Log    string // file with all of its output, if any was asked for
	Err    error  // below the reason, if any
}

// Error returns `yosys: exit status 1: ERROR: syntax error`.
func (e *FailedError) Error() string {
	if e.Line == "" {
		return fmt.Sprintf("%s: %s", e.Name, e.Reason)
	}
	return fmt.Sprintf("%s: %s: %s", e.Name, e.Reason, e.Line)
}

// Hint returns how to fix what is below the reason, or where the output is, "" if no log was asked for.
func (e *FailedError) Hint() string {
	if h := message.Hint(e.Err); h != "" {
		return h
	}
	if e.Log == "" {
		return ""
	}
	return "its output is in " + e.Log
}

// Unwrap returns the error below the reason.
func (e *FailedError) Unwrap() error { return e.Err }
