package model

import "ialgn/internal/ranks"

// Reload replaces thresholds, wires and logits in place. The new values come from a model file of the same form. It
// makes no second copy in memory. If Reload returns an error, the model may be a mixture of the old and the new one
// and must not be used.
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

// reload is Reload for an open file.
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
