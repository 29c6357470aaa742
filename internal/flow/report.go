package flow

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// PathKind says where a path begins and ends.
type PathKind string

// These are the kinds of paths. All kinds except the last limit the clock, because it is assumed that registers
// outside the design drive its inputs and read its outputs.
const (
	RegisterToRegister PathKind = "register to register"
	InputToRegister    PathKind = "input to register"
	RegisterToOutput   PathKind = "register to output"
	InputToOutput      PathKind = "input to output"
)

// kinds returns all kinds.
func kinds() []PathKind {
	return []PathKind{RegisterToRegister, InputToRegister, RegisterToOutput, InputToOutput}
}

// kindOf returns the kind of a path, given the names of its two ends in nextpnr's report.
func kindOf(from, to string) PathKind { return KindOf(isClock(from), isClock(to)) }

// KindOf returns the kind of a path that begins or ends at a register.
func KindOf(begins, ends bool) PathKind {
	switch {
	case begins && ends:
		return RegisterToRegister
	case ends:
		return InputToRegister
	case begins:
		return RegisterToOutput
	}
	return InputToOutput
}

// Path is a path of a routed design.
type Path struct {
	Kind PathKind `json:"kind"`
	From string   `json:"from"` // the clock, or <async> for pins
	To   string   `json:"to"`
	NS   float64  `json:"ns"`
	Nets []Net    `json:"nets"` // nets of the path, in order
}

// Net is a net of a path.
type Net struct {
	Name string  `json:"name"`         // name of the net in the synthesised netlist
	NS   float64 `json:"ns,omitempty"` // delay from the start of the path to the end of the net; 0 for Vivado
}

// report holds the parts that we need from nextpnr's report about a routed design.
type report struct {
	Fmax map[string]struct {
		Achieved float64 `json:"achieved"`
	} `json:"fmax"`
	Utilization map[string]struct {
		Used      int `json:"used"`
		Available int `json:"available"`
	} `json:"utilization"`
	Paths []struct {
		From string `json:"from"`
		To   string `json:"to"`
		Path []struct {
			Delay float64 `json:"delay"`
			Net   string  `json:"net"`
		} `json:"path"`
	} `json:"critical_paths"`
}

// ReadReport reads the report that was written after routing: clock, cells and critical paths.
func (r *Result) ReadReport(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var p report
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	if len(p.Utilization) == 0 {
		return errors.New("it says nothing of utilization")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Utilization)) {
		u := p.Utilization[name]
		r.Cells = append(r.Cells, Use{name, u.Used, u.Available})
	}
	for _, f := range p.Fmax {
		if r.Fmax == 0 || f.Achieved < r.Fmax {
			r.Fmax = f.Achieved
		}
	}
	r.Paths = p.longest()
	r.Critical = r.critical()
	return nil
}

// longest returns the longest path of each kind that occurs, in the order of [kinds].
func (p report) longest() (paths []Path) {
	of := map[PathKind]Path{}
	for _, c := range p.Paths {
		path := Path{Kind: kindOf(c.From, c.To), From: plain(c.From), To: plain(c.To)}
		for _, step := range c.Path {
			path.NS += step.Delay
			if step.Net != "" {
				path.Nets = append(path.Nets, Net{plain(step.Net), path.NS})
			}
		}
		if was, ok := of[path.Kind]; !ok || path.NS > was.NS {
			of[path.Kind] = path
		}
	}
	for _, k := range kinds() {
		if path, ok := of[k]; ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// critical returns the path from register to register, or the longest path if there is none.
func (r *Result) critical() (longest Path) {
	for _, p := range r.Paths {
		if p.Kind == RegisterToRegister {
			return p
		}
		if p.NS > longest.NS {
			longest = p
		}
	}
	return longest
}

// Slowest is the path that limits a routed design. In a design with registers, it is the longest path that limits the
// clock. In other designs, it is the longest path of all.
type Slowest struct {
	Kind PathKind `json:"kind"`
	NS   float64  `json:"ns"`
	MHz  float64  `json:"mhz,omitempty"` // the clock that the path allows; 0 without registers
}

// Slowest returns the path that limits a routed design. It returns the zero value if the report has no path.
func (r *Result) Slowest() (s Slowest) {
	if r.Fmax > 0 {
		s = Slowest{Kind: RegisterToRegister, NS: 1000 / r.Fmax}
	}
	paths := r.Paths
	if c := r.Critical; paths == nil && c.NS > 0 { // a report that was written by an earlier version of ialgn
		c.Kind = kindOf(c.From, c.To)
		paths = []Path{c}
	}
	for _, p := range paths {
		clocked := p.Kind == InputToRegister || p.Kind == RegisterToOutput
		if clocked && p.NS > s.NS || p.Kind == InputToOutput && s.Kind == "" {
			s = Slowest{Kind: p.Kind, NS: p.NS}
		}
	}
	if s.Kind != InputToOutput && s.NS > 0 {
		s.MHz = 1000 / s.NS
	}
	return s
}

func isClock(name string) bool { return strings.Contains(name, "edge ") }

// added matches the suffix that nextpnr adds to the name of a net that it routes through a pad or a global buffer.
var added = regexp.MustCompile(`(\$SB_IO_(IN|OUT)|\$TRELLIS_IO_(IN|OUT)|_\$glb_[a-z]+)+$`)

// plain returns the name that a net in the report has in the netlist.
func plain(name string) string {
	return strings.TrimPrefix(added.ReplaceAllString(name, ""), "$glbnet$")
}
