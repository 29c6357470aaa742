package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ialgn"

	"ialgn/internal/message"
)

// These are Debian packages with programs that ialgn starts. Training, compiling and verification at the level
// software need none of these packages.
var (
	recommended = []string{"berkeley-abc", "iverilog", "yosys"}
	suggested   = []string{"fpga-icestorm", "fpga-icestorm-chipdb", "nextpnr-ice40", "verilator"}
)

// control is the template of the package's control file.
const control = `Package: ialgn
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Recommends: %s
Suggests: %s
Section: electronics
Priority: optional
Description: train logic gate networks, compile them to hardware, prove them equal
 ialgn trains classifiers made of Boolean gates and look-up tables, compiles
 them to Verilog and other formats, proves that the Verilog computes what was
 trained, and takes it to a bitstream.
`

// places maps prefixes of file names in the archive to folders in the file system. Files without such a prefix are
// documents.
var places = []struct{ begin, place string }{
	{"ialgn.spdx.json", "usr/share/doc/ialgn/ialgn.spdx.json"},
	{"ialgn", "usr/bin/ialgn"},
	{noticesName, "usr/share/doc/ialgn/copyright"},
	{"CHANGELOG.md", "usr/share/doc/ialgn/changelog.gz"},
	{"completion/ialgn.bash", "usr/share/bash-completion/completions/ialgn"},
	{"completion/_ialgn", "usr/share/zsh/vendor-completions/_ialgn"},
	{"completion/ialgn.fish", "usr/share/fish/vendor_completions.d/ialgn.fish"},
	{"man/", "usr/share/man/man1/"},
}

// placeOf returns the place of a file in the file system. Man pages and the changelog are compressed files there.
func placeOf(name string) string {
	for _, p := range places {
		if strings.HasSuffix(p.begin, "/") && strings.HasPrefix(name, p.begin) {
			return p.place + path.Base(name) + ".gz"
		}
		if name == p.begin {
			return p.place
		}
	}
	return "usr/share/doc/ialgn/" + name
}

// debian makes a Debian package from an archive's files, using dpkg-deb.
func (b *builder) debian(ctx context.Context, p platform, files []file) error {
	root := filepath.Join(b.work, p.String(), "debian")
	var sums strings.Builder
	size := 0
	for _, f := range sorted(files) {
		place, data := placeOf(f.name), f.data
		if strings.HasSuffix(place, ".gz") {
			var err error
			if data, err = zipped(data); err != nil {
				return err
			}
		}
		if err := b.put(root, place, data, f.mode()); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(data), place)
		size += len(data)
	}
	about := fmt.Sprintf(control, ialgn.Version, p.arch, b.maintainer, (size+1023)/1024, strings.Join(recommended, ", "),
		strings.Join(suggested, ", "))
	for name, text := range map[string]string{"control": about, "md5sums": sums.String()} {
		if err := b.put(root, "DEBIAN/"+name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	made := filepath.Join(b.work, p.String(), "package.deb")
	epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.time.Unix())
	args := []string{"--root-owner-group", "-Zxz", "--build", root, made}
	if _, err := output(ctx, []string{epoch}, "dpkg-deb", args...); err != nil {
		return message.WithHint(err, "dpkg-deb is in the Debian package dpkg; -only builds for other systems")
	}
	data, err := os.ReadFile(made)
	if err != nil {
		return err
	}
	return b.write(fmt.Sprintf("ialgn_%s_%s.deb", ialgn.Version, p.arch), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// put writes a file below the package's root. The permissions do not depend on the user's umask.
func (b *builder) put(root, place string, data []byte, mode os.FileMode) error {
	target := filepath.Join(root, filepath.FromSlash(place))
	for dir := filepath.Dir(target); len(dir) >= len(root); dir = filepath.Dir(dir) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(target, data, mode); err != nil {
		return err
	}
	return os.Chmod(target, mode)
}

// zipped returns compressed data without a file name or a time.
func zipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}
