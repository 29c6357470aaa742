// Package tool runs the external programs that the compiler and the verifier need: programs for synthesis,
// simulation, equivalence checking, and place and route. It also runs the browser that tests use.
//
// [Find] looks up a known program in PATH. A [Tool] reports its version and runs [Command]s. Each run has a time
// limit for the program and for everything that the program starts. The output of the program is captured and, if
// wanted, also written to a log. The error for a program that is not installed is a [MissingError], which names the
// Debian package. The error for a program that does not do its work is a [FailedError], which names the log.
//
// For some of these programs, exit status 0 proves nothing. Callers must read the output, and must return a
// FailedError ([Result.Failed]) if the output lacks the result.
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
	debian      string   // Debian package that contains the program, or empty
	version     []string // arguments that make the program print its version, or nil if there is no way
	marker      string   // text that the line with the version contains
}

// programs lists the programs that [Find] knows.
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
	{"vivado", []string{"vivado"}, "", []string{"-version"}, "ivado v"}, // before 2023, the line begins with Vivado v
	{"mpirun", []string{"mpirun"}, "openmpi-bin", []string{"--version"}, "mpirun "},
	{"chromium", []string{"chromium"}, "chromium", []string{"--version"}, "Chromium "}, // used by tests of pages
}

// vendors names the vendors of programs whose source is not open.
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
	Package string // Debian package that contains the program, or empty

	program program
	asking  sync.Mutex
	version string // the version, or empty if the program was not asked yet or did not answer
}

// found maps paths to the tools that [Find] returned, so that a process asks each program for its version only once.
var found sync.Map

// Find looks up a known program ([Names]) in PATH. It returns a [*MissingError] if the program is not there. It
// panics if the name is not known.
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

// versionLimit is the time within which a program must print its version.
const versionLimit = 20 * time.Second

// Version returns the line with the program's version, such as `Yosys 0.23 (git sha1 7ce5011c24b)`. For a program
// that cannot print its version, it returns the version of the Debian package, or "unknown" if there is no such
// package. It keeps the program's answer. If the program does not answer, the next call asks it again.
func (t *Tool) Version(ctx context.Context) string {
	t.asking.Lock()
	defer t.asking.Unlock()
	if t.version == "" {
		t.version = t.findVersion(ctx)
	}
	return cmp.Or(t.version, "unknown")
}

// findVersion asks the program for its version. It returns "" if there is no answer.
func (t *Tool) findVersion(ctx context.Context) string {
	if t.program.version != nil {
		out, _ := t.Run(ctx, Command{Args: t.program.version, Limit: versionLimit})
		if v := lineWith(out.Stdout+"\n"+out.Stderr, t.program.marker); v != "" {
			return strings.TrimSuffix(v, " ()") // a build without a revision prints empty parentheses
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

// lineWith returns the first line of the text that contains the marker, or "" if there is none.
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
	Package string // Debian package that contains the program, or empty
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
	Reason string // for example `exit status 1` or `no proof in 10m0s`
	Line   string // the most informative line of the program's output, if any
	Log    string // file with the complete output, if there is one
	Err    error  // underlying error, if any
}

// Error returns `yosys: exit status 1: ERROR: syntax error`.
func (e *FailedError) Error() string {
	if e.Line == "" {
		return fmt.Sprintf("%s: %s", e.Name, e.Reason)
	}
	return fmt.Sprintf("%s: %s: %s", e.Name, e.Reason, e.Line)
}

// Hint returns how to fix the underlying error or, if this is not known, where the output is. It returns "" if there
// is neither a hint nor a log.
func (e *FailedError) Hint() string {
	if h := message.Hint(e.Err); h != "" {
		return h
	}
	if e.Log == "" {
		return ""
	}
	return "its output is in " + e.Log
}

// Unwrap returns the underlying error.
func (e *FailedError) Unwrap() error { return e.Err }
