package trainer

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
	"ialgn/internal/model"
)

// startKeys lists the prefixes of the keys that decide what parameters mean. A run that starts from a model must have
// the same values for these keys, except for freeKeys.
var (
	startKeys = []string{"encoder.", "model."}
	freeKeys  = []string{"model.tau"}
)

// choiceKeys lists the keys for the number of candidates of a pin. A run that sets them to 1 ends the choices.
var choiceKeys = []string{"model.hidden", "model.patch_hidden", "model.anchors"}

// start returns the model in the file s.Start as the model of this run. The new model's record contains only the name
// of the file and, if the model descends from another program's network, the origin of the network.
func (s *session) start() (*model.Model, error) {
	file, err := model.Open(s.Start)
	if err == nil {
		defer file.Close()
	}
	if err = s.agree(err); err != nil {
		return nil, err
	}
	m, err := file.LoadPart(s.Ranks)
	if err != nil {
		return nil, err
	}
	from, err := startOf(file)
	if err != nil {
		return nil, err
	}
	origin := m.Record.Origin
	if origin != nil && sameClasses(s.data.Classes, m.Classes, true) {
		m.Classes = s.data.Classes
	}
	settle(m, &s.Config)
	if err := fits(m, s.Config, s.data); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Start, err)
	}
	m.Offsets, m.Ties, m.Calibration = nil, nil, nil
	m.Config, m.Record = s.Config, s.record()
	m.Record.Start, m.Record.Origin = from, origin
	return m, nil
}

// settle ends the choices of pins that have candidates in the model but not in the configuration. Each of these pins
// keeps only the candidate that it currently chooses. The configuration must set one of choiceKeys to 1. If the key is
// missing and 1 is only its default, settle does nothing, because the user did not ask to end the choices.
func settle(m *model.Model, cfg *config.Config) {
	is, to := &m.Config.Model, &cfg.Model
	want := layout(cfg, m.Part)
	if len(want) != len(m.Sections) || to.Hidden < is.Hidden && !cfg.Given("model.hidden") ||
		to.Anchors < is.Anchors && !cfg.Given("model.anchors") {
		return
	}
	var pins []*model.Pin
	for i := range want {
		s := &m.Sections[i]
		if len(s.Pins) != len(want[i].Pins) {
			return
		}
		for k := range s.Pins {
			switch p, w := &s.Pins[k], want[i].Pins[k]; {
			case p.Source != w.Source:
				return
			case p.K > 1 && w.K == 1:
				pins = append(pins, p)
			}
		}
	}
	for _, p := range pins {
		p.Settle()
	}
	if to.Hidden == 1 {
		is.Hidden = 1
	}
	if to.Anchors == 1 {
		is.Anchors = 1
	}
	if to.PatchCandidates() == 1 {
		is.PatchHidden = to.PatchHidden
	}
}

// startAt returns the name and the checksum of the model file at path.
func startAt(path string) (*model.Start, error) {
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return startOf(file)
}

// startOf returns the name and the checksum of an open model file.
func startOf(file *model.File) (*model.Start, error) {
	sum, err := file.SHA256(context.Background())
	return &model.Start{Name: filepath.Base(file.Path()), SHA256: sum}, err
}

// fits returns an error if a model differs from the model that a run would draw in anything but the parameters.
func fits(m *model.Model, cfg config.Config, data *Data) error {
	free := freeKeys
	if cfg.Encoder.Learned() || cfg.Encoder.Kept() {
		free = append(slices.Clone(free), "encoder.thresholds") // the run continues with the model's thresholds
	}
	differs := slices.DeleteFunc(cfg.Diff(m.Config, free...), func(key string) bool {
		decides := func(section string) bool { return strings.HasPrefix(key, section) }
		return key == "encoder.ranges" || !slices.ContainsFunc(startKeys, decides) // ranges are compared separately
	})
	if len(differs) > 0 {
		choices := ""
		if slices.ContainsFunc(differs, func(key string) bool { return slices.Contains(choiceKeys, key) }) {
			choices = "; with the value 1, " + strings.Join(choiceKeys, ", ") + " fix the wires that were chosen"
		}
		return fmt.Errorf("has another %s than this configuration; only the keys of data and train, and %s, may differ "+
			"from the model to start from%s",
			strings.Join(differs, ", "), strings.Join(free, ", "), choices)
	}
	return sameForm(m, data, cfg.Encoder.Learned())
}

