// This file recomputes the checksums in the manifest of an output folder, or in a model file. Tests use it after they
// have edited such files, because otherwise only the checksum would show the edit.

package testkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// ResignFolder updates the sizes and SHA-256s of all files in the manifest of dir. It changes nothing else.
func ResignFolder(dir string) error {
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

// ResignModel returns a model file with the right checksum: the CRC-32C of all bytes, with zeros in place of the
// checksum's digits. If the file has no checksum, it adds the entry. A file that is too broken for a checksum is
// returned unchanged.
func ResignModel(file []byte) []byte {
	const begin, entry, zeros = `{"__metadata__":{`, `"crc32c":"`, `00000000`
	file = bytes.Clone(file)
	if len(file) < 8 {
		return file
	}
	if n := binary.LittleEndian.Uint64(file); !bytes.Contains(file, []byte(entry)) &&
		bytes.HasPrefix(file[8:], []byte(begin)) {
		added := entry + zeros + `",`
		file = bytes.Replace(file, []byte(begin), []byte(begin+added), 1)
		binary.LittleEndian.PutUint64(file, n+uint64(len(added)))
	}
	_, digits, found := bytes.Cut(file, []byte(entry))
	if !found || len(digits) < len(zeros) {
		return file
	}
	copy(digits, zeros)
	copy(digits, fmt.Sprintf("%08x", crc32.Checksum(file, crc32.MakeTable(crc32.Castagnoli))))
	return file
}
