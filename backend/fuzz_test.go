package backend

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/netlist"
)

// loweredProduct returns a small product that has a hint.
func loweredProduct(t testing.TB) Product {
	t.Helper()
	n, err := freeze.Network(netgen.Frozen(5, netgen.FrozenOptions{Width: 4, Depth: 2, Classes: 2, Features: 2}),
		netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err = compiler.Optimise(context.Background(), n, compiler.LevelRepeat); err != nil {
		t.Fatal(err)
	}
	d, err := (&hardware.Options{K: 4, Threads: 1}).Lower(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	return Product{
		Netlist: d.Netlist, Started: time.Now(), Hardware: &Hardware{Target: target.Generic, Hint: d.Hint},
		Manifest: Manifest{
			Version: "1.2.3", Module: "net", Scope: "core",
			Model: ModelRef{"random", strings.Repeat("ab", 32)}, Classes: []string{"0", "1"},
		},
	}
}

// FuzzRead reads a folder whose manifest, netlist, hint and report are the fuzz inputs. Reading must not panic, and
// must not use much more memory than the size of the inputs. Every file of an accepted folder must be inside the
// folder and have the checksum that the manifest gives.
func FuzzRead(f *testing.F) {
	sound := f.TempDir()
	if _, err := Write(context.Background(), sound, loweredProduct(f)); err != nil {
		f.Fatal(err)
	}
	names := []string{manifestName, "net.netlist", "net.hint.json", reportName}
	var seed [4][]byte
	for i, name := range names {
		var err error
		if seed[i], err = os.ReadFile(filepath.Join(sound, name)); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(seed[0], seed[1], seed[2], seed[3])
	f.Add(bytes.Replace(seed[0], []byte(`"net.netlist"`), []byte(`"../net.netlist"`), 1), seed[1], seed[2], seed[3])
	f.Add(bytes.Replace(seed[0], []byte(`"hint"`), []byte(`"netlist"`), 1), seed[1], seed[2], seed[3])
	f.Add([]byte(`{"format":1,"files":[]}`), seed[1], seed[2], seed[3])
	f.Add([]byte(`{"format":1,"files":[{"name":"net.netlist","format":"netlist","size":1e3,"sha256":""},{"name":"net.hint.json","format":"hint"}]}`), seed[1], seed[2], seed[3])
	f.Fuzz(func(t *testing.T, manifest, text, hint, report []byte) {
		size := 0
		for i, data := range [][]byte{manifest, text, hint, report} {
			size += len(data)
			if err := os.WriteFile(filepath.Join(sound, names[i]), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var begin, end runtime.MemStats
		runtime.ReadMemStats(&begin)
		whole, err := Read(t.Context(), sound)
		runtime.ReadMemStats(&end)
		if grown := end.TotalAlloc - begin.TotalAlloc; grown > 4<<20+600*uint64(size) {
			t.Errorf("%d bytes took %d bytes of memory", size, grown)
		}
		if err == nil {
			fuzzWhole(t, sound, whole)
		}
		m, _, err := readManifest(sound)
		if err != nil {
			return
		}
		o := &Output{Dir: sound, Manifest: *m} // without Read, so hashes are not checked
		if o.load() != nil {
			return
		}
		if o.Hint != nil && o.Hint.Check(o.Netlist) == nil {
			o.Hint.Map(func(v netlist.Net) netlist.Net { return v })
		}
	})
}

// fuzzWhole checks the files of a folder that was accepted.
func fuzzWhole(t *testing.T, dir string, o *Output) {
	t.Helper()
	for _, file := range o.Manifest.Files {
		if strings.ContainsAny(file.Name, "/\x00") || file.Name == ".." || file.Name == "" {
			t.Errorf("file %q accepted", file.Name)
		}
		data, err := os.ReadFile(filepath.Join(dir, file.Name))
		sum := sha256.Sum256(data)
		if err != nil || int64(len(data)) != file.Size || hex.EncodeToString(sum[:]) != file.SHA256 {
			t.Errorf("%s accepted, its manifest says %d bytes with %s", file.Name, file.Size, file.SHA256)
		}
	}
	if err := o.Netlist.Validate(); err != nil {
		t.Error(err)
	}
}
