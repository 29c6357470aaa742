package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ialgn/internal/ties"
)

// Calibration describes the class counts of the frozen network on the validation set. The counts include the class
// offsets. A sample's lead is the difference between its largest and its second largest count. The lead is 0 if two
// classes have the largest count.
type Calibration struct {
	Samples int `json:"samples"` // number of validation samples, at least 1

	// Temperature is the number above 0 by which the counts are divided so that their softmax gives probabilities. Among
	// the temperatures of a range, it gives the labels of the validation set the largest likelihood.
	Temperature float64 `json:"temperature"`

	// Leads[n] is the number of samples with lead n, and Correct[n] is the number of these samples whose class is their
	// label. Both have the same length, and the last element of Leads is above 0.
	Leads   []int `json:"leads"`
	Correct []int `json:"correct"`
}

// Margin returns the largest margin, but at least 1, with which at most the given share of the validation samples is
// uncertain. A sample is uncertain if its lead is below the margin. With margin 1, these are the samples in which two
// classes have the largest count. They can be more than the share. The share is a number from 0 to 1. A margin above
// all leads of the validation set would not depend on the samples, so Margin returns at most the largest lead, or 1 if
// this is 0.
func (c *Calibration) Margin(share float64) int {
	uncertain := 0
	for lead, n := range c.Leads {
		if uncertain += n; float64(uncertain)/float64(c.Samples) > share {
			return max(lead, 1)
		}
	}
	return max(len(c.Leads)-1, 1)
}

// Answered returns the number of validation samples that are not uncertain with a margin, because their lead is at
// least the margin, and the number of these samples whose class is their label.
func (c *Calibration) Answered(margin int) (samples, correct int) {
	for lead := min(margin, len(c.Leads)); lead < len(c.Leads); lead++ {
		samples += c.Leads[lead]
		correct += c.Correct[lead]
	}
	return samples, correct
}

// checkCalibrated checks the class offsets, the tie order and the calibration of a network. The width counts the chains
// of all ranks.
func checkCalibrated(offsets, order []int, c *Calibration, width, classes int) error {
	if err := checkOffsets(offsets, width, classes); err != nil {
		return err
	}
	if err := ties.Check(order, classes); err != nil {
		return err
	}
	if c == nil {
		return nil
	}
	if classes < 2 {
		return errors.New("calibration of a network with one class")
	}
	if err := c.check(width/classes + maxOffset(offsets)); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	return nil
}

func checkOffsets(offsets []int, width, classes int) error {
	if offsets == nil {
		return nil
	}
	if len(offsets) != classes {
		return fmt.Errorf("%d offsets for %d classes", len(offsets), classes)
	}
	for c, n := range offsets {
		if n < 0 || n > width/classes {
			return fmt.Errorf("class %d: offset %d, want 0 to %d, the number of its chains", c, n, width/classes)
		}
	}
	if least := slices.Min(offsets); least != 0 {
		return fmt.Errorf("the smallest offset is %d, want 0", least)
	}
	return nil
}

// maxOffset returns the largest class offset, which is 0 if there are no offsets.
func maxOffset(offsets []int) int {
	return slices.Max(append([]int{0}, offsets...))
}

// LargestCount returns the largest possible class count.
func (f *Frozen) LargestCount() int { return f.Width/len(f.Classes) + maxOffset(f.Offsets) }

// Counted returns the sum of the largest possible counts of all classes. It is the number of the chains, plus all
// offsets.
func (f *Frozen) Counted() int {
	n := f.Width
	for _, offset := range f.Offsets {
		n += offset
	}
	return n
}

// maxCalibrated limits the number of validation samples in a file, so that sums cannot overflow.
const maxCalibrated = 1 << 40

// check checks a calibration. largest is the largest possible lead.
func (c *Calibration) check(largest int) error {
	switch n := len(c.Leads); {
	case c.Samples < 1 || c.Samples > maxCalibrated:
		return fmt.Errorf("%d samples, want 1 to %d", c.Samples, maxCalibrated)
	case !(c.Temperature > 0) || math.IsInf(c.Temperature, 0):
		return fmt.Errorf("temperature %v, want a number above 0", c.Temperature)
	case n < 1 || n > largest+1 || c.Leads[n-1] == 0:
		return fmt.Errorf("%d leads, want 1 to %d, and the last one above 0", n, largest+1)
	case len(c.Correct) != n:
		return fmt.Errorf("%d numbers of correct samples for %d leads", len(c.Correct), n)
	}
	left := c.Samples
	for lead, n := range c.Leads {
		if n < 0 || n > left {
			return fmt.Errorf("%d samples with lead %d, want 0 to %d", n, lead, left)
		}
		if right := c.Correct[lead]; right < 0 || right > n {
			return fmt.Errorf("%d correct samples of %d with lead %d", right, n, lead)
		}
		left -= n
	}
	if left != 0 {
		return errors.New("the leads are not those of all samples")
	}
	return nil
}
