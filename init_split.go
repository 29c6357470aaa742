package ialgn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// checkSplit checks the options that say which rows belong together.
func (i *initial) checkSplit() error {
	o := &i.options
	switch array := o.Labels != "" || dataset.IsArray(o.Data); {
	case o.Order != "" && o.Order != "time":
		return message.Optionf("{Order %s}: want time, or omit the option", o.Order)
	case o.Group != "" && o.Order != "":
		return message.Optionf("{Group %s} and {Order %s} exclude each other; give one of them", o.Group, o.Order)
	case o.Group != "" && array:
		return message.Optionf("{Group %s}: names a column of a CSV file, but %s is an array", o.Group, o.Data)
	}
	return nil
}

// setOrder writes the setting of the order, if there is one.
func (i *initial) setOrder() {
	if i.options.Order != "" {
		i.data = append(i.data, setting{"order", i.options.Order, "the last rows are for the test, nothing is drawn"})
	}
}

// canValidate reports whether the configuration should hold out validation samples. With groups or an order, this must
// also be possible.
func (i *initial) canValidate(ctx context.Context, set *dataset.Set, samples int) (bool, error) {
	if set.Quantiser == nil || samples < validatedSamples {
		return false, nil
	}
	if i.options.Group+i.options.Order == "" {
		return true, nil
	}
	var labels []uint8
	err := set.Read(ctx, dataset.Train, func(_ []uint16, label int) error {
		labels = append(labels, uint8(label))
		return nil
	})
	if err != nil {
		return false, err
	}
	_, _, impossible := dataset.Split{
		Share: validationShare, Seed: config.Default().Train.Seed, Classes: set.Classes, Groups: set.Groups(),
		Ordered: i.options.Order != "", Validation: true,
	}.Choose(labels)
	return impossible == nil, nil
}

// groupNames are usual names of columns that say to which person or machine a row belongs. A name may end in "id".
var groupNames = []string{
	"animal", "customer", "device", "driver", "individual", "machine", "participant", "patient", "person", "session",
	"speaker", "subject", "user", "writer",
}

// groupNotes returns one line of text for each column with one of these names, unless it is the group already. In such
// a column, the values have at least two rows on average.
func groupNotes(s *dataset.Survey) (notes []string) {
	for _, c := range s.Columns {
		name := strings.TrimRight(strings.TrimSuffix(strings.ToLower(c.Name), "id"), "_- ")
		named := c.Kind != encoding.LabelColumn && slices.Contains(groupNames, name)
		if s.Group == "" && named && c.Distinct > 1 && c.Distinct <= s.Rows/2 {
			notes = append(notes, fmt.Sprintf("If the rows of one %s belong together, data.group: %s keeps them in one part",
				name, config.Quoted(c.Name)))
		}
	}
	return notes
}
