package config_test

import (
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestAugment checks the default share of changed images, and the place and hint of each error.
func TestAugment(t *testing.T) {
	for keys, want := range map[string]float64{
		"":                                           0,
		"train: {augment: {shift: 1}}":               1,
		"train: {augment: {flip: true}}":             1,
		"train: {augment: {flip: false}}":            0,
		"train: {augment: {shear: 0.1}}":             1,
		"train: {augment: {scale: 0.1, share: 0.5}}": 0.5,
		"train: {augment: {rotate: 3, share: 0}}":    0,
	} {
		c, err := config.Parse("m.yaml", []byte("data: {set: mnist}\n"+keys), nil)
		if err != nil || c.Train.Augment.Share != want {
			t.Errorf("%s: share %v, want %v, error %v", keys, c.Train.Augment.Share, want, err)
		}
	}
	plain, err := config.Parse("m.yaml", []byte("data: {set: mnist}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	changed := plain
	changed.Train.Augment = config.Augment{Flip: true, Rotate: 3, Share: 1}
	if plain.CheckImages(false) != nil || changed.CheckImages(true) != nil {
		t.Error("CheckImages fails without augmentation or with images")
	}
	if err := changed.CheckImages(false); err == nil || !strings.Contains(err.Error(),
		"train.augment.flip: the samples of") {
		t.Errorf("a data set whose files hold no images: error %v", err)
	}
	const table = "data: {set: csv, train: a.csv}\nencoder: {bits: 4}\nmodel: {tau: 3}\n"
	for _, c := range []struct{ text, want, hint string }{
		{
			"data: {set: mnist}\ntrain: {augment: {flip: yes}}", `m.yaml:2:25: train.augment.flip: "yes" is not true or false`,
			"",
		},
		{
			"data: {set: mnist}\ntrain: {augment: {flip: \"true\"}}",
			`m.yaml:2:25: train.augment.flip: "true" is text, want true or false`, "remove the quotes",
		},
		{
			"data: {set: mnist}\ntrain: {augment: {shift: 65}}", "m.yaml:2:26: train.augment.shift: 65 is outside 0 to 64",
			"use a number within that range",
		},
		{
			"data: {set: mnist}\ntrain: {augment: {share: 0.5}}",
			"m.yaml:2:26: train.augment.share: no change is given for this share of the images",
			"omit it, or give shift, flip, rotate, scale or shear",
		},
		{
			table + "train: {augment: {scale: 0.1}}",
			"m.yaml:4:26: train.augment.scale: the samples of the data set csv are lists of numbers, not images " +
				"with rows and columns",
			"omit it, or use a data set of images",
		},
	} {
		_, err := config.Parse("m.yaml", []byte(c.text), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", c.text, err, message.Hint(err), c.want, c.hint)
		}
	}
}
