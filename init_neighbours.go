package ialgn

import (
	"context"
	"fmt"
	"slices"
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
	test, labels string, err error,
) {
	tests, beside := dataset.FindTests(i.options.Data), dataset.FindTests(i.options.Labels)
	var pairs [][2]string
	for _, t := range tests {
		for _, l := range beside {
			pairs = append(pairs, [2]string{t, l})
		}
	}
	switch {
	case len(tests) == 0:
		return "", "", nil
	case len(pairs) == 0:
		i.refuse(tests[0], fmt.Errorf("no file with its labels lies next to it"))
		return "", "", nil
	case len(pairs) > 1:
		i.refuse(tests[0], fmt.Errorf("other files may be the test samples and their labels, too"))
		return "", "", nil
	}
	test, labels = pairs[0][0], pairs[0][1]
	taken, err := i.tryTest(ctx, test, settings(test, labels))
	if err != nil || !taken {
		return "", "", err
	}
	i.take(test + " and " + labels)
	return test, labels, nil
}

// findTestTable finds the test file of a table next to it. If there is one, findTestTable sets i.data, and returns the
// survey with the missing values of this file. Otherwise it returns the survey unchanged.
func (i *initial) findTestTable(ctx context.Context, cfg config.Data, s *dataset.Survey) (*dataset.Survey, error) {
	tests := dataset.FindTests(i.options.Data)
	if i.options.Test == none || len(tests) == 0 {
		return s, nil
	}
	if len(tests) > 1 {
		i.refuse(tests[0], fmt.Errorf("%s may be the test file, too", tests[1]))
		return s, nil
	}
	with := *s
	with.Columns = slices.Clone(s.Columns)
	cfg.Test = tests[0]
	if err := with.AddTest(ctx, cfg, i.folders); err != nil {
		i.refuse(cfg.Test, err)
		return s, ctx.Err()
	}
	settings, err := i.tableSettings(&with, cfg.Test)
	if err != nil {
		return nil, err
	}
	if taken, err := i.tryTest(ctx, cfg.Test, settings); err != nil || !taken {
		return s, err
	}
	i.take(cfg.Test)
	i.data = settings
	return &with, nil
}

// tryTest reports whether the test samples in a file can be read with the given settings of section data. If they
// cannot, it notes the reason.
func (i *initial) tryTest(ctx context.Context, file string, settings []setting) (taken bool, err error) {
	d, err := config.ParseDraft(i.report.Config, []byte(i.sections([]section{{"data", settings}})), nil)
	if err != nil {
		return false, err
	}
	set, err := dataset.OpenWith(ctx, d.Data(), d.Encoder(), i.folders)
	if err == nil {
		err = set.Read(ctx, dataset.Test, func([]uint16, int) error { return nil })
	}
	if err != nil {
		i.refuse(file, err)
		return false, ctx.Err()
	}
	return true, nil
}

// take notes that files next to the training samples have the test samples.
func (i *initial) take(files string) {
	i.note("The test samples are in %s, as the name says; `ialgn init --test none` tests with a part of the training "+
		"samples instead", files)
}

// refuse notes why a file next to the training samples does not have the test samples.
func (i *initial) refuse(file string, reason error) {
	i.note("%s does not have the test samples: %s", file, strings.TrimPrefix(reason.Error(), file+": "))
}
