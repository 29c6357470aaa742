package testkit

import (
	"os"
	"path/filepath"
)

// RealData returns the folder of the data sets that contains the given folder: $IALGN_DATA, or shared/data next to the
// repository. It reports false if neither contains it. Tests run two folders below the root of the repository.
func RealData(set string) (dir string, ok bool) {
	for _, dir := range []string{os.Getenv("IALGN_DATA"), filepath.Join("..", "..", "..", "shared", "data")} {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, set)); err == nil {
			return dir, true
		}
	}
	return "", false
}
