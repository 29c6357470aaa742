package model

import "ialgn/internal/ranks"

// Reload overwrites thresholds, wires and logits from a model file of the same form, without a second copy in
// memory. After an error in the arrays the model is a mixture of both and must not be used.
func (m *Model) Reload(path string) error {
	file, size, err := openRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	c, err := openBy(path, file, size, ranks.Alone{}, nil)
	if err != nil {
		return err
	}
	return c.reload(m)
}

// reload is Reload from an open file.
func (c *container) reload(m *Model) error {
	other, err := c.withoutArrays()
	if err != nil {
		return err
	}
	if err := c.checkTensors(m); err != nil {
		return err
	}
	for f, row := range other.Encoder.Thresholds {
		copy(m.Encoder.Thresholds[f], row)
	}
	return c.fillSections(m)
}
