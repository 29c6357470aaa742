//go:build !linux

package memory

func (s system) resources() []Limit { return nil }
