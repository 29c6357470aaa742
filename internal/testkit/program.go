package testkit

import (
	"fmt"
	"os/exec"
)

// Build builds a package into a file, or a folder that is there. It leaves out symbols, which take half of linking.
func Build(path, pkg string) error {
	out, err := exec.Command("go", "build", "-ldflags=-s", "-o", path, pkg).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
