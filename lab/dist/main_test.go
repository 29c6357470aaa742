package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/message"
	"ialgn/internal/tool"
)

// at is the modification time of all files.
var at = time.Date(2026, 11, 25, 3, 4, 6, 0, time.UTC)

// some lists the files of an archive.
var some = []file{
	{name: "ialgn", data: []byte("#!/bin/sh\n"), exec: true},
	{name: "README.md", data: []byte("Read.\n")},
	{name: noticesName, data: []byte("Notices.\n")},
	{name: "CHANGELOG.md", data: []byte("Changes.\n")},
	{name: "docs/reference/cli.md", data: []byte("Options.\n")},
	{name: "man/ialgn.1", data: []byte(".TH\n")},
	{name: "completion/ialgn.bash", data: []byte("complete\n")},
	{name: "completion/_ialgn", data: []byte("#compdef\n")},
	{name: "completion/ialgn.fish", data: []byte("complete -c\n")},
	{name: billName, data: []byte("{}\n")},
}

// fromRoot makes a test run in the root of the repository.
func fromRoot(t *testing.T) {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
}

// testBuilder returns a builder that writes to a temporary folder.
func testBuilder(t *testing.T) *builder {
	t.Helper()
	return &builder{out: t.TempDir(), work: t.TempDir(), maintainer: "A <a@b>", log: io.Discard, time: at}
}

// TestArchives writes an archive in each format twice, and reads it back. Both times, the bytes must be the same.
func TestArchives(t *testing.T) {
	for _, p := range []platform{{"linux", "amd64"}, {"windows", "amd64"}} {
		var forms [2][]byte
		for i := range forms {
			b := testBuilder(t)
			if err := b.archive(p, some); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(b.out, b.made[0]))
			if err != nil {
				t.Fatal(err)
			}
			forms[i] = data
		}
		if !bytes.Equal(forms[0], forms[1]) {
			t.Errorf("%v: not the same bytes", p)
		}
		got := map[string]string{}
		if p.os == "windows" {
			readZip(t, forms[0], got)
		} else {
			readTar(t, forms[0], got)
		}
		want := map[string]string{}
		for _, f := range some {
			want[base(p)+"/"+f.name] = string(f.data)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", p, diff)
		}
	}
}

func readTar(t *testing.T, data []byte, into map[string]string) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if isProgram := strings.HasSuffix(h.Name, "/ialgn"); (h.Mode == 0o755) != isProgram || !h.ModTime.Equal(at) {
			t.Errorf("%s: mode %o, time %v", h.Name, h.Mode, h.ModTime)
		}
		text, _ := io.ReadAll(r)
		into[h.Name] = string(text)
	}
}

func readZip(t *testing.T, data []byte, into map[string]string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r)
		into[f.Name] = string(text)
	}
}

