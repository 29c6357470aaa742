package trainer

import (
	"ialgn/internal/model"
	"ialgn/internal/outfile"
)

// output is a file under a temporary name. If there are several ranks, they have written the file together.
type output interface {
	Commit() error // renames the file to its final name
	Abort()        // removes the file
}

// create writes the model and the additional content extra to a temporary file next to path.
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

// together is a file that several ranks write. If Commit fails on one rank, Commit returns the error on all ranks.
type together struct {
	*model.Staged
	s *session
}

// Commit implements output.
func (t *together) Commit() error { return t.s.agree(t.Staged.Commit()) }

// saveModel writes the model file and returns its SHA-256.
func (s *session) saveModel() (string, error) {
	sum, err := s.m.SaveBy(s.Ranks, s.Model)
	return sum, s.agree(err)
}