// sameForm returns an error if the form of a model differs from the form of the model that a run makes for the same
// configuration and data. Learned thresholds may differ.
func sameForm(m *model.Model, data *Data, learned bool) error {
	if !slices.Equal(m.Classes, data.Classes) {
		return fmt.Errorf("has the classes %s, but data set %s has %s; start from a model with the same classes",
			list(m.Classes), data.Name, list(data.Classes))
	}
	if what := encoderDifference(&m.Encoder, data.Encoder); what != "" && (what != thresholdsDiffer || !learned) {
		return message.WithHint(fmt.Errorf("its encoder and the encoder of data set %s have different %s", data.Name, what),
			"set encoder.ranges: model to keep the encoder of the model; values outside its ranges are clipped")
	}
	return checkSections(m)
}

// CheckForm returns an error if training cannot continue from a model of another program. The model must have a form
// that this package could have made itself. CheckForm does not check the data.
func CheckForm(m *model.Model) error {
	cfg := m.Config
	cfg.Data = config.Data{Set: "digits"} // the model's own data set may be missing on this machine
	for i := range m.Sections {
		if a, b := len(m.Sections[0].Pins), len(m.Sections[i].Pins); a != b && m.Record.Origin != nil {
			return fmt.Errorf(
				"its layers have nodes with %d and with %d pins, but all nodes of a topology have the same number", a, b)
		}
	}
	if err := cfg.Check(); err != nil {
		return err
	}
	return checkSections(m)
}

// list formats class names for a message, up to 12 of them.
func list(classes []string) string {
	const maxListed = 12
	if len(classes) > maxListed {
		return fmt.Sprintf("%.30q and %d more", classes[:maxListed], len(classes)-maxListed)
	}
	return fmt.Sprintf("%.30q", classes)
}

// thresholdsDiffer is the result of encoderDifference for encoders that differ only in thresholds.
const thresholdsDiffer = "thresholds"

// encoderDifference names the first difference between two encoders. It returns "" if the encoders are equal.
func encoderDifference(a, b *encoding.Encoder) string {
	switch {
	case a.ByCuts() && !b.ByCuts():
		return fmt.Sprintf("feature words (by %d cuts of its own a feature, which come from no training part)", a.Bits-1)
	case a.Features() != b.Features() || a.BitsIn != b.BitsIn || a.Max != b.Max:
		return fmt.Sprintf("features (%d of %d bits up to %d, and %d of %d bits up to %d)", a.Features(), a.BitsIn, a.Max,
			b.Features(), b.BitsIn, b.Max)
	case !slices.Equal(a.Names, b.Names):
		return "names of features"
	case !reflect.DeepEqual(a.Quantiser, b.Quantiser):
		return "ranges of values"
	case !reflect.DeepEqual(a.Columns, b.Columns):
		return "columns"
	case a.Bits != b.Bits:
		return fmt.Sprintf("thresholds (%d and %d a feature)", a.Bits-1, b.Bits-1)
	case !reflect.DeepEqual(a.Thresholds, b.Thresholds):
		return thresholdsDiffer
	}
	return ""
}

// checkSections returns an error if the form of a model, which another program may have written, contradicts its
// configuration.
func checkSections(m *model.Model) error {
	want := layout(&m.Config, m.Part)
	if len(m.Sections) != len(want) {
		return fmt.Errorf("%d sections, but a network of its configuration has %d; no topology has such layers",
			len(m.Sections), len(want))
	}
	for i := range want {
		s, w := &m.Sections[i], &want[i]
		if s.Width != w.Width || len(s.Pins) != len(w.Pins) {
			return fmt.Errorf("section %d: %d gates of %d pins a layer, but its configuration says %d of %d; it was not "+
				"written by train", i, s.Width, len(s.Pins), w.Width, len(w.Pins))
		}
		if !reflect.DeepEqual(s.Grid, w.Grid) {
			return fmt.Errorf("section %d: its nodes have other positions than its configuration says; it was not "+
				"written by train", i)
		}
		for k := range s.Pins {
			if got, want := &s.Pins[k], &w.Pins[k]; s.Layers != w.Layers || got.Source != want.Source || got.K != want.K {
				return fmt.Errorf("section %d: %d layers with %d candidates (%v) for a pin, but its configuration says %d with "+
					"%d (%v); no topology has such layers",
					i, s.Layers, got.K, got.Source, w.Layers, want.K, want.Source)
			}
		}
	}
	return nil
}

// sameStart compares the start model that a run has recorded (was) with the model at r.Start. It returns an error if
// the two models differ. If r.Start is empty, any recorded start is allowed.
func (r *Run) sameStart(was *model.Start) error {
	if r.Start == "" {
		return nil
	}
	from, err := startAt(r.Start)
	switch {
	case err != nil:
		return err
	case was == nil:
		return message.Optionf("%s: the run did not start from a model; resume without {Init}, or train anew", r.Model)
	case was.SHA256 != from.SHA256:
		return message.Optionf("%s: the run started from another file than %s, from %s with SHA-256 %s; resume without "+
			"{Init}, or train anew",
			r.Model, r.Start, was.Name, was.SHA256)
	}
	return nil
}
