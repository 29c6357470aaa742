package model

import "ialgn/internal/softmax"

// Temperature returns the temperature for the probabilities of the classes. It is the temperature of the calibration
// if there is one, and otherwise the divisor of training.
func (m *Model) Temperature() softmax.Temperature {
	if m.Calibration != nil {
		return softmax.Temperature{Value: m.Calibration.Temperature, Calibrated: true}
	}
	return softmax.Temperature{Value: m.Config.Model.Tau}
}

// Softmax returns the table that turns the class counts of the frozen network into probabilities.
func (m *Model) Softmax() *softmax.Table {
	return softmax.New(m.Temperature().Value, m.Width/len(m.Classes)+maxOffset(m.Offsets))
}
