package config

import (
	"fmt"
	"math"
)

// These are the ways to freeze layers during training.
const (
	freezeNone      = "none"
	freezeLayerwise = "layerwise"
)

// Freeze says when layers are frozen during training. Layers are frozen in order, from the first to the last.
type Freeze struct {
	Kind  string  `yaml:"kind" json:"kind,omitempty"`   // none | layerwise
	From  float64 `yaml:"from" json:"from,omitempty"`   // share of the epochs after which the first layer is frozen
	Until float64 `yaml:"until" json:"until,omitempty"` // share for the last layer, which then trains with hard values
}

// Active reports whether layers are frozen.
func (f Freeze) Active() bool { return f.Kind == freezeLayerwise }

// Epoch returns the number of epochs after which a layer, counted from 0, is frozen. The number is rounded and at
// least 1. The first layer is frozen after the share From of the epochs, and the last layer after the share Until.
// The layers between them are frozen at equal intervals.
func (f Freeze) Epoch(layer, depth, epochs int) int {
	part := float64(layer) / float64(max(1, depth-1))
	share := f.From + float64((f.Until-f.From)*part)
	return max(1, int(math.Round(float64(share*float64(epochs)))))
}

// Layers returns the number of layers that are frozen in the given epoch, counted from 0.
func (f Freeze) Layers(epoch, epochs, depth int) (frozen int) {
	if !f.Active() {
		return 0
	}
	for frozen < depth && epoch >= f.Epoch(frozen, depth, epochs) {
		frozen++
	}
	return frozen
}

// checkFreeze returns an error for shares in the wrong order, and for options that would change frozen layers.
func (c *Config) checkFreeze() error {
	t := &c.Train
	first := t.Freeze.Epoch(0, c.Model.Depth, t.Epochs)
	switch {
	case !t.Freeze.Active():
		return nil
	case t.Freeze.Until < t.Freeze.From:
		return c.wrong("train.freeze.until", "use at least "+format(t.Freeze.From),
			"%s is smaller than train.freeze.from = %s",
			format(t.Freeze.Until), format(t.Freeze.From))
	case c.Encoder.Learned():
		return c.wrong("train.freeze.kind", "use none, or encoder.thresholds: uniform or quantile",
			"learning thresholds needs the gradients of all layers, but frozen layers have none")
	case t.Candidates.Kind != candidatesFixed && float64(first) < float64(t.Candidates.Until*float64(t.Epochs)):
		remedy := "use train.candidates.until: %s or less, or train.candidates.kind: fixed"
		return c.wrong("train.freeze.from", fmt.Sprintf(remedy, format(float64(first)/float64(t.Epochs))),
			"the first layer is frozen after epoch %d of %d, and candidates are replaced until %s of them", first, t.Epochs,
			format(t.Candidates.Until))
	}
	return nil
}
