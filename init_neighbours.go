package ialgn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
)

// none is the value of an option that refuses what Init would choose.
const none = "none"

// unlessNone returns the value of an option, or "" if the value is none.
func unlessNone(value string) string {
	if value == none {
		return ""
	}
	return value
}

// findLabels finds the labels of an array next to it. The choice must be clear.
func (i *initial) findLabels(ctx context.Context) error {
	fit, rejected := dataset.FindLabels(ctx, i.options.Data)
	if len(fit) == 1 {
		i.options.Labels = fit[0]
		i.note("The labels are in %s, as its name and its length say", fit[0])
		return nil
	}
	err := fmt.Errorf("%s: an array, whose labels must be named", i.options.Data)
	switch {
	case len(fit) > 1:
		err = fmt.Errorf("%w: they may be in %s", err, strings.Join(fit, " or "))
	case len(rejected) > 0:
		err = fmt.Errorf("%w, and a file next to it does not fit (%s)", err, rejected[0])
	}
	return message.WithHint(err, "give {Labels FILE}")
}

// findTestArrays finds test samples and their labels next to the training arrays. If there are none, it returns empty
// names. settings returns the settings of section data for given test files.
func (i *initial) findTestArrays(ctx context.Context, settings func(test, labels string) []setting) (
	test, labels string,
) {
	tests, beside := dataset.FindTests(i.options.Data), dataset.FindTests(i.options.Labels)
	if len(tests) == 0 {
		return "", ""
	}
	var err error
	switch len(tests) * len(beside) {
	case 0:
		err = errors.New("no file with its labels lies next to it")
	case 1:
		test, labels = tests[0], beside[0]
		err = i.try(ctx, settings(test, labels))
	default:
		err = errors.New("other files may be the test samples and their labels, too")
	}
	if err != nil {
		i.note("%s", dataset.NotTest(tests[0], err))
		return "", ""
	}
	i.take(test + " and " + labels)
	return test, labels
}

// findTestTable finds the test file of a table next to it. It returns the survey with the missing values of this file,
// and the path of the file. If there is no such file, it returns the survey itself and "".
func (i *initial) findTestTable(ctx context.Context, cfg config.Data, s *dataset.Survey) (*dataset.Survey, string) {
	s, test, refused := s.FindTest(ctx, cfg, i.folders, func(with *dataset.Survey, test string) error {
		settings, err := i.tableSettings(with, test)
		if err != nil {
			return err
		}
		return i.try(ctx, settings)
	})
	if refused != nil {
		i.note("%s", refused)
	} else if test != "" {
		i.take(test)
	}
	return s, test
}

// try opens the data set that settings of section data describe, and reads its test samples.
func (i *initial) try(ctx context.Context, settings []setting) error {
	err := i.open(ctx, settings)
	if err == nil {
		err = i.set.Read(ctx, dataset.Test, func([]uint16, int) error { return nil })
	}
	if err != nil {
		i.set = nil
	}
	return err
}

// take notes that files next to the training samples have the test samples.
func (i *initial) take(files string) {
	i.note("The test samples are in %s, as the name says; `ialgn init --test none` tests with a part of the training "+
		"samples instead", files)
}
