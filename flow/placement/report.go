package placement

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Path is the path that decides the clock; of a design without one, the longest.
type Path struct {
	From string  `json:"from"` // the clock, or <async> for pins
	To   string  `json:"to"`
	NS   float64 `json:"ns"`
	Nets []Net   `json:"nets"` // nets of the path, in order
}

// Net is a net of a path.
type Net struct {
	Name string  `json:"name"`         // name of the net in the synthesised netlist
	NS   float64 `json:"ns,omitempty"` // from the start of the path to the end of the net; 0: Vivado does not report it
}

// report is what a placer says of a routed design, the part of nextpnr's report that is read.
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

// ReadReport reads the report that was written after routing: clock, cells and critical path.
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
	r.Critical = p.critical()
	return nil
}

// critical returns the longest path that begins and ends at the same clock, or the longest of all if there is no such
// path.
func (p report) critical() Path {
	var best Path
	for _, c := range p.Paths {
		clocked := c.From == c.To && isClock(c.From)
		path := Path{From: plain(c.From), To: plain(c.To)}
		for _, step := range c.Path {
			path.NS += step.Delay
			if step.Net != "" {
				path.Nets = append(path.Nets, Net{plain(step.Net), path.NS})
			}
		}
		if was := best.From == best.To && isClock(best.From); clocked && !was || clocked == was && path.NS > best.NS {
			best = path
		}
	}
	return best
}

func isClock(name string) bool { return strings.Contains(name, "edge ") }

// added is what nextpnr adds to the name of a net that it routes by a pad or a global buffer.
var added = regexp.MustCompile(`(\$SB_IO_(IN|OUT)|\$TRELLIS_IO_(IN|OUT)|_\$glb_[a-z]+)+$`)

// plain returns the name that a net has in the netlist.
func plain(name string) string {
	return strings.TrimPrefix(added.ReplaceAllString(name, ""), "$glbnet$")
}
