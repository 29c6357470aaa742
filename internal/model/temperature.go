package model

import "ialgn/internal/softmax"

// Temperature returns the temperature for the probabilities of the classes.
func (m *Model) Temperature() softmax.Temperature {
	return softmax.Temperature{Value: m.Config.Model.Tau}
}
