package config

import (
	"fmt"
	"strings"

	"ialgn/internal/message"
)

// removedKeys lists keys and sections that earlier versions had.
var removedKeys = []struct{ key, why, remedy string }{
	{
		"train.prune", "because a smaller network trained from scratch is equally accurate",
		"omit it, or use a smaller model.width",
	},
	{"train.refill", "because its effect on accuracy and size was within noise", "omit it"},
}

// Removed holds the values of removed keys from model files of earlier versions. Training does not read them.
type Removed struct {
	Prune  Prune `json:"prune,omitzero"`
	Refill bool  `json:"refill,omitempty"`
}

// Prune is the removed section train.prune. It has the shares of counted bits and of other nodes that became
// constant. It also has the share of the epochs after which they became constant.
type Prune struct {
	Bits  float64 `json:"bits,omitempty"`
	Nodes float64 `json:"nodes,omitempty"`
	At    float64 `json:"at,omitempty"`
}

// differing returns the removed keys whose values differ.
func (r Removed) differing(other Removed) (keys []string) {
	if r.Prune != other.Prune {
		keys = append(keys, "train.prune")
	}
	if r.Refill != other.Refill {
		keys = append(keys, "train.refill")
	}
	return keys
}

// CheckRemoved returns an error if the configuration has removed keys. Such a configuration can be read, but cannot
// be used for training.
func (c *Config) CheckRemoved() error {
	for _, key := range c.Train.differing(Removed{}) {
		what, remedy, _ := removed(key)
		return message.WithHint(fmt.Errorf("%s: %s", key, what), "%s", remedy)
	}
	return nil
}

// removed says why a key was removed, and what the user can do instead. ok is false if no version had the key.
func removed(key string) (what, remedy string, ok bool) {
	for _, r := range removedKeys {
		if key == r.key || strings.HasPrefix(key, r.key+".") {
			return "removed, " + r.why, r.remedy, true
		}
	}
	return "", "", false
}
