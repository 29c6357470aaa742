package fit

import (
	"context"
	"slices"
	"strings"

	"ialgn/internal/dataset"
)

// columnKeys are the keys that describe the columns of a CSV file.
var columnKeys = []string{"data.columns", "data.drop", "data.categories", "data.missing"}

// testKeys are the keys that say which samples are test samples.
var testKeys = []string{"data.test", "data.test_share", "data.folds", "data.fold"}

// openSet opens the data set. If nothing describes the columns of a CSV file, and o.Survey is set or the file cannot be
// read without a description, openSet surveys the file and adds the resulting description to the draft.
func (s *search) openSet(ctx context.Context, folders []string) (*dataset.Set, error) {
	csv := s.draft.Data().Set == "csv"
	if csv {
		if err := s.draft.CheckTable(); err != nil {
			return nil, err
		}
	}
	set, err := s.openDraft(ctx, folders)
	if !csv || err == nil && !s.Survey || slices.ContainsFunc(columnKeys, s.draft.Given) {
		return set, err
	}
	survey, lookErr := dataset.SurveyTable(ctx, s.draft.Data(), folders)
	if lookErr != nil {
		return set, err
	}
	plain := survey.Plain()
	s.chooseGroup(survey)
	survey, test := s.findTest(ctx, survey, folders)
	if plain && test == "" {
		return set, err
	}
	if err := s.describe(survey, test); err != nil {
		return nil, err
	}
	return s.openDraft(ctx, folders)
}

// openDraft opens the data set as the draft says.
func (s *search) openDraft(ctx context.Context, folders []string) (*dataset.Set, error) {
	return dataset.OpenWith(ctx, s.draft.Data(), s.draft.Encoder(), folders)
}

// chooseGroup keeps the rows of a person or machine in one part, if the draft says nothing about it.
func (s *search) chooseGroup(survey *dataset.Survey) {
	d := s.draft.Data()
	if d.Group+d.Order == "" {
		if note := survey.ChooseGroup(); note != "" {
			s.note("%s", note)
		}
	}
	if d.Group == "" {
		for _, note := range survey.Ungrouped {
			s.note("%s", note)
		}
	}
}

// findTest finds the test file of a surveyed table next to it, if the draft says nothing about test samples. Without
// such a file, it returns the survey itself.
func (s *search) findTest(ctx context.Context, survey *dataset.Survey, folders []string) (*dataset.Survey, string) {
	if !s.Survey || slices.ContainsFunc(testKeys, s.draft.Given) {
		return survey, ""
	}
	survey, test, refused := survey.FindTest(ctx, s.draft.Data(), folders,
		func(with *dataset.Survey, test string) error {
			other := search{draft: s.draft}
			if err := other.describe(with, test); err != nil {
				return err
			}
			set, err := other.openDraft(ctx, folders)
			if err != nil {
				return err
			}
			return set.Read(ctx, dataset.Test, func([]uint16, int) error { return nil })
		})
	if refused != nil {
		s.note("%s", refused)
	} else if test != "" {
		s.note("the test samples are in %s, as the name says; data.test_share: 0.2 tests with a part of the training "+
			"samples instead", test)
	}
	return survey, test
}

// describe adds the keys with which a table is read as its survey suggests to the draft. Unless empty, test is the
// file of the test samples.
func (s *search) describe(survey *dataset.Survey, test string) error {
	keys, err := survey.Keys()
	if err != nil {
		return err
	}
	var sets []string
	for _, k := range keys {
		sets = append(sets, k.Name+"="+k.Value)
	}
	if survey.LabelFound {
		sets = append(sets, "data.label="+survey.Label())
	}
	if test != "" {
		sets = append(sets, "data.test="+test)
	}
	if s.draft, err = s.draft.Set(sets...); err == nil {
		s.note("the table is read with %s", strings.Join(sets, ", "))
	}
	return err
}

// checkGroups warns of groups that are in the training file and in the test file.
func (s *search) checkGroups(ctx context.Context, set *dataset.Set) error {
	if set.Groups() == nil || s.draft.Data().Test == "" {
		return nil
	}
	err := set.Read(ctx, dataset.Test, func([]uint16, int) error { return nil })
	if warning := set.Shared().Warning(); warning != nil {
		s.warn(warning)
	}
	return err
}
