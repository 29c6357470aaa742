package dataset

import (
	"fmt"
	"strings"

	"ialgn/internal/message"
)

// Shared describes the groups of the test file that the training file has, too.
type Shared struct {
	Groups  int    // number of these groups
	Samples int    // number of test samples in these groups
	First   string // the first of these groups

	tested int // number of groups of the test file
}

// add adds a sample of the test file. seen holds the groups of the samples before.
func (s *Shared) add(group string, train *Groups, seen map[string]bool) {
	shared, known := seen[group]
	if !known {
		_, shared = train.known[group]
		group = strings.Clone(group)
		seen[group] = shared
		s.tested++
		if shared {
			if s.Groups++; s.Groups == 1 {
				s.First = group
			}
		}
	}
	if shared {
		s.Samples++
	}
}

// Warning returns an error if there are shared groups. Otherwise it returns nil.
func (s Shared) Warning() error {
	if s.Groups == 0 {
		return nil
	}
	return fmt.Errorf("data.test: %d of %s, such as %s, %s in the training file, too (%s): the test does not show how "+
		"new groups are classified", s.Groups, message.Plural(s.tested, "group", "groups"), shown(s.First),
		map[bool]string{true: "is", false: "are"}[s.Groups == 1],
		message.Plural(s.Samples, "test sample", "test samples"))
}

// Shared returns the groups of the test file that the training file has, too. It knows them after a complete Read of
// the test part. Without data.group or data.test, there are none.
func (s *Set) Shared() Shared {
	if s.files == nil || s.files.split != nil {
		return Shared{}
	}
	s.files.decode.Lock()
	defer s.files.decode.Unlock()
	if test := s.files.decoded[Test]; test != nil {
		return test.shared
	}
	return Shared{}
}
