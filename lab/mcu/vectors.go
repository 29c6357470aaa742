package main

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// readVectors reads samples and their classes from the testbench's vectors.
func (d *design) readVectors(bits, samples int) error {
	path := filepath.Join(d.dir, d.module+"_vectors.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		hex := ""
		for len(hex) < (d.features*bits+3)/4 && len(fields) > 0 {
			hex, fields = hex+fields[0], fields[1:]
		}
		if len(fields) == 0 || i == samples {
			break
		}
		bus, ok := new(big.Int).SetString(hex, 16)
		class, err := strconv.ParseUint(fields[0], 16, 16)
		if !ok || err != nil {
			return fmt.Errorf("%s:%d: no sample", path, i+1)
		}
		sample := make([]uint32, d.features)
		for f := range sample {
			for b := range bits {
				sample[f] |= uint32(bus.Bit(f*bits+b)) << b
			}
		}
		d.samples, d.classes = append(d.samples, sample), append(d.classes, int(class))
	}
	if len(d.samples) == 0 {
		return fmt.Errorf("%s: no samples", path)
	}
	return nil
}

// write writes bench.h. The file has the samples, and a function that classifies one sample.
func (d *design) write(path, call string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "#include <stdint.h>\n#define SAMPLES %d\nstatic const %s samples[SAMPLES][%d] = {\n", len(d.samples),
		d.feature, d.features)
	for _, s := range d.samples {
		b.WriteString("    {" + list(s) + "},\n")
	}
	fmt.Fprintf(&b, "};\nstatic const uint32_t classes[SAMPLES] = {%s};\n", list(d.classes))
	b.WriteString(strings.ReplaceAll(replaceNames(d.module, call), "FEATURE ", d.feature+" "))
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// replaceNames replaces NAME and MACRO by a module's name.
func replaceNames(module, text string) string {
	return strings.NewReplacer("NAME", module, "MACRO", strings.ToUpper(module)).Replace(text)
}

func list[T any](s []T) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s), " ", ", "), "[]")
}
