package config

import "slices"

// Augment says how training images are changed. The changes differ from epoch to epoch. Images are changed only if at
// least one of shift, flip, rotate, scale and shear is set.
type Augment struct {
	Shift  int     `yaml:"shift" json:"shift,omitempty"`   // largest shift along each axis, in pixels
	Flip   bool    `yaml:"flip" json:"flip,omitempty"`     // half of the changed images are mirrored left to right
	Rotate float64 `yaml:"rotate" json:"rotate,omitempty"` // largest turn, in degrees
	Scale  float64 `yaml:"scale" json:"scale,omitempty"`   // largest change of size, as a share of the image's size
	Shear  float64 `yaml:"shear" json:"shear,omitempty"`   // largest shift of a row relative to the next row, in pixels
	Share  float64 `yaml:"share" json:"share,omitempty"`   // share of the images that are changed
}

// Active reports whether images are changed.
func (a Augment) Active() bool { return a.Shift != 0 || a.Flip || a.Affine() }

// Affine reports whether images are rotated, scaled or sheared. Their pixel values are then interpolated.
func (a Augment) Affine() bool { return a.Rotate != 0 || a.Scale != 0 || a.Shear != 0 }

// completeAugment sets the share to 1 (all images) if no share is given.
func (c *Config) completeAugment() {
	if a := &c.Train.Augment; a.Active() && a.Share == 0 && !c.isSet("train.augment.share") {
		a.Share = 1
	}
}

// checkAugment returns an error for changes of samples that are not images, and for a share without any change.
func (c *Config) checkAugment() error {
	switch a := c.Train.Augment; {
	case !a.Active() && a.Share != 0:
		return c.wrong("train.augment.share", "omit it, or give shift, flip, rotate, scale or shear",
			"no change is given for this share of the images")
	case c.Data.Set == setCSV || c.Data.Set == setMemory:
		return c.CheckImages(false)
	}
	return nil
}

// CheckImages returns an error if images are to be changed but the data set has none. The argument named has says
// whether the data set has images. [Config.Check] makes this check itself for csv and memory, which never have
// images.
func (c *Config) CheckImages(has bool) error {
	if has || !c.Train.Augment.Active() {
		return nil
	}
	keys := []string{"shift", "flip", "rotate", "scale", "shear"}
	first := slices.IndexFunc(keys, func(key string) bool { return !c.value("train.augment." + key).IsZero() })
	return c.wrong("train.augment."+keys[first], "omit it, or use a data set of images",
		"the samples of the data set %s are lists of numbers, not images with rows and columns", c.Data.Set)
}
