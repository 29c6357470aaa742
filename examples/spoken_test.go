package examples_test

import (
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestSpoken runs the commands of the guide about spoken digits with a few training samples. The program for the
// microcontroller has to print the same classes as predict, and the same of them have to be uncertain.
func TestSpoken(t *testing.T) {
	t.Parallel()
	needs(t, "gcc", "gzip")
	w := newWalk(t)
	for _, name := range []string{"train-x", "train-y", "test-x", "test-y"} {
		w.fetch("real/spoken-" + name + ".npy.gz")
	}
	w.shortened = true
	w.change = func(command string) string {
		switch {
		case strings.HasPrefix(command, "ialgn sweep "):
			return strings.Replace(command, "1..3", "1..2", 1) + fewSamples + " --set train.epochs=1"
		case strings.HasPrefix(command, "ialgn train "):
			return command + fewSamples + " --set train.epochs=4"
		case strings.HasPrefix(command, "ialgn compile "):
			return strings.Replace(command, "--reject-share 5%", "--reject 3", 1) // as in the command predict
		}
		return command
	}
	w.readme("../docs/guides/spoken.md")
	t.Run("cortex-m0", func(t *testing.T) {
		testkit.Long(t, "compiles for a microcontroller")
		needs(t, "arm-none-eabi-gcc")
		w.t = t
		w.run("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -std=c99 -Wall -Wextra -Werror -Os -I spoken " +
			"-c examples/mcu/spoken.c spoken/spoken_one.c")
	})
}

// fewSamples makes training fast: a tenth of the training samples is trained on.
const fewSamples = " --set train.validation.share=0.9 --set model.width=100"
