package trainer

import (
	"ialgn/internal/model"
	"ialgn/internal/outfile"
)

// output is a file under a temporary name, which all ranks have written together.
type output interface {
	Commit() error // gives it its name
	Abort()        // removes it
}

// create writes the model, with what is added, beside a path.
func (s *session) create(path string, extra model.Extra) (output, error) {
	if s.Ranks != nil {
		f, err := s.m.Stage(s.Ranks, path, extra)
		if err = s.agree(err); err != nil {
			return nil, err
		}
		return &together{f, s}, nil
	}
	f, err := outfile.Create(path)
	if err != nil {
		return nil, err
	}
	if err := s.m.Write(f, extra); err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// together is a file of several ranks, the errors of which are those of all.
type together struct {
	*model.Staged
	s *session
}

// Commit implements output.
func (t *together) Commit() error { return t.s.agree(t.Staged.Commit()) }

// saveModel writes the model file, and returns its SHA-256.
func (s *session) saveModel() (string, error) {
	sum, err := s.m.SaveBy(s.Ranks, s.Model)
	return sum, s.agree(err)
}
