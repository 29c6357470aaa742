package experiment

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
)

// Config returns the configuration of an entry, with the first seed and with the keys of [Experiment.Set] replaced.
// The configuration's name is also the name of the entry's files. It consists of data set, size, network, scale and
// the replaced values.
func (e *Experiment) Config(n *Entry, scale Scale) (config.Config, error) {
	plain, err := e.parse(n, e.keys(n, scale))
	if err != nil {
		return plain, err
	}
	cfg, err := e.parse(n, slices.Concat(e.keys(n, scale), e.Set))
	if err != nil {
		return cfg, err
	}
	files, suffix := cmp.Or(n.Files, n.Network), ""
	if scale == Quick {
		suffix = "-" + string(Quick)
	}
	endings, err := e.endings(cfg.Diff(plain))
	if err != nil {
		return cfg, err
	}
	if endings != "" {
		files = n.Network // another entry's file name would hide the keys of this network
	}
	cfg.Name = n.base(cfg, files) + suffix + endings
	return cfg, nil
}

func (e *Experiment) parse(n *Entry, keys []string) (config.Config, error) {
	cfg, err := config.Parse(e.Name, nil, keys)
	if err != nil {
		err = fmt.Errorf("experiment %s, %s: %w", e.Name, n.Network, err)
	}
	return cfg, err
}

// keys returns the keys of an entry at a scale.
func (e *Experiment) keys(n *Entry, scale Scale) []string {
	if scale == Quick {
		return slices.Concat(n.Set, n.Keys, e.Quick.Keys)
	}
	return slices.Concat(n.Set, n.Keys)
}

// base returns the beginning of the names of a network's files.
func (n *Entry) base(cfg config.Config, network string) string {
	return fmt.Sprintf("%s-%dx%d-%s", cmp.Or(n.Data, cfg.Data.Set), cfg.Model.Width, cfg.Model.Depth,
		strings.ToLower(network))
}

// data returns a name for the data of an entry. Unless the entry has a name for its data, this is the name of the data
// set or, for a CSV file, the file's name in lower case without its endings.
func (n *Entry) data(cfg config.Config) string {
	switch {
	case n.Data != "":
		return n.Data
	case cfg.Data.Train == "":
		return cfg.Data.Set
	}
	name, _, _ := strings.Cut(path.Base(cfg.Data.Train), ".")
	return strings.ToLower(name)
}

// asked reports whether one of the patterns matches the whole name of the entry. The name is taken without its scale
// and the replaced values. In a pattern, * matches any text. Without patterns, every entry matches.
func (n *Entry) asked(cfg config.Config, patterns []string) (bool, error) {
	for _, pattern := range patterns {
		for _, files := range []string{n.Network, cmp.Or(n.Files, n.Network)} {
			if ok, err := path.Match(pattern, n.base(cfg, files)); err != nil {
				return false, fmt.Errorf("%.60q: %w", pattern, err)
			} else if ok {
				return true, nil
			}
		}
	}
	return len(patterns) == 0, nil
}

// silent lists the keys that are not part of a run's name. The seed is always appended to the name, and
// train.checkpoint.minutes does not change a model.
var silent = []string{"train.seed", "train.checkpoint.minutes"}

// endings returns the end of a file name, which contains the given replaced keys.
func (e *Experiment) endings(keys []string) (string, error) {
	var text strings.Builder
	for _, key := range keys {
		value, replaced := lastOf(e.Set, key)
		if !replaced || slices.Contains(silent, key) {
			continue
		}
		if key == "name" || strings.HasPrefix(key, "train.validation.") {
			return "",
				message.WithHint(fmt.Errorf("--set %s: not possible in an experiment, which names its files itself and "+
					"keeps the models of the last epoch", key), "train it with `ialgn train`")
		}
		ending := grid.Ending(key, value)
		if ending == "" {
			return "", message.WithHint(fmt.Errorf("--set %s=%s: cannot be part of the names of files", key, value),
				"train it with `ialgn train`")
		}
		text.WriteString(ending)
	}
	return text.String(), nil
}

// replaced returns the keys that the scale and [Experiment.Set] replace. Each key occurs once, with its final value.
func (e *Experiment) replaced(scale Scale) []string {
	all := e.Set
	if scale == Quick {
		all = slices.Concat(e.Quick.Keys, e.Set)
	}
	var once []string
	for _, set := range all {
		key, _, _ := strings.Cut(set, "=")
		key = strings.TrimSpace(key)
		value, _ := lastOf(all, key)
		if last := key + "=" + value; !slices.Contains(once, last) {
			once = append(once, last)
		}
	}
	return once
}

// changes describes the changes that the scale and [Experiment.Set] make in some entries. Each change is listed once.
func (e *Experiment) changes(scale Scale, of []Entry) []string {
	var all []string
	for _, set := range e.replaced(scale) {
		key, value, _ := strings.Cut(set, "=")
		for _, n := range of {
			was, ok := lastOf(slices.Concat(n.Set, n.Keys), key)
			if !ok {
				was = "its default"
			}
			if was != value {
				all = append(all, fmt.Sprintf("%s %s instead of %s", key, value, was))
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if scale == Quick {
		all = append(all, e.left()...)
	}
	return all
}

// left describes how the entries of the scale quick differ from the paper's. If the user has replaced the data set,
// it names the user's data set.
func (e *Experiment) left() (all []string) {
	set, replaced := lastOf(e.Set, "data.set")
	for _, text := range e.Quick.Left {
		if rest, ok := strings.CutPrefix(text, "CIFAR-10 with"); ok && replaced {
			text = set + " with" + rest
		}
		all = append(all, text)
	}
	return all
}

// lastOf returns the last value of a key in the list sets. Earlier values of the same key have no effect.
func lastOf(sets []string, key string) (value string, ok bool) {
	for _, set := range slices.Backward(sets) {
		if name, value, _ := strings.Cut(set, "="); strings.TrimSpace(name) == key {
			return value, true
		}
	}
	return "", false
}
