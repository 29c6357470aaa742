package ialgn

import (
	"context"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
)

// checkSplit checks the options that say which rows belong together.
func (i *initial) checkSplit() error {
	o := &i.options
	switch array := o.Labels != "" || dataset.IsArray(o.Data); {
	case o.Order != "" && o.Order != "time":
		return message.Optionf("{Order %s}: want time, or omit the option", o.Order)
	case unlessNone(o.Group) != "" && o.Order != "":
		return message.Optionf("{Group %s} and {Order %s} exclude each other; give one of them", o.Group, o.Order)
	case unlessNone(o.Group) != "" && array:
		return message.Optionf("{Group %s}: names a column of a CSV file, but %s is an array", o.Group, o.Data)
	}
	return nil
}

// withOrder adds the setting of the order, if there is one.
func (i *initial) withOrder(all []setting) []setting {
	if i.options.Order == "" {
		return all
	}
	return append(all, setting{"order", i.options.Order, "the last rows are held out, none are drawn"})
}

// canValidate reports whether the configuration should hold out validation samples. With groups or an order, this must
// also be possible.
func (i *initial) canValidate(ctx context.Context, set *dataset.Set, samples int) (bool, error) {
	if set.Quantiser == nil || samples < validatedSamples {
		return false, nil
	}
	if set.Groups() == nil && i.options.Order == "" {
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
