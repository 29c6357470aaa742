package testkit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// objectCache is a script that runs compiler commands ending in -c -o OBJECT SOURCE. For verilator's own sources,
// which are in the folder of verilated.h, it keeps the object and reuses it for an equal command.
const objectCache = `#!/bin/sh
for source; do :; done
case $source in
*/verilated*.cpp) ;;
*) exec "$@" ;;
esac
kept=$(dirname "$0")/$(echo "$@" | cksum | tr ' ' -).o
object=$(basename "$source" .cpp).o
[ -f "$kept" ] && exec cp "$kept" "$object"
"$@" && cp "$object" "$kept.$$" && mv "$kept.$$" "$kept"
`

// Main runs the tests of a package, as its TestMain. It compiles verilator's own sources only once for all tests.
// They are the same in every simulation, and compiling them takes longer than compiling a small design. C++ code that
// verilator writes is not optimised, because that would take longer than simulating the few samples of a test.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "objects-")
	if err == nil {
		cache := filepath.Join(dir, "cache")
		if err = os.WriteFile(cache, []byte(objectCache), 0o777); err == nil {
			err = errors.Join(
				os.Setenv("OBJCACHE", cache), // verilated.mk puts the script before the compiler command
				os.Setenv("MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"),
			)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
