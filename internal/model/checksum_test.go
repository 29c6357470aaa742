package model_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// TestChecksum damages every third byte (every byte in the long tests) of a model and of a checkpoint. For each byte,
// it tests a file with all bits of the byte flipped, and a file with one bit flipped. Every function that reads the
// whole file must refuse it. The only exception is the name of the checksum's key. With another name, the file has no
// checksum, like files of other programs.
func TestChecksum(t *testing.T) {
	step := 3
	if testkit.Whole() {
		step = 1
	}
	for name, extra := range map[string]model.Extra{"model": {}, "checkpoint": moments(3)} {
		m := netgen.Model(netgen.ModelOptions{Width: 3, Depth: 2, Features: 2, Anchors: 2})
		file := fileOf(t, m, extra)
		if !bytes.Equal(testkit.ResignModel(file), file) {
			t.Fatalf("%s: the checksum is not the documented one", name)
		}
		key := bytes.Index(file, []byte("crc32c"))
		for i := 0; i < len(file); i += step {
			for _, mask := range []byte{0xff, 1 << (i % 8)} {
				flipped := bytes.Clone(file)
				flipped[i] ^= mask
				_, err := readBytes(flipped)
				_, frozenErr := model.ReadFrozenChunks("m", bytes.NewReader(flipped), int64(len(file)), 1000)
				if passes := err == nil; passes != (frozenErr == nil) || passes && (i < key || i >= key+len("crc32c")) {
					t.Errorf("%s: byte %d of %d ^ %#x: Read: %v, ReadFrozen: %v", name, i, len(file), mask, err, frozenErr)
				}
			}
		}
	}
}

// TestChecksumReaders changes a number in a file. All readers that take a path must report the change, with the
// file's name and a remedy. ReadInfo still works, because it does not read the arrays.
func TestChecksumReaders(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	file := fileOf(t, m, model.Extra{})
	file[len(file)-40] ^= 1
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	_, load := model.Load(path)
	_, frozen := model.ReadFrozen(path)
	_, checkpoint := model.LoadCheckpoint(path, func(*model.Info) ([]model.Tensor, error) {
		return nil,
			nil
	})
	opened, err := model.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	chains := opened.Chains(func(*model.Model) error { return nil },
		func(_, _, _ int, _ *model.Section) error { t.Error("chains were read"); return nil })
	for reader, err := range map[string]error{
		"Load": load, "ReadFrozen": frozen, "LoadCheckpoint": checkpoint, "Chains": chains, "Reload": m.Reload(path),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), path+": checksum ") ||
			!strings.Contains(err.Error(), "; the file is damaged or was changed; take a fresh copy") {
			t.Errorf("%s: error %v", reader, err)
		}
	}
	if _, err := model.ReadInfo(path); err != nil {
		t.Errorf("ReadInfo: %v", err)
	}
}

// TestWithoutChecksum removes the checksum, as another program may do. A model must be read, and a checkpoint must be
// refused.
func TestWithoutChecksum(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	h, data := split(t, fileOf(t, m, model.Extra{}))
	if len(h.Meta["crc32c"]) != 8 {
		t.Fatalf("checksum %q", h.Meta["crc32c"])
	}
	delete(h.Meta, "crc32c")
	b := h.join(t, data)
	got, err := readBytes(b)
	if diff := cmp.Diff(m, got); diff != "" || err != nil {
		t.Errorf("error %v, model (-want +got):\n%s", err, diff)
	}
	path := filepath.Join(t.TempDir(), "c")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = model.LoadCheckpoint(path, func(*model.Info) ([]model.Tensor, error) { return nil, nil })
	if err == nil || !strings.Contains(err.Error(), path+": has no checksum") ||
		!strings.Contains(err.Error(), "train anew") {
		t.Errorf("a checkpoint: error %v", err)
	}
}

// TestChecksumErrors replaces the digits of the checksum with other text.
func TestChecksumErrors(t *testing.T) {
	file := fileOf(t, netgen.Model(netgen.ModelOptions{}), model.Extra{})
	at := bytes.Index(file, []byte(`"crc32c":"`)) + len(`"crc32c":"`)
	for _, digits := range []string{
		"00000000", strings.ToUpper(string(file[at : at+8])), `", "x":"`,
		`\u00300000000`[:8],
	} {
		harmed := bytes.Clone(file)
		copy(harmed[at:], digits)
		if !bytes.Equal(harmed, file) { // a checksum without letters is unchanged
			expectRefusal(t, harmed, "take a fresh copy")
		}
	}
}
