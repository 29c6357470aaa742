// Package resign makes the manifest of an output folder say that its files are as they
// should be, for tests of what the checks find by themselves.
package resign

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Folder writes sizes and SHA-256s of all files that the manifest of dir names anew.
// Everything else in it stays.
func Folder(dir string) error {
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var manifest map[string]json.RawMessage
	var files []map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		return fmt.Errorf("resign: %s: %w", path, err)
	}
	if err := json.Unmarshal(manifest["files"], &files); err != nil {
		return fmt.Errorf("resign: %s: files: %w", path, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(f["name"])))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		f["size"], f["sha256"] = len(data), hex.EncodeToString(sum[:])
	}
	if manifest["files"], err = json.Marshal(files); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(manifest, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
