package examples_test

import (
	"testing"

	"ialgn/internal/testkit"
)

// TestMicrocontroller compiles the sketch with a network, and compares its classes with the classes of predict.
func TestMicrocontroller(t *testing.T) {
	testkit.Long(t, "walks a README, with an emulator")
	t.Parallel()
	needs(t, "gcc")
	w := newWalk(t)
	w.readme("mcu/README.md")
	t.Run("cortex-m0", func(t *testing.T) {
		needs(t, "arm-none-eabi-gcc")
		w.t = t
		w.run("arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -std=c99 -Wall -Wextra -Werror -Os -I digits " +
			"-c examples/mcu/sketch.c digits/digits_one.c")
	})
}
