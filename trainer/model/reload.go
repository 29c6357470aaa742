package model

import "fmt"

// Reload overwrites thresholds, wires and logits with those of a model file of the same form,
// without a second copy of them. After an error in the arrays the model is a mixture,
// which must not be used.
func (m *Model) Reload(path string) error {
	file, size, err := openRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	c, other, err := openModel(path, file, size, true)
	if err != nil {
		return err
	}
	if err := c.checkTensors(m); err != nil {
		return err
	}
	for f, row := range other.Encoder.Thresholds {
		copy(m.Encoder.Thresholds[f], row)
	}
	for i := range m.Sections {
		if err := c.fill(m.filed(i)); err != nil {
			return err
		}
	}
	if err := m.Validate(); err != nil {
		return fmt.Errorf("%s: %w; %s", path, err, damaged)
	}
	return nil
}