// TestChecksums writes the checksums of two files in the format of sha256sum.
func TestChecksums(t *testing.T) {
	b := testBuilder(t)
	for _, name := range []string{"b", "a"} {
		if err := b.write(name, func(w io.Writer) error { _, err := io.WriteString(w, name); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.checksums(); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(b.out, "SHA256SUMS"))
	const want = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n" +
		"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b\n"
	if string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNotices checks that each module that is linked on any platform has licences, and that their SPDX names are
// known.
func TestNotices(t *testing.T) {
	fromRoot(t)
	seen := map[string]bool{}
	for _, os := range []string{"linux", "windows"} {
		modules, err := imported(t.Context(), []string{"CGO_ENABLED=0", "GOOS=" + os, "GOARCH=amd64"})
		if err != nil {
			t.Fatal(err)
		}
		text, err := notices(modules)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range modules {
			if seen[m.path] = true; m.licence() == unknown {
				t.Errorf("%s: its licence is not known, see marks", m.path)
			}
			if !bytes.Contains(text, []byte("\n"+m.path+" "+m.version+": ")) {
				t.Errorf("%s is not in the notices", m.path)
			}
		}
		if !bytes.Contains(text, []byte("GNU GENERAL PUBLIC LICENSE")) || !bytes.Contains(text, []byte("optdigits")) &&
			!bytes.Contains(text, []byte("Alpaydin")) {
			t.Errorf("%s: the notices lack what a folder of licences has, or the digits", os)
		}
	}
	for _, path := range []string{standard, "github.com/urfave/cli/v2", "gonum.org/v1/gonum", "golang.org/x/sys"} {
		if !seen[path] {
			t.Errorf("%s is not linked", path)
		}
	}
	if seen[own] {
		t.Error("our own module is listed as another's")
	}
	if _, err := (module{path: "none", dir: t.TempDir()}).licences(); err == nil {
		t.Error("a module without a licence is no error")
	}
}

// TestLinked checks that linked returns an error if the modules in a program differ from the modules of ialgn's
// packages.
func TestLinked(t *testing.T) {
	fromRoot(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := linked(t.Context(), []string{"CGO_ENABLED=0"}, exe); err == nil ||
		!strings.Contains(err.Error(), "is in the program") && !strings.Contains(err.Error(), "is not in it") {
		t.Errorf("the test binary is accepted as the program: %v", err)
	}
}

// TestBill checks that identifiers are unique, and that every relationship refers to two identifiers of the bill.
func TestBill(t *testing.T) {
	modules := []module{{path: standard, version: "go1.26"}, {path: "example.org/~a/b_c", version: "v1.2.3", sum: "h1:x="}}
	b := newBill(modules, platforms[0], []byte("program"), at)
	ids := []string{documentID}
	for _, p := range b.Packages {
		if slices.Contains(ids, p.ID) || !regexp.MustCompile(`^SPDXRef-[a-zA-Z0-9.-]+$`).MatchString(p.ID) {
			t.Errorf("identifier %s", p.ID)
		}
		ids = append(ids, p.ID)
	}
	for _, r := range b.Relationships {
		if !slices.Contains(ids, r.Element) || !slices.Contains(ids, r.Related) {
			t.Errorf("%+v", r)
		}
	}
	data, err := b.encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"spdxVersion": "SPDX-2.3"`, `"created": "2026-11-25T03:04:06Z"`, `"go.sum has h1:x="`,
		`"pkg:golang/example.org/%7Ea/b_c@v1.2.3"`, `"STATIC_LINK"`,
	} {
		if !bytes.Contains(data, []byte(part)) {
			t.Errorf("no %s in\n%s", part, data)
		}
	}
}

// TestDebian builds a package and reads it with dpkg-deb.
func TestDebian(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip(err)
	}
	b := testBuilder(t)
	if err := b.debian(t.Context(), platform{"linux", "arm64"}, some); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(b.out, b.made[0])
	fields, err := output(t.Context(), nil, "dpkg-deb", "-f", made, "Package", "Architecture", "Maintainer", "Recommends",
		"Depends")
	if err != nil {
		t.Fatal(err)
	}
	const want = "Package: ialgn\nArchitecture: arm64\nMaintainer: A <a@b>\nRecommends: berkeley-abc, iverilog, yosys\n"
	if fields != want {
		t.Errorf("%s, want %s", fields, want)
	}
	list, err := output(t.Context(), nil, "dpkg-deb", "-c", made)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"-rwxr-xr-x root/root +10 2026-11-25 03:04 ./usr/bin/ialgn", "root/root +[0-9]+ .* ./usr/share/man/man1/ialgn.1.gz",
		"./usr/share/doc/ialgn/copyright", "./usr/share/doc/ialgn/changelog.gz",
		"./usr/share/doc/ialgn/docs/reference/cli.md",
		"./usr/share/bash-completion/completions/ialgn", "./usr/share/zsh/vendor-completions/_ialgn",
		"./usr/share/fish/vendor_completions.d/ialgn.fish", "./usr/share/doc/ialgn/ialgn.spdx.json",
	} {
		if !regexp.MustCompile(line + "\n").MatchString(list) {
			t.Errorf("no %s in\n%s", line, list)
		}
	}
}

// TestTools checks that the Debian package and the container list every program that ialgn uses and that is in
// Debian. Exceptions are programs that only tests use, and programs for `make mpi` (Containerfile.mpi). The test also
// checks that the container is built with the Go version in go.mod.
func TestTools(t *testing.T) {
	fromRoot(t)
	text, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(recommended, suggested)
	for _, name := range tool.Names() {
		if p := tool.Package(name); p != "" && p != "chromium" && p != "openmpi-bin" && !slices.Contains(all, p) {
			t.Errorf("%s: the package %s is neither recommended nor suggested", name, p)
		}
	}
	for _, p := range all {
		if !slices.Contains(strings.Fields(string(text)), p) {
			t.Errorf("the container lacks %s", p)
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(mod)[1]
	if !bytes.Contains(text, append([]byte("FROM golang:"), append(version, " AS"...)...)) {
		t.Errorf("the container is not built by Go %s", version)
	}
}

// TestOptions checks that impossible options are reported before anything is built.
func TestOptions(t *testing.T) {
	err := run(context.Background(), io.Discard, []string{"-o", t.TempDir(), "-only", "plan9-386"})
	if err == nil || !strings.Contains(message.Hint(err), "linux-arm64") {
		t.Errorf("%v", err)
	}
}
