package model

// LoadPart reads a rank's part of a model file, as LoadCheckpoint does the whole.
func LoadPart(path string, rank, size int, state func(*Info) ([]Tensor, error)) (*Model, error) {
	file, n, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, m, err := openModel(path, file, n, true)
	if err != nil {
		return nil, err
	}
	if err := m.take(rank, size); err != nil {
		return nil, err
	}
	m.Allocate()
	for i := range m.Sections {
		for _, t := range m.sectionTensors(i) {
			if err := c.fill([]Tensor{m.InFile(t)}); err != nil {
				return nil, err
			}
		}
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if state != nil {
		err = c.restore(m, state)
	}
	return m, err
}

func (m *Model) filed(i int) (all []Tensor) {
	for _, t := range m.sectionTensors(i) {
		all = append(all, m.InFile(t))
	}
	return all
}
