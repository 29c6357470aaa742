package config_test

import (
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/topology"
)

// hostile lists values that a user may give to a key by mistake. They are lists with empty elements, signs, blanks,
// numbers in other notations, numbers that are too large, and words.
var hostile = []string{
	"", ",", ",,,", "4,", ",4", "4,,4", " ", " , ", "4 ,\t4", "4;4", "4 4", "-1", "-1,-1", "0", "0,0,0", "1,0,1", "+4", "04",
	"1_0", "0x4", "1e1", "4.0", ".", "nan", "-inf", "16777216,16777216", "16777217", "4294967296", "9223372036854775807",
	"99999999999999999999", "-9223372036854775808", strings.Repeat("1,", 100) + "1", strings.Repeat("9", 400), "four", "true",
	"\u0664", "\uff14,\uff14", "4\u00a0", "1,8,8,8", "%d", "{Set}", "'", "[4]",
}

// lists names the keys whose values are lists of numbers.
var lists = []string{
	"model.widths", "model.image", "model.kernels", "model.patch", "model.stride", "model.padding", "model.levels",
	"model.pool",
}

// TestNoValuePanics sets keys to hostile values and runs all checks, before and after the data are read. A value must
// be accepted, or refused with an error that names a key. A list key gets all values, in a topology that has the
// list. Every other key gets one value in each topology, and the values are used in turn.
func TestNoValuePanics(t *testing.T) {
	turn := 0
	for _, name := range topology.Names() {
		text := fmt.Sprintf("name: n\ndata: {set: digits}\nencoder: {bits: 4}\nmodel: {topology: %s, tau: 1", name)
		some := 0
		switch name {
		case topology.Conv:
			text += `, kernels: "4,8", widths: "20,10"`
			some = len(lists)
		case topology.Recurrent, "layered":
			text += `, widths: "20,10"`
			some = 1
		default:
			text += ", width: 20, depth: 2"
		}
		for _, key := range lists[:some] {
			for _, value := range hostile {
				try(t, text+"}\n", key, value)
			}
		}
		for _, key := range config.Keys() {
			turn++
			try(t, text+"}\n", key, hostile[turn%len(hostile)])
		}
	}
}

// try sets a key of a configuration to a value.
func try(t *testing.T, text, key, value string) {
	t.Helper()
	if err := complete(text, key, value); err != nil && !strings.Contains(err.Error(), ": ") {
		t.Errorf("%s=%.60s: error %q names no key, in\n%s", key, value, err, text)
	}
}

// complete reads a configuration in which a key has the given value. It checks the configuration as training does.
func complete(text, key, value string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			panic(fmt.Sprintf("%s=%s in\n%s%v", key, value, text, fault))
		}
	}()
	c, err := config.Parse("m.yaml", []byte(text), []string{key + "=" + value})
	if err != nil {
		return err
	}
	return c.FitWidth(10).CheckClasses(10, 64*(c.Encoder.Bits-1))
}
