package testkit

import (
	"fmt"
	"os/exec"
)

// Build builds a package into a file, or into an existing folder. It leaves out symbols, which take half of the
// linking time.
func Build(path, pkg string) error {
	out, err := exec.Command("go", "build", "-ldflags=-s", "-o", path, pkg).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
