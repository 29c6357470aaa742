package archtest

import (
	"cmp"
	"slices"
	"strings"
)

// Room is a part of the house: a folder with all below it that is no room of its own.
type Room struct {
	Name  string // folder of the room; "ialgn" is the root package
	Holds string
}

// Rooms are the rooms in the order in which ARCHITECTURE.md describes them. Helpers, commands for developers
// and documents (internal, tools, docs) are left out.
var Rooms = []Room{
	{"cmd/ialgn", "flags into options, results into text"},
	{"examples", "runnable configurations, the library used"},
	{"python", "models in Python: read, made, written"},
	{"experiment", "the paper's tables as grids of runs"},
	{"fit", "the best network for a budget, searched"},
	{"report", "the page about a folder and its model"},
	{"ialgn", "the library: Train, Compile, Verify, ..."},
	{"interchange", "networks of other frameworks, read and written"},
	{"diagnose", "the paper's diagnostics"},
	{"explain", "why a sample has its class"},
	{"artifact", "the output folder, and what options come to"},
	{"flow", "yosys, nextpnr, Vivado, bitstreams"},
	{"sim/verify", "agreement with the trainer, and proofs"},
	{"backend", "one folder a format, one file an interface"},
	{"compiler", "passes and lowerings, netlist to netlist"},
	{"sim", "bit-parallel evaluation"},
	{"netlist/freeze", "the bridge: a trained network's netlist"},
	{"target", "families of FPGAs, one file each"},
	{"netlist", "the intermediate form, its text, its graph"},
	{"interchange", "files of other frameworks"},
	{"trainer", "configuration, data, model, kernels, loop"},
}

// RoomOf returns the name of the room that a package is in, empty for one that is in none.
func RoomOf(folder string) string {
	if folder == "." {
		return "ialgn"
	}
	best := ""
	for _, r := range Rooms {
		if (folder == r.Name || strings.HasPrefix(folder, r.Name+"/")) && len(r.Name) > len(best) {
			best = r.Name
		}
	}
	return best
}

// Doors returns the rooms that each room imports, by the policy of this module, in the order of [Rooms]. Patterns such
// as backend/... stand for the packages that there are; cmd/ialgn, which may import everything, has the rooms above
// which nothing else stands.
func Doors() map[string][]string {
	doors := map[string][]string{}
	for _, r := range policy.Rules {
		from := RoomOf(r.Package)
		if from == "" || slices.Equal(r.Imports, all) {
			continue
		}
		for _, to := range policy.Rules {
			room := RoomOf(to.Package)
			if room != "" && room != from && matches(r.Imports, to.Package) && !slices.Contains(doors[from], room) {
				doors[from] = append(doors[from], room)
			}
		}
	}
	below := map[string]bool{}
	for _, list := range doors {
		for _, room := range list {
			below[room] = true
		}
	}
	for _, r := range Rooms {
		if !below[r.Name] && r.Name != "cmd/ialgn" && r.Name != "examples" && r.Name != "python" {
			doors["cmd/ialgn"] = append(doors["cmd/ialgn"], r.Name)
		}
	}
	for _, list := range doors {
		slices.SortFunc(list, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	}
	return doors
}

func place(name string) int {
	return slices.IndexFunc(Rooms, func(r Room) bool { return r.Name == name })
}
