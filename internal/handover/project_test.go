package handover_test

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/handover"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
)

// TestProjectTcl runs the projects for Quartus and Libero in a shell that defines their commands and prints them.
func TestProjectTcl(t *testing.T) {
	const shell = `foreach c {project_new set_global_assignment execute_flow project_close new_project import_files
  build_design_hierarchy set_root organize_tool_files run_tool save_project} { proc $c args "puts \"$c \$args\"" }
package provide ::quartus::project 1
package provide ::quartus::flow 1
set script [lindex $argv 0]
set argv [lrange $argv 1 end]
set quartus(args) $argv
source $script
`
	for family, want := range map[*target.Family][]string{
		target.Intel: {
			"project_new clocked_ -overwrite\n", "-name DEVICE A\n", "-name VERILOG_FILE clocked__cells.v\n",
			"-name VERILOG_FILE clocked_.v\n", "-name SDC_FILE clocked_.sdc\n", "execute_flow -compile\nproject_close",
		},
		target.PolarFire: {
			"-name clocked_ -family PolarFire -hdl VERILOG -die A -package B -speed C\n", "import_files -hdl_source ./clocked_.v\n",
			"set_root -module clocked_::work\n", "run_tool -name PLACEROUTE\n", "save_project",
		},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "p.tcl"), func(w io.Writer) error {
			return handover.WriteProject(w, clocked(), options(family))
		})
		if err := os.WriteFile(filepath.Join(dir, "shell.tcl"), []byte(shell), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, dir, "tclsh", "shell.tcl", "p.tcl", "A", "B", "C")
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: no %q in\n%s", family, line, got)
			}
		}
	}
}

// TestProjectXML parses the project for Efinity.
func TestProjectXML(t *testing.T) {
	var text strings.Builder
	if err := handover.WriteProject(&text, clocked(), options(target.Efinix)); err != nil {
		t.Fatal(err)
	}
	var p struct {
		Name   string `xml:"name,attr"`
		Design struct {
			Top struct {
				Name string `xml:"name,attr"`
			} `xml:"top_module"`
			Files []struct {
				Name string `xml:"name,attr"`
			} `xml:"design_file"`
		} `xml:"design_info"`
		Timing struct {
			File struct {
				Name string `xml:"name,attr"`
			} `xml:"sdc_file"`
		} `xml:"constraint_info"`
	}
	if err := xml.Unmarshal([]byte(text.String()), &p); err != nil {
		t.Fatal(err)
	}
	if p.Name != "clocked_" || p.Design.Top.Name != "clocked_" || len(p.Design.Files) != 1 ||
		p.Design.Files[0].Name != "clocked_.v" || p.Timing.File.Name != "clocked_.sdc" {
		t.Errorf("%+v", p)
	}
}

// TestProjectShell runs the project for GateMate with yosys, and with a program in place of p_r.
func TestProjectShell(t *testing.T) {
	find(t, "yosys")
	dir := t.TempDir()
	n, opt := clocked(), options(target.GateMate)
	write(t, filepath.Join(dir, "clocked_.v"), func(w io.Writer) error {
		return verilog.Write(w, n, verilog.Options{Style: opt.Style, Target: opt.Target})
	})
	write(t, filepath.Join(dir, "p.sh"), func(w io.Writer) error { return handover.WriteProject(w, n, opt) })
	if err := os.WriteFile(filepath.Join(dir, "p_r"), []byte("#!/bin/sh\ngrep -c CC_DFF \"$2\"; echo $*\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if got := run(t, dir, "sh", "p.sh"); got != "4\n-i clocked__gatemate.v -o clocked_ +uCIO\n" {
		t.Errorf("%q", got)
	}
	if err := handover.WriteProject(io.Discard, n, options(target.ICE40)); err == nil {
		t.Error("a project for a family that has none")
	}
}
