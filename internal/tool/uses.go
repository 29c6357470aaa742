package tool

// uses maps each program to the purpose for which ialgn needs it. Users who do not have this purpose do not need the
// program.
var uses = map[string]string{
	"yosys":              "proofs about the Verilog, synthesis",
	"iverilog":           "simulation of the Verilog",
	"vvp":                "simulation of the Verilog, it comes with iverilog",
	"verilator":          "simulation of large designs in less time",
	"abc":                "proofs",
	"nextpnr-ice40":      "place and route for iCE40",
	"icepack":            "bitstreams for iCE40",
	"icetime":            "a second estimate of the clock of iCE40",
	"icebram":            "bitstreams of folded engines for iCE40",
	"iceunpack":          "reading bitstreams of iCE40 back",
	"icebox_vlog":        "reading bitstreams of iCE40 back",
	"nextpnr-ecp5":       "place and route for ECP5",
	"ecppack":            "bitstreams for ECP5",
	"nextpnr-himbaechel": "place and route for Gowin",
	"gowin_pack":         "bitstreams for Gowin",
	"vivado":             "place and route for devices of Xilinx 7",
	"mpirun":             "training one network on several machines, by a program of make mpi",
	"chromium":           "tests of this project alone, which look at pages of report",
}

// Package returns the Debian package that contains a known program ([Names]). It returns "" if no package contains
// the program.
func Package(name string) string {
	for _, p := range programs {
		if p.name == name {
			return p.debian
		}
	}
	return ""
}

// Use returns the purpose for which a known program ([Names]) is needed.
func Use(name string) string { return uses[name] }
